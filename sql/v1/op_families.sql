-- One row per (run, family): the time of a family of ops over all devices and the whole capture.
-- op_kinds tells the kinds within a family: flash from splash attention, loop from output fusions.
-- Self times add up to the op self time of the run. Async spans do not count, they run beside the core.
-- Needs: device ops; flops and bytes need a producer that tells them, or HLO protos.
-- NULL: total_flops and total_bytes where they are known of no op of the family; ps_per_flop where flops are unknown
-- or 0; self_share where no op took any time.
CREATE VIEW op_families (
  -- Handle of the run.
  run,
  -- attention, loss, matmul, convolution, fusion, reduction, elementwise, copy, convert, collective, custom_call or other.
  family,
  -- Distinct ops.
  op_count,
  -- Executions on all devices.
  count,
  -- Sum of durations on all devices, in picoseconds.
  total_ps,
  -- Sum of self times on all devices, in picoseconds.
  self_ps,
  -- Self time of the family / self time of all ops of the run.
  self_share,
  -- Flops of all executions of the ops of which they are known.
  total_flops,
  -- Self time of the ops with known flops / self time of the family.
  flops_known_share,
  -- Self time of the ops with known flops, in picoseconds, per flop of theirs.
  ps_per_flop,
  -- Bytes accessed by all executions of the ops of which that is known, in bytes.
  total_bytes,
  -- Op with the most self time; joins ops and hot_ops.
  hottest_op_id,
  -- Name of that op.
  hottest_name,
  -- Self time of that op / self time of the family.
  hottest_share
) AS
WITH
families AS (
  SELECT
    run, family, count(*) AS op_count, sum(count) AS count, sum(total_ps) AS total_ps, sum(self_ps) AS self_ps,
    sum(flops) AS flops, sum(bytes) AS bytes,
    coalesce(sum(self_ps) FILTER (WHERE flops IS NOT NULL), 0) AS flops_self_ps
  FROM _op_totals
  GROUP BY run, family
),
hottest AS (
  SELECT t.run, t.family, t.op_id, t.self_ps, o.name
  FROM _op_totals t
  JOIN ops o ON o.run = t.run AND o.op_id = t.op_id
  QUALIFY row_number() OVER (PARTITION BY t.run, t.family ORDER BY t.self_ps DESC, t.op_id) = 1
)
SELECT
  f.run, f.family, f.op_count, CAST(f.count AS BIGINT) AS count, CAST(f.total_ps AS BIGINT) AS total_ps,
  CAST(f.self_ps AS BIGINT) AS self_ps,
  CAST(f.self_ps AS DOUBLE) / nullif(CAST(sum(f.self_ps) OVER (PARTITION BY f.run) AS DOUBLE), 0) AS self_share,
  TRY_CAST(f.flops AS BIGINT) AS total_flops,
  CAST(f.flops_self_ps AS DOUBLE) / nullif(CAST(f.self_ps AS DOUBLE), 0) AS flops_known_share,
  CAST(f.flops_self_ps AS DOUBLE) / nullif(CAST(f.flops AS DOUBLE), 0) AS ps_per_flop,
  TRY_CAST(f.bytes AS BIGINT) AS total_bytes,
  h.op_id AS hottest_op_id, h.name AS hottest_name,
  CAST(h.self_ps AS DOUBLE) / nullif(CAST(f.self_ps AS DOUBLE), 0) AS hottest_share
FROM families f
JOIN hottest h ON h.run = f.run AND h.family = f.family
ORDER BY f.run, self_ps DESC, f.family;
