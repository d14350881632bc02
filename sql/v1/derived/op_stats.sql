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
WITH totals AS (
  SELECT
    device_number, op_id,
    coalesce(sum(occurrences) FILTER (WHERE NOT is_async), 0) AS count,
    coalesce(sum(duration_ps) FILTER (WHERE NOT is_async), 0) AS total_ps,
    coalesce(sum(self_ps) FILTER (WHERE NOT is_async), 0) AS self_ps,
    CASE WHEN bool_and(flops IS NOT NULL) FILTER (WHERE NOT is_async)
      THEN sum(CAST(flops AS HUGEINT) * occurrences) FILTER (WHERE NOT is_async) END AS flops,
    CASE WHEN bool_and(bytes_accessed IS NOT NULL) FILTER (WHERE NOT is_async)
      THEN sum(CAST(bytes_accessed AS HUGEINT) * occurrences) FILTER (WHERE NOT is_async) END AS bytes,
    coalesce(sum(occurrences) FILTER (WHERE is_async), 0) AS async_count,
    coalesce(sum(duration_ps) FILTER (WHERE is_async), 0) AS async_total_ps
  FROM _executions
  GROUP BY device_number, op_id
)
SELECT
  n.run, n.host, n.device, t.op_id,
  CAST(t.count AS BIGINT) AS count,
  CAST(t.total_ps AS BIGINT) AS total_ps,
  CAST(t.self_ps AS BIGINT) AS self_ps,
  TRY_CAST(t.flops AS BIGINT) AS total_flops,
  TRY_CAST(t.bytes AS BIGINT) AS total_bytes,
  CAST(t.async_count AS BIGINT) AS async_count,
  CAST(t.async_total_ps AS BIGINT) AS async_total_ps
FROM totals t
JOIN _device_numbers n ON n.device_number = t.device_number;
