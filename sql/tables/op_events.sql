-- One row per device op execution. Aggregated events (occurrences above 1) have no start_ps.
-- Times are picoseconds since the run's profile start.
CREATE TABLE op_events (
  -- Handle of the run.
  run VARCHAR NOT NULL,
  -- Host.
  host VARCHAR NOT NULL,
  -- Device that executed the op.
  device VARCHAR NOT NULL,
  -- Line of the op: the TPU line name, the GPU stream id, the CPU thread.
  stream VARCHAR NOT NULL,
  -- Step that the execution belongs to; NULL where unassigned.
  step_num BIGINT,
  -- How the step was found: device, launch, time, module or none.
  assignment VARCHAR NOT NULL,
  -- Op that was executed; joins ops.
  op_id BIGINT NOT NULL,
  -- Op of the nearest enclosing execution on the same stream; NULL at the top.
  parent_op_id BIGINT,
  -- Name on the timeline.
  name VARCHAR NOT NULL,
  -- Start in picoseconds; NULL for an aggregated event.
  start_ps BIGINT,
  -- Duration in picoseconds; the total for an aggregated event.
  duration_ps BIGINT NOT NULL,
  -- Time in which no op started later on the same stream was running, in picoseconds; 0 for async rows.
  self_ps BIGINT NOT NULL,
  -- Whether no other op execution ran inside this one on its stream.
  is_leaf BOOLEAN NOT NULL,
  -- Whether the row is the span of an asynchronous op, beside the core's own timeline.
  is_async BOOLEAN NOT NULL,
  -- Joins the start, done and async rows of one asynchronous op within (run, host, device).
  pair_id BIGINT,
  -- Executions that the row stands for: 1 unless aggregated.
  occurrences BIGINT NOT NULL,
  -- Launch: XLA's run_id (CPU, TPU) or the correlation id (GPU).
  launch_id VARCHAR,
  -- Floating-point operations of this execution; NULL: as in ops.
  flops BIGINT,
  -- Bytes accessed by this execution; NULL: as in ops.
  bytes_accessed BIGINT,
  -- The device clock's start of the event minus start_ps on the timeline, in picoseconds.
  device_start_delta_ps BIGINT,
  -- The device clock's duration minus duration_ps, in picoseconds.
  device_duration_delta_ps BIGINT,
  -- The event's remaining stats, as text.
  args MAP(VARCHAR, VARCHAR)
);
