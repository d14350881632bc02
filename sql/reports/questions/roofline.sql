-- Is it bound by memory or by compute?
-- Ask: memory or compute bound
-- Ask: memory bound
-- Ask: compute bound
-- Ask: memory bound ops
-- Ask: compute bound ops
-- Ask: ops bound by memory or compute
-- Ask: roofline
-- Ask: bottleneck memory or compute
-- Ask: memory bottleneck
-- Title: What limits the ops
-- Note: By roofline over all devices and the whole capture; bound_by is NULL where it cannot be told.
-- Brief: bound_by, op_count, self_ps, self_share, hottest_name, hottest_share, reason
-- Answer: Mostly {bound_by}: ops bound by {bound_by} are {self_share} of the op self time; the hottest of them is {hottest_name}.
-- Cannot tell: for {self_share} of the op self time nothing tells what limits it; of the hottest such op, {hottest_name}: {reason}.
SELECT
  bound_by, count(*) AS op_count, CAST(sum(self_ps) AS BIGINT) AS self_ps,
  CAST(sum(self_ps) AS DOUBLE) / nullif(CAST(sum(sum(self_ps)) OVER () AS DOUBLE), 0) AS self_share,
  min_by(name, rank) AS hottest_name,
  CAST(max(self_ps) AS DOUBLE) / nullif(CAST(sum(self_ps) AS DOUBLE), 0) AS hottest_share,
  min_by(reason, rank) AS reason
FROM roofline
WHERE run = $run
GROUP BY bound_by
ORDER BY self_ps DESC, bound_by
