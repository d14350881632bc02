-- One row per (run, host, device, step_num), and one with step_num NULL for the whole capture window of the device.
-- The seven parts are unions of intervals and add up exactly to window_ps:
-- compute_only + overlapped + comm_exposed + copy + sync + control + idle.
-- The whole-capture window of every device is the run's window (runs.window_start_ps, runs.window_ps).
CREATE TABLE step_breakdown (
  -- Handle of the run.
  run VARCHAR NOT NULL,
  -- Host.
  host VARCHAR NOT NULL,
  -- Device.
  device VARCHAR NOT NULL,
  -- Step; NULL for the whole capture.
  step_num BIGINT,
  -- Start of the window in picoseconds.
  start_ps BIGINT NOT NULL,
  -- Length of the window in picoseconds.
  window_ps BIGINT NOT NULL,
  -- Compute running and no communication, in picoseconds.
  compute_only_ps BIGINT NOT NULL,
  -- Compute and communication both running, in picoseconds.
  overlapped_ps BIGINT NOT NULL,
  -- Communication running and no compute, in picoseconds.
  comm_exposed_ps BIGINT NOT NULL,
  -- Copies running and neither compute nor communication, in picoseconds.
  copy_ps BIGINT NOT NULL,
  -- Waiting on synchronisation and nothing above, in picoseconds.
  sync_ps BIGINT NOT NULL,
  -- Control flow running and nothing above, in picoseconds.
  control_ps BIGINT NOT NULL,
  -- Nothing running, in picoseconds.
  idle_ps BIGINT NOT NULL,
  -- Part of idle_ps in which the thread that feeds the devices worked: was in an event that is neither a wait nor a
  -- step marker (host_rules), in picoseconds; NULL where no such thread is known.
  host_wait_ps BIGINT,
  -- Self time of compute ops that belong to the window, in picoseconds.
  compute_self_ps BIGINT NOT NULL,
  -- Self time of communication ops, in picoseconds.
  communication_self_ps BIGINT NOT NULL,
  -- Self time of copies, in picoseconds.
  copy_self_ps BIGINT NOT NULL,
  -- Self time of synchronisation ops, in picoseconds.
  sync_self_ps BIGINT NOT NULL,
  -- Self time of control-flow containers, in picoseconds.
  control_self_ps BIGINT NOT NULL,
  -- Self time of ops whose step was found by time alone, in picoseconds; part of the self times above.
  time_assigned_self_ps BIGINT NOT NULL,
  -- Self time of ops without a framework path, in picoseconds; copies apart, which the compiler and the runtime
  -- insert for no framework op. Part of the self times above.
  unattributed_self_ps BIGINT NOT NULL,
  -- Self time of matrix multiplications, convolutions and attention kernels whose flops are unknown, in picoseconds.
  unknown_flops_self_ps BIGINT NOT NULL,
  -- Flops of the ops that belong to the window; NULL where no op tells them.
  total_flops BIGINT
);

INSERT INTO step_breakdown
WITH
part_sums AS (
  SELECT device_number, segment, part, min(start_ps) AS start_ps, sum(span_ps) AS part_ps
  FROM _spans
  GROUP BY device_number, segment, part
),
segments AS (
  SELECT
    device_number, segment, min(start_ps) AS start_ps,
    sum(part_ps) FILTER (WHERE part = 1) AS compute_only_ps,
    sum(part_ps) FILTER (WHERE part = 2) AS overlapped_ps,
    sum(part_ps) FILTER (WHERE part = 3) AS comm_exposed_ps,
    sum(part_ps) FILTER (WHERE part = 4) AS copy_ps,
    sum(part_ps) FILTER (WHERE part = 5) AS sync_ps,
    sum(part_ps) FILTER (WHERE part = 6) AS control_ps,
    sum(part_ps) FILTER (WHERE part >= 7) AS idle_ps,
    sum(part_ps) FILTER (WHERE part = 8) AS host_wait_ps
  FROM part_sums
  GROUP BY device_number, segment
),
step_self AS (
  SELECT
    device_number, step_num,
    sum(self_ps) FILTER (WHERE category = 'compute') AS compute_ps,
    sum(self_ps) FILTER (WHERE category = 'communication') AS communication_ps,
    sum(self_ps) FILTER (WHERE category = 'copy') AS copy_ps,
    sum(self_ps) FILTER (WHERE category = 'sync') AS sync_ps,
    sum(self_ps) FILTER (WHERE category = 'control') AS control_ps,
    sum(self_ps) FILTER (WHERE is_time_assigned) AS time_assigned_ps,
    sum(self_ps) FILTER (WHERE NOT is_attributed AND category <> 'copy') AS unattributed_ps,
    sum(self_ps) FILTER (WHERE is_matrix AND flops IS NULL) AS unknown_flops_ps,
    -- A loop's flops repeat those of the ops inside it.
    sum(CAST(flops AS HUGEINT) * occurrences) FILTER (WHERE category <> 'control') AS flops
  FROM _executions
  WHERE NOT is_async
  GROUP BY device_number, step_num
),
self AS (
  SELECT
    device_number, step_num, compute_ps, communication_ps, copy_ps, sync_ps, control_ps, time_assigned_ps,
    unattributed_ps, unknown_flops_ps, flops
  FROM step_self WHERE step_num IS NOT NULL
  UNION ALL
  SELECT
    device_number, NULL, sum(compute_ps), sum(communication_ps), sum(copy_ps), sum(sync_ps), sum(control_ps),
    sum(time_assigned_ps), sum(unattributed_ps), sum(unknown_flops_ps), sum(flops)
  FROM step_self
  GROUP BY device_number
),
parts AS (
  SELECT
    n.device_number, w.run, w.host, w.device, w.step_num, w.start_ps, w.window_ps,
    sum(s.compute_only_ps) AS compute_only_ps, sum(s.overlapped_ps) AS overlapped_ps,
    sum(s.comm_exposed_ps) AS comm_exposed_ps, sum(s.copy_ps) AS copy_ps, sum(s.sync_ps) AS sync_ps,
    sum(s.control_ps) AS control_ps, sum(s.idle_ps) AS idle_ps, sum(s.host_wait_ps) AS host_wait_ps
  FROM _windows w
  JOIN _device_numbers n ON n.run = w.run AND n.host = w.host AND n.device = w.device
  LEFT JOIN segments s
    ON s.device_number = n.device_number
    AND s.start_ps >= w.start_ps AND s.start_ps < w.start_ps + w.window_ps
  GROUP BY n.device_number, w.run, w.host, w.device, w.step_num, w.start_ps, w.window_ps
)
SELECT
  p.run, p.host, p.device, p.step_num, p.start_ps, p.window_ps,
  CAST(coalesce(p.compute_only_ps, 0) AS BIGINT) AS compute_only_ps,
  CAST(coalesce(p.overlapped_ps, 0) AS BIGINT) AS overlapped_ps,
  CAST(coalesce(p.comm_exposed_ps, 0) AS BIGINT) AS comm_exposed_ps,
  CAST(coalesce(p.copy_ps, 0) AS BIGINT) AS copy_ps,
  CAST(coalesce(p.sync_ps, 0) AS BIGINT) AS sync_ps,
  CAST(coalesce(p.control_ps, 0) AS BIGINT) AS control_ps,
  CAST(coalesce(p.idle_ps, 0) AS BIGINT) AS idle_ps,
  CASE WHEN t.thread IS NOT NULL THEN CAST(coalesce(p.host_wait_ps, 0) AS BIGINT) END AS host_wait_ps,
  CAST(coalesce(f.compute_ps, 0) AS BIGINT) AS compute_self_ps,
  CAST(coalesce(f.communication_ps, 0) AS BIGINT) AS communication_self_ps,
  CAST(coalesce(f.copy_ps, 0) AS BIGINT) AS copy_self_ps,
  CAST(coalesce(f.sync_ps, 0) AS BIGINT) AS sync_self_ps,
  CAST(coalesce(f.control_ps, 0) AS BIGINT) AS control_self_ps,
  CAST(coalesce(f.time_assigned_ps, 0) AS BIGINT) AS time_assigned_self_ps,
  CAST(coalesce(f.unattributed_ps, 0) AS BIGINT) AS unattributed_self_ps,
  CAST(coalesce(f.unknown_flops_ps, 0) AS BIGINT) AS unknown_flops_self_ps,
  TRY_CAST(f.flops AS BIGINT) AS total_flops
FROM parts p
LEFT JOIN _dispatch_threads t ON t.run = p.run AND t.host = p.host
LEFT JOIN self f ON f.device_number = p.device_number AND f.step_num IS NOT DISTINCT FROM p.step_num;
