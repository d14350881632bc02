-- What are the gaps before OP?
-- Ask: gaps before OP
-- Ask: longest gap before OP
-- Ask: gap time before OP
-- Ask: how long do devices wait before OP
-- Title: Gaps before the op
-- Note: Time in which nothing ran on the op's stream right before it; idle_ps is where the whole device did nothing.
-- View: pre_op_gaps
-- Brief: name, module, region, count, average_ps, max_ps, total_ps, between_steps_ps, idle_ps, idle_share, previous_name
-- Answer: {matched_count op} match, with {matched_ps} of gaps before them. Most idle time is before {name}: {count gap} of {average_ps} on average, of which devices do nothing for {idle_ps} ({idle_share} of the window).
-- Answer: {name} has {count gap} before it, {average_ps} on average and {max_ps} at most; meanwhile devices do nothing for {idle_ps} in all ({idle_share} of the window). Most of that time follows {previous_name}.
-- Answer: {name} has {count gap} before it, {average_ps} on average and {max_ps} at most; meanwhile devices do nothing for {idle_ps} in all ({idle_share} of the window).
-- Answer: {name} has no gap before it.
WITH matches AS (
  SELECT op_id
  FROM ops
  WHERE run = $run AND contains(lower(concat_ws(' ', name, hlo_op)), lower($op))
  -- The ops of exactly that name, else all that have it before a number or dot, else all that have it inside.
  QUALIFY rank() OVER (
    ORDER BY
      CASE WHEN $op IN (name, hlo_op) THEN 1 WHEN canonical_name = $op OR starts_with(name, $op || '.') THEN 2 ELSE 3 END
  ) = 1
)
SELECT
  o.name, o.hlo_op, o.module, c.region, coalesce(p.count, 0) AS count, p.average_ps, p.max_ps, p.total_ps,
  p.between_steps_ps, p.gap_share, p.idle_ps, p.idle_share, g.previous_name, g.previous_region,
  CASE WHEN count(p.op_id) OVER () > 1 THEN count(p.op_id) OVER () END AS matched_count,
  CAST(sum(p.total_ps) OVER () AS BIGINT) AS matched_ps
FROM matches m
JOIN ops o ON o.run = $run AND o.op_id = m.op_id
JOIN op_classes c ON c.run = $run AND c.op_id = m.op_id
LEFT JOIN pre_op_gaps p ON p.run = $run AND p.op_id = m.op_id
LEFT JOIN gap_regions g
  ON g.run = $run AND g.canonical_name = o.canonical_name AND g.region IS NOT DISTINCT FROM c.region
  AND p.op_id IS NOT NULL
ORDER BY p.idle_ps DESC NULLS LAST, p.total_ps DESC NULLS LAST, o.name, o.op_id
LIMIT (SELECT top FROM params)
