-- One row per (run, host, device, op_id), over the whole capture.
-- Async rows (is_async) count only in async_count and async_total_ps.
CREATE TABLE op_stats (
  -- Handle of the run.
  run VARCHAR NOT NULL,
  -- Host.
  host VARCHAR NOT NULL,
  -- Device.
  device VARCHAR NOT NULL,
  -- Op; joins ops and op_classes.
  op_id BIGINT NOT NULL,
  -- Executions, aggregated ones included.
  count BIGINT NOT NULL,
  -- Sum of durations, in picoseconds.
  total_ps BIGINT NOT NULL,
  -- Sum of self times, in picoseconds.
  self_ps BIGINT NOT NULL,
  -- Sum of flops over the executions; NULL where unknown.
  total_flops BIGINT,
  -- Sum of bytes accessed over the executions; NULL where unknown.
  total_bytes BIGINT,
  -- Asynchronous spans.
  async_count BIGINT NOT NULL,
  -- Sum of the durations of asynchronous spans, in picoseconds.
  async_total_ps BIGINT NOT NULL
);

INSERT INTO op_stats
WITH executions AS (
  SELECT
    e.run, e.host, e.device, e.op_id, e.is_async, e.occurrences, e.duration_ps, e.self_ps,
    CAST(coalesce(e.flops, o.flops) AS HUGEINT) * e.occurrences AS flops,
    CAST(coalesce(e.bytes_accessed, o.bytes_accessed) AS HUGEINT) * e.occurrences AS bytes_accessed
  FROM op_events e
  JOIN ops o ON o.run = e.run AND o.op_id = e.op_id
)
SELECT
  run, host, device, op_id,
  CAST(coalesce(sum(occurrences) FILTER (WHERE NOT is_async), 0) AS BIGINT) AS count,
  CAST(coalesce(sum(duration_ps) FILTER (WHERE NOT is_async), 0) AS BIGINT) AS total_ps,
  CAST(coalesce(sum(self_ps) FILTER (WHERE NOT is_async), 0) AS BIGINT) AS self_ps,
  CASE WHEN bool_and(flops IS NOT NULL) FILTER (WHERE NOT is_async)
    THEN TRY_CAST(sum(flops) FILTER (WHERE NOT is_async) AS BIGINT) END AS total_flops,
  CASE WHEN bool_and(bytes_accessed IS NOT NULL) FILTER (WHERE NOT is_async)
    THEN TRY_CAST(sum(bytes_accessed) FILTER (WHERE NOT is_async) AS BIGINT) END AS total_bytes,
  CAST(coalesce(sum(occurrences) FILTER (WHERE is_async), 0) AS BIGINT) AS async_count,
  CAST(coalesce(sum(duration_ps) FILTER (WHERE is_async), 0) AS BIGINT) AS async_total_ps
FROM executions
GROUP BY run, host, device, op_id;
