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
    e.stream_number, e.step_num, e.op_id, e.is_async, e.is_payload,
    e.start_ps - max(e.end_ps) OVER (
      PARTITION BY e.stream_number ORDER BY e.start_ps, e.duration_ps DESC, e.op_id
      ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
    ) AS gap_ps,
    e.start_ps - max(greatest(e.end_ps, coalesce(p.end_ps, 0))) OVER (
      PARTITION BY e.device_number ORDER BY e.start_ps, e.duration_ps DESC, e.op_id
      ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
    ) AS idle_ps,
    coalesce(sum(CASE WHEN e.is_payload THEN 1 ELSE 0 END) OVER (
      PARTITION BY e.stream_number ORDER BY e.start_ps, e.duration_ps DESC, e.op_id
      ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
    ), 0) AS number
  FROM executions e
  LEFT JOIN pairs p ON p.device_number = e.device_number AND p.pair_id = e.pair_id
),
gaps AS (
  SELECT stream_number, number, sum(gap_ps) AS gap_ps, sum(least(gap_ps, greatest(idle_ps, 0))) AS idle_ps
  FROM spaced
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
