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
