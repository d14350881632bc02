-- One row per (run, host, device, step_num): where the time of a window went, and one row with step_num NULL for the
-- whole capture of the device. The seven parts are unions of intervals and add up exactly to window_ps.
-- Needs: device ops.
-- NULL: step_num for the whole capture; is_steady there; share_basis where the row is not counted; total_flops where
-- no op tells them.
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
  -- Self time of matrix multiplications and convolutions whose flops are unknown, in picoseconds.
  unknown_flops_self_ps,
  -- Flops of the ops of the window; NULL where none is known.
  total_flops
) AS
WITH
counted AS (
  SELECT DISTINCT s.run
  FROM step_time s
  JOIN step_breakdown b ON b.run = s.run AND b.step_num = s.step_num
  WHERE s.step_basis IS NOT NULL
)
SELECT
  b.run, b.host, b.device, b.step_num, s.is_steady,
  CASE
    WHEN b.step_num IS NOT NULL THEN s.step_basis || ' steps'
    WHEN c.run IS NULL THEN 'capture'
  END AS share_basis,
  b.start_ps, b.window_ps, b.window_ps - b.idle_ps AS busy_ps,
  b.compute_only_ps, b.overlapped_ps, b.comm_exposed_ps, b.copy_ps, b.sync_ps, b.control_ps, b.idle_ps,
  CAST(b.window_ps - b.idle_ps AS DOUBLE) / nullif(CAST(b.window_ps AS DOUBLE), 0) AS busy_share,
  b.compute_self_ps, b.communication_self_ps, b.copy_self_ps, b.sync_self_ps, b.control_self_ps,
  b.unknown_flops_self_ps, b.total_flops
FROM step_breakdown b
LEFT JOIN step_time s ON s.run = b.run AND s.step_num = b.step_num
LEFT JOIN counted c ON c.run = b.run
ORDER BY b.run, b.host, b.device, b.step_num;
