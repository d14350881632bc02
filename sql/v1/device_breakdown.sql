-- One row per (run, host, device): where the device's time went, over the windows that share_basis names.
-- The seven parts are unions of intervals and add up exactly to window_ps, the sum of those windows.
-- Needs: device ops.
-- NULL: host_wait_ps where no thread is known to feed the devices; total_flops where no op tells them.
CREATE VIEW device_breakdown (
  -- Handle of the run.
  run,
  -- Host.
  host,
  -- Device.
  device,
  -- What is measured: steady steps, whole steps where none is steady, else capture.
  share_basis,
  -- Steps that are measured; 0 for the whole capture.
  step_count,
  -- Length of the measured windows, in picoseconds.
  window_ps,
  -- Something running, in picoseconds.
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
  -- Flops of the ops of the windows.
  total_flops
) AS
SELECT
  run, host, device, max(share_basis) AS share_basis, count(step_num) AS step_count,
  CAST(sum(window_ps) AS BIGINT) AS window_ps, CAST(sum(window_ps - idle_ps) AS BIGINT) AS busy_ps,
  CAST(sum(compute_only_ps) AS BIGINT) AS compute_only_ps, CAST(sum(overlapped_ps) AS BIGINT) AS overlapped_ps,
  CAST(sum(comm_exposed_ps) AS BIGINT) AS comm_exposed_ps, CAST(sum(copy_ps) AS BIGINT) AS copy_ps,
  CAST(sum(sync_ps) AS BIGINT) AS sync_ps, CAST(sum(control_ps) AS BIGINT) AS control_ps,
  CAST(sum(idle_ps) AS BIGINT) AS idle_ps, CAST(sum(host_wait_ps) AS BIGINT) AS host_wait_ps,
  CAST(sum(window_ps - idle_ps) AS DOUBLE) / nullif(CAST(sum(window_ps) AS DOUBLE), 0) AS busy_share,
  TRY_CAST(sum(total_flops) AS BIGINT) AS total_flops
FROM time_breakdown
WHERE share_basis IS NOT NULL
GROUP BY run, host, device
ORDER BY run, host, device;
