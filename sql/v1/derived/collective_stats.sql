-- One row per (run, host, device, collective), over the whole capture.
-- Start, done and async twin of one asynchronous collective are one execution, from its first start to its last end.
-- Unions are of the kind's own executions: where two kinds run at once, the time is in both of their rows.
CREATE TABLE collective_stats (
  -- Handle of the run.
  run VARCHAR NOT NULL,
  -- Host.
  host VARCHAR NOT NULL,
  -- Device.
  device VARCHAR NOT NULL,
  -- Kind of the collective, as HLO names it: all-gather, reduce-scatter ...; NULL where nothing tells it.
  collective VARCHAR,
  -- Executions, aggregated ones included.
  count BIGINT NOT NULL,
  -- Sum of durations, in picoseconds.
  total_ps BIGINT NOT NULL,
  -- Time in which one or more of them ran, in picoseconds.
  span_ps BIGINT NOT NULL,
  -- Part of span_ps in which no compute ran, in picoseconds.
  exposed_ps BIGINT NOT NULL,
  -- The rest of span_ps, in which compute ran, in picoseconds.
  overlapped_ps BIGINT NOT NULL,
  -- Memory that the executions accessed, in bytes; NULL where one of them does not tell.
  total_bytes BIGINT
);

INSERT INTO collective_stats
WITH
halves AS (
  SELECT
    e.device_number, e.pair_id, coalesce(c.collective, '') AS collective, e.occurrences, e.start_ps,
    e.start_ps + e.duration_ps AS end_ps, e.duration_ps,
    CAST(e.bytes_accessed AS HUGEINT) * e.occurrences AS total_bytes
  FROM _executions e
  JOIN _device_numbers n ON n.device_number = e.device_number
  JOIN op_classes c ON c.run = n.run AND c.op_id = e.op_id
  WHERE e.category = 'communication'
),
executions AS (
  SELECT device_number, collective, occurrences, start_ps, end_ps, duration_ps, total_bytes
  FROM halves
  WHERE pair_id IS NULL
  UNION ALL
  -- Each half tells the bytes of the whole, or one of them does.
  SELECT
    device_number, max(collective), 1, min(start_ps), max(end_ps), max(end_ps) - min(start_ps), max(total_bytes)
  FROM halves
  WHERE pair_id IS NOT NULL AND start_ps IS NOT NULL
  GROUP BY device_number, pair_id
),
totals AS (
  SELECT
    device_number, collective, sum(occurrences) AS count, sum(duration_ps) AS total_ps,
    CASE WHEN bool_and(total_bytes IS NOT NULL) THEN TRY_CAST(sum(total_bytes) AS BIGINT) END AS total_bytes
  FROM executions
  GROUP BY device_number, collective
),
-- Executions that overlap or touch are one island. Every island is a start, and an end that the first execution of
-- the next island tells, or the last end of all.
preceded AS (
  SELECT
    device_number, collective, start_ps, end_ps,
    max(end_ps) OVER (
      PARTITION BY device_number, collective ORDER BY start_ps
      ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
    ) AS earlier_end_ps
  FROM executions
  WHERE start_ps IS NOT NULL AND end_ps > start_ps
),
edges AS (
  SELECT device_number, collective, start_ps AS at_ps, -1 AS sign
  FROM preceded
  WHERE earlier_end_ps IS NULL OR earlier_end_ps < start_ps
  UNION ALL
  SELECT device_number, collective, earlier_end_ps, 1 FROM preceded WHERE earlier_end_ps < start_ps
  UNION ALL
  SELECT device_number, collective, max(end_ps), 1 FROM preceded GROUP BY device_number, collective
),
-- Exposed time before each edge; no span of the sweep lies across an edge.
summed AS (
  SELECT
    device_number, collective, at_ps, sign,
    sum(span_ps) OVER (ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS exposed_ps
  FROM (
    SELECT device_number, collective, at_ps, sign, 0 AS span_ps FROM edges
    UNION ALL
    SELECT device_number, NULL, start_ps, 0, span_ps FROM _spans WHERE part = 3
    ORDER BY device_number, at_ps, span_ps
  )
),
unions AS (
  SELECT device_number, collective, sum(sign * at_ps) AS span_ps, sum(sign * exposed_ps) AS exposed_ps
  FROM summed
  WHERE sign <> 0
  GROUP BY device_number, collective
)
SELECT
  n.run, n.host, n.device, nullif(t.collective, '') AS collective, CAST(t.count AS BIGINT) AS count,
  CAST(t.total_ps AS BIGINT) AS total_ps,
  CAST(coalesce(u.span_ps, 0) AS BIGINT) AS span_ps,
  CAST(coalesce(u.exposed_ps, 0) AS BIGINT) AS exposed_ps,
  CAST(coalesce(u.span_ps - u.exposed_ps, 0) AS BIGINT) AS overlapped_ps,
  t.total_bytes
FROM totals t
JOIN _device_numbers n ON n.device_number = t.device_number
LEFT JOIN unions u ON u.device_number = t.device_number AND u.collective = t.collective;
