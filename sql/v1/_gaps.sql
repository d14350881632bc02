-- One row per execution of a payload op that had idle time right before it on its stream (gap_ps).
-- Idle: nothing ran on the stream, no loop around the op either. A marker passes the idle time before it on to the
-- payload op behind it. What lies before the first execution of a stream is no gap, and neither is what follows the last.
-- idle_ps is the part in which the whole device did nothing, asynchronous transfers included, right up to the execution.
CREATE VIEW _gaps AS
WITH
pairs AS (
  SELECT run, host, device, pair_id, max(start_ps + duration_ps) AS end_ps
  FROM op_events
  WHERE pair_id IS NOT NULL AND start_ps IS NOT NULL
  GROUP BY run, host, device, pair_id
),
markers AS (
  SELECT o.run, o.op_id, c.category = 'control' OR m.opcode IS NOT NULL AS is_marker
  FROM ops o
  JOIN op_classes c ON c.run = o.run AND c.op_id = o.op_id
  LEFT JOIN gap_markers m ON m.opcode = coalesce(o.opcode, o.hlo_category, o.canonical_name)
),
executions AS (
  SELECT
    e.run, e.host, e.device, e.stream, e.step_num, e.op_id, e.start_ps, e.duration_ps, e.is_async,
    e.start_ps + e.duration_ps AS end_ps,
    greatest(e.start_ps + e.duration_ps, coalesce(p.end_ps, 0)) AS busy_until_ps, m.is_marker
  FROM op_events e
  JOIN markers m ON m.run = e.run AND m.op_id = e.op_id
  LEFT JOIN pairs p ON p.run = e.run AND p.host = e.host AND p.device = e.device AND p.pair_id = e.pair_id
  WHERE e.start_ps IS NOT NULL
),
spaced AS (
  SELECT
    run, host, device, stream, step_num, op_id, start_ps, duration_ps, is_async, is_marker,
    start_ps - max(end_ps) OVER (
      PARTITION BY run, host, device, stream ORDER BY start_ps, duration_ps DESC, op_id
      ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
    ) AS gap_ps,
    start_ps - max(busy_until_ps) OVER (
      PARTITION BY run, host, device ORDER BY start_ps, duration_ps DESC, op_id
      ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
    ) AS idle_ps
  FROM executions
),
-- A payload op and the markers before it have the same number.
numbered AS (
  SELECT
    run, host, device, stream, step_num, op_id, is_marker,
    greatest(gap_ps, 0) AS gap_ps, least(greatest(gap_ps, 0), greatest(idle_ps, 0)) AS idle_ps,
    coalesce(sum(CASE WHEN is_marker THEN 0 ELSE 1 END) OVER (
      PARTITION BY run, host, device, stream ORDER BY start_ps, duration_ps DESC, op_id
      ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
    ), 0) AS number
  FROM spaced
  WHERE NOT is_async
),
payloads AS (
  SELECT
    run, host, device, stream, number, sum(gap_ps) AS gap_ps, sum(idle_ps) AS idle_ps,
    max(op_id) FILTER (WHERE NOT is_marker) AS op_id, max(step_num) FILTER (WHERE NOT is_marker) AS step_num
  FROM numbered
  GROUP BY run, host, device, stream, number
  HAVING bool_or(NOT is_marker)
),
ordered AS (
  SELECT
    run, host, device, stream, op_id, step_num, gap_ps, idle_ps,
    lag(op_id) OVER (PARTITION BY run, host, device, stream ORDER BY number) AS previous_op_id,
    lag(step_num) OVER (PARTITION BY run, host, device, stream ORDER BY number) AS previous_step_num
  FROM payloads
)
SELECT
  run, host, device, stream, op_id, previous_op_id, CAST(gap_ps AS BIGINT) AS gap_ps,
  CAST(idle_ps AS BIGINT) AS idle_ps,
  coalesce(step_num <> previous_step_num, false) AS is_between_steps
FROM ordered
WHERE gap_ps > 0;
