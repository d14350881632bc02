-- One row per execution of a payload op that had idle time right before it on its stream (gap_ps).
-- Idle: nothing ran on the stream, no loop around the op either. A marker passes the idle time before it on to the
-- payload op behind it. What lies before the first execution of a stream is no gap, and neither is what follows the last.
-- idle_ps is the part in which the whole device did nothing, asynchronous transfers included, right up to the execution.
CREATE VIEW _gaps AS
WITH
streams AS (
  SELECT
    run, host, device, stream, row_number() OVER (ORDER BY run, host, device, stream) AS stream_number,
    dense_rank() OVER (ORDER BY run, host, device) AS device_number
  FROM (SELECT DISTINCT run, host, device, stream FROM op_events WHERE start_ps IS NOT NULL)
),
markers AS (
  SELECT o.run, o.op_id, c.category = 'control' OR m.opcode IS NOT NULL AS is_marker
  FROM ops o
  JOIN op_classes c ON c.run = o.run AND c.op_id = o.op_id
  LEFT JOIN gap_markers m ON m.opcode = coalesce(o.opcode, o.hlo_category, o.canonical_name)
),
executions AS (
  SELECT
    s.stream_number, s.device_number, e.step_num, e.op_id, e.start_ps, e.duration_ps, e.pair_id, e.is_async,
    e.start_ps + e.duration_ps AS end_ps, NOT m.is_marker AND NOT e.is_async AS is_payload
  FROM op_events e
  JOIN streams s ON s.run = e.run AND s.host = e.host AND s.device = e.device AND s.stream = e.stream
  JOIN markers m ON m.run = e.run AND m.op_id = e.op_id
  WHERE e.start_ps IS NOT NULL
),
pairs AS (
  SELECT device_number, pair_id, max(end_ps) AS end_ps
  FROM executions
  WHERE pair_id IS NOT NULL
  GROUP BY device_number, pair_id
),
-- A payload op and the markers before it have the same number.
spaced AS (
  SELECT
    stream_number, device_number, step_num, op_id, start_ps, duration_ps, is_async, is_payload,
    start_ps - max(end_ps) OVER (
      PARTITION BY stream_number ORDER BY start_ps, duration_ps DESC, op_id
      ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
    ) AS gap_ps,
    coalesce(sum(CASE WHEN is_payload THEN 1 ELSE 0 END) OVER (
      PARTITION BY stream_number ORDER BY start_ps, duration_ps DESC, op_id
      ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
    ), 0) AS number
  FROM executions
),
stream_ends AS (
  SELECT stream_number, max(end_ps) AS end_ps FROM executions GROUP BY stream_number
),
-- A stream is busy from an execution with a gap before it to where the next gap begins: few rows that tell when a
-- device is busy. A transfer in flight has a row for each half, behind that of the execution itself.
busy AS (
  SELECT
    b.stream_number, b.device_number, b.number, b.is_async, b.gap_ps, b.start_ps, b.duration_ps, b.op_id, 0 AS place,
    coalesce(
      lead(b.start_ps - b.gap_ps) OVER (PARTITION BY b.stream_number ORDER BY b.start_ps), s.end_ps
    ) AS end_ps
  FROM spaced b
  JOIN stream_ends s ON s.stream_number = b.stream_number
  WHERE b.gap_ps IS NULL OR b.gap_ps > 0
  UNION ALL
  SELECT e.stream_number, e.device_number, NULL, true, NULL, e.start_ps, e.duration_ps, e.op_id, 1, p.end_ps
  FROM executions e
  JOIN pairs p ON p.device_number = e.device_number AND p.pair_id = e.pair_id
),
idle AS (
  SELECT
    stream_number, number, is_async, gap_ps,
    start_ps - max(end_ps) OVER (
      PARTITION BY device_number ORDER BY start_ps, duration_ps DESC, op_id, place
      ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
    ) AS idle_ps
  FROM busy
),
gaps AS (
  SELECT stream_number, number, sum(gap_ps) AS gap_ps, sum(least(gap_ps, greatest(idle_ps, 0))) AS idle_ps
  FROM idle
  WHERE gap_ps > 0 AND NOT is_async
  GROUP BY stream_number, number
)
SELECT
  s.run, s.host, s.device, s.stream, e.op_id, b.op_id AS previous_op_id, CAST(g.gap_ps AS BIGINT) AS gap_ps,
  CAST(g.idle_ps AS BIGINT) AS idle_ps,
  coalesce(e.step_num <> b.step_num, false) AS is_between_steps
FROM gaps g
JOIN streams s ON s.stream_number = g.stream_number
JOIN spaced e ON e.stream_number = g.stream_number AND e.number = g.number AND e.is_payload
LEFT JOIN spaced b ON b.stream_number = g.stream_number AND b.number = g.number - 1 AND b.is_payload;
