-- One row per (run, host, device, step_num): where the time of a window went, and one row with step_num NULL for the
-- whole capture of the device. The seven parts are unions of intervals and add up exactly to window_ps.
-- Needs: device ops.
-- NULL: step_num for the whole capture; is_steady there; share_basis where the row is not counted; host_wait_ps
-- where no thread is known to feed the devices; total_flops where no op tells them.
CREATE VIEW time_breakdown (
  -- Handle of the run.
  run,
  -- Host.
  host,
  -- Device.
  device,
  -- Step; NULL for the whole capture.
  step_num,
  -- Whether the step is one that statistics are made of, as in step_time.
  is_steady,
  -- Why the shares of the run count the row: steady steps, whole steps where none is steady, or capture where the
  -- device's run has no such step; NULL where they do not.
  share_basis,
  -- Start of the window, in picoseconds.
  start_ps,
  -- Length of the window, in picoseconds.
  window_ps,
  -- Something running: window_ps - idle_ps, in picoseconds.
  busy_ps,
  -- Compute running and no communication, in picoseconds.
  compute_only_ps,
  -- Compute and communication both running, in picoseconds.
  overlapped_ps,
  -- Communication running and no compute, in picoseconds.
  comm_exposed_ps,
  -- Copies running and neither compute nor communication, in picoseconds.
  copy_ps,
  -- Waiting on synchronisation and nothing above, in picoseconds.
  sync_ps,
  -- Control flow running and nothing above, in picoseconds.
  control_ps,
  -- Nothing running, in picoseconds.
  idle_ps,
  -- Part of idle_ps in which the thread that feeds the devices worked, in picoseconds: at least so much is the host's.
  host_wait_ps,
  -- Utilisation: busy_ps / window_ps, never above 1.
  busy_share,
  -- Self time of compute ops of the window on all streams, in picoseconds; concurrent ops count each.
  compute_self_ps,
  -- Self time of communication ops, in picoseconds.
  communication_self_ps,
  -- Self time of copies, in picoseconds.
  copy_self_ps,
  -- Self time of synchronisation ops, in picoseconds.
  sync_self_ps,
  -- Self time of control-flow containers, in picoseconds.
  control_self_ps,
  -- Self time of matrix multiplications, convolutions and attention kernels whose flops are unknown, in picoseconds.
  unknown_flops_self_ps,
  -- Flops of the ops of the window; NULL where none is known.
  total_flops
) AS
WITH
windows AS (
  SELECT
    b.run, b.host, b.device, b.step_num, s.is_steady, s.step_basis,
    count(s.step_basis) OVER (PARTITION BY b.run) AS counted_count,
    b.start_ps, b.window_ps, b.compute_only_ps, b.overlapped_ps, b.comm_exposed_ps, b.copy_ps, b.sync_ps,
    b.control_ps, b.idle_ps, b.host_wait_ps, b.compute_self_ps, b.communication_self_ps, b.copy_self_ps, b.sync_self_ps,
    b.control_self_ps, b.unknown_flops_self_ps, b.total_flops
  FROM step_breakdown b
  LEFT JOIN step_time s ON s.run = b.run AND s.step_num = b.step_num
)
SELECT
  run, host, device, step_num, is_steady,
  CASE
    WHEN step_num IS NOT NULL THEN step_basis || ' steps'
    WHEN counted_count = 0 THEN 'capture'
  END AS share_basis,
  start_ps, window_ps, window_ps - idle_ps AS busy_ps,
  compute_only_ps, overlapped_ps, comm_exposed_ps, copy_ps, sync_ps, control_ps, idle_ps, host_wait_ps,
  CAST(window_ps - idle_ps AS DOUBLE) / nullif(CAST(window_ps AS DOUBLE), 0) AS busy_share,
  compute_self_ps, communication_self_ps, copy_self_ps, sync_self_ps, control_self_ps, unknown_flops_self_ps,
  total_flops
FROM windows
ORDER BY run, host, device, step_num;
