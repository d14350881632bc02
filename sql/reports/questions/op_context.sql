-- What is the context of OP?
-- Ask: context of OP
-- Ask: about OP
-- Ask: what runs before and after OP
-- Ask: what runs before OP
-- Ask: what runs after OP
-- Ask: what ops are before and after OP
-- Ask: where is OP called
-- Ask: what calls OP
-- Ask: which layer is OP in
-- Ask: why is OP slow
-- Ask: OP time
-- Ask: source line of OP
-- Title: Context of the op
-- Note: The op itself, the op around it, and what starts right before and after it on its stream; count is how often.
-- View: op_events
-- Brief: place, name, count, family, phase, region, source, module, total_ps, self_ps, self_share
-- Answer: {matched_count op} match, with {matched_ps} of self time. The hottest, {name}, ran {count time}: {self_ps} of self time, {self_share} of that of all ops.
-- Answer: {name} ({family}) ran {count time}: {self_ps} of self time, {self_share} of that of all ops. It comes from {source}; mostly {before_name} runs before it and {after_name} after it.
-- Answer: {name} ({family}) ran {count time}: {self_ps} of self time, {self_share} of that of all ops. Mostly {before_name} runs before it and {after_name} after it.
-- Answer: {name} ({family}) ran {count time}: {self_ps} of self time, {self_share} of that of all ops.
-- Answer: {matched_count op} match, all of them asynchronous spans beside the core: {matched_total_ps} in all.
-- Answer: {name} ({family}) ran {count time} beside the core, as an asynchronous span: {total_ps} in all.
WITH
matches AS (
  SELECT op_id
  FROM ops
  WHERE run = $run AND contains(lower(concat_ws(' ', name, hlo_op)), lower($op))
  -- The ops of exactly that name, else all that have it before a number or dot, else all that have it inside.
  QUALIFY rank() OVER (
    ORDER BY
      CASE WHEN $op IN (name, hlo_op) THEN 1 WHEN canonical_name = $op OR starts_with(name, $op || '.') THEN 2 ELSE 3 END
  ) = 1
),
ordered AS (
  SELECT
    op_id, parent_op_id,
    lag(op_id) OVER (PARTITION BY host, device, stream ORDER BY start_ps, duration_ps DESC, op_id) AS before_id,
    lead(op_id) OVER (PARTITION BY host, device, stream ORDER BY start_ps, duration_ps DESC, op_id) AS after_id
  FROM op_events
  -- Loops and calls around other ops are left out, unless it is them that is asked for.
  WHERE run = $run AND NOT is_async AND start_ps IS NOT NULL
    AND (is_leaf OR op_id IN (SELECT op_id FROM matches))
),
places AS (
  SELECT 'around' AS place, parent_op_id AS op_id FROM ordered SEMI JOIN matches USING (op_id)
  UNION ALL
  SELECT 'before', before_id FROM ordered SEMI JOIN matches USING (op_id)
  UNION ALL
  SELECT 'after', after_id FROM ordered SEMI JOIN matches USING (op_id)
),
neighbours AS (
  SELECT place, op_id, count(*) AS count
  FROM places
  WHERE op_id IS NOT NULL
  GROUP BY place, op_id
),
spans AS (
  SELECT op_id, CAST(sum(async_count) AS BIGINT) AS count, CAST(sum(async_total_ps) AS BIGINT) AS total_ps
  FROM op_stats
  WHERE run = $run
  GROUP BY op_id
),
found AS (
  SELECT
    CASE WHEN h.op_id IS NULL THEN 'async span' ELSE 'itself' END AS place, m.op_id,
    coalesce(h.count, s.count) AS count, coalesce(h.total_ps, s.total_ps) AS total_ps, h.self_ps, h.self_share
  FROM matches m
  LEFT JOIN hot_ops h ON h.run = $run AND h.op_id = m.op_id
  LEFT JOIN spans s ON s.op_id = m.op_id
  UNION ALL
  SELECT place, op_id, count, NULL, NULL, NULL FROM neighbours
),
named AS (
  SELECT
    f.place, o.name, o.hlo_op, f.count, c.family, c.phase, c.region,
    o.source_file || coalesce(':' || CAST(o.source_line AS VARCHAR), '') AS source, o.module, o.scope,
    f.total_ps, f.self_ps, f.self_share,
    count(*) OVER (PARTITION BY f.place) AS op_count,
    CAST(sum(f.self_ps) OVER (PARTITION BY f.place) AS BIGINT) AS matched_ps,
    CAST(sum(f.total_ps) OVER (PARTITION BY f.place) AS BIGINT) AS matched_total_ps,
    CASE f.place WHEN 'itself' THEN 0 WHEN 'async span' THEN 1 WHEN 'around' THEN 2 WHEN 'before' THEN 3 ELSE 4 END
      AS place_order,
    row_number() OVER (
      PARTITION BY f.place ORDER BY f.self_ps DESC NULLS LAST, f.total_ps DESC NULLS LAST, f.count DESC, o.name, o.op_id
    ) AS rank
  FROM found f
  JOIN ops o ON o.run = $run AND o.op_id = f.op_id
  JOIN op_classes c ON c.run = o.run AND c.op_id = o.op_id
)
SELECT
  place, name, hlo_op, count, family, phase, region, source, module, scope, total_ps, self_ps, self_share,
  CASE WHEN op_count > 1 THEN op_count END AS matched_count, matched_ps, matched_total_ps,
  max(name) FILTER (WHERE place = 'before' AND rank = 1) OVER () AS before_name,
  max(name) FILTER (WHERE place = 'after' AND rank = 1) OVER () AS after_name
FROM named
WHERE rank <= (SELECT top FROM params)
ORDER BY place_order, rank
