-- One row per (run, part): one of the seven parts of the run's time over all devices, the largest first.
-- The parts add up exactly to the windows that share_basis names. SparseCores count only where there is nothing else.
-- Needs: device ops.
-- NULL: per_step_ps for the whole capture.
CREATE VIEW run_breakdown (
  -- Handle of the run.
  run,
  -- compute_only, overlapped, comm_exposed, copy, sync, control or idle.
  part,
  -- What is measured: steady steps, whole steps where none is steady, else capture.
  share_basis,
  -- Time of the part on all devices, in picoseconds.
  total_ps,
  -- total_ps / windows measured: the part of one step of one device, in picoseconds.
  per_step_ps,
  -- total_ps / time of the windows of all devices.
  window_share
) AS
WITH
totals AS (
  SELECT
    b.run, max(b.share_basis) AS share_basis, count(b.step_num) AS step_count, sum(b.window_ps) AS window_ps,
    sum(b.compute_only_ps) AS compute_only_ps, sum(b.overlapped_ps) AS overlapped_ps,
    sum(b.comm_exposed_ps) AS comm_exposed_ps, sum(b.copy_ps) AS copy_ps, sum(b.sync_ps) AS sync_ps,
    sum(b.control_ps) AS control_ps, sum(b.idle_ps) AS idle_ps
  FROM time_breakdown b
  JOIN _main_devices d ON d.run = b.run AND d.host = b.host AND d.device = b.device
  WHERE b.share_basis IS NOT NULL
  GROUP BY b.run
),
parts AS (
  SELECT run, share_basis, step_count, window_ps, 'compute_only' AS part, compute_only_ps AS part_ps FROM totals
  UNION ALL
  SELECT run, share_basis, step_count, window_ps, 'overlapped', overlapped_ps FROM totals
  UNION ALL
  SELECT run, share_basis, step_count, window_ps, 'comm_exposed', comm_exposed_ps FROM totals
  UNION ALL
  SELECT run, share_basis, step_count, window_ps, 'copy', copy_ps FROM totals
  UNION ALL
  SELECT run, share_basis, step_count, window_ps, 'sync', sync_ps FROM totals
  UNION ALL
  SELECT run, share_basis, step_count, window_ps, 'control', control_ps FROM totals
  UNION ALL
  SELECT run, share_basis, step_count, window_ps, 'idle', idle_ps FROM totals
)
SELECT
  run, part, share_basis, CAST(part_ps AS BIGINT) AS total_ps,
  CAST(round(CAST(part_ps AS DOUBLE) / nullif(step_count, 0)) AS BIGINT) AS per_step_ps,
  CAST(part_ps AS DOUBLE) / nullif(CAST(window_ps AS DOUBLE), 0) AS window_share
FROM parts
ORDER BY run, total_ps DESC, part;
