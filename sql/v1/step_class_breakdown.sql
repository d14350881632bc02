-- One row per (run, step_class): where the time of one step of one device goes, the mean over the counted windows.
-- A window is a counted step on a device; where no step counts, the whole capture on a device. SparseCores count only
-- where there is nothing else. Times are whole picoseconds and add up exactly: each is what the running total per
-- window grows by, rounded. The seven parts make window_ps, the five self times op_self_ps.
-- Needs: device ops.
-- NULL: never.
CREATE VIEW step_class_breakdown (
  -- Handle of the run.
  run,
  -- all; light and heavy besides where the run's steps are of two kinds.
  step_class,
  -- What is measured: steady steps, whole steps where none is steady, else capture.
  share_basis,
  -- Steps of the class; 0 for the whole capture.
  step_count,
  -- Windows of the class on all devices: what the times are the mean of.
  window_count,
  -- Length of the window, in picoseconds.
  window_ps,
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
  -- Self time of compute ops on all streams; concurrent ops count each, in picoseconds.
  compute_self_ps,
  -- Self time of communication ops, in picoseconds.
  communication_self_ps,
  -- Self time of copies, in picoseconds.
  copy_self_ps,
  -- Self time of synchronisation ops, in picoseconds.
  sync_self_ps,
  -- Self time of control-flow containers, in picoseconds.
  control_self_ps,
  -- Self time of all ops, in picoseconds.
  op_self_ps
) AS
WITH
windows AS (
  SELECT
    b.run, coalesce(c.step_class, 'all') AS step_class, b.step_num, b.share_basis,
    b.compute_only_ps, b.overlapped_ps, b.comm_exposed_ps, b.copy_ps, b.sync_ps, b.control_ps, b.idle_ps,
    b.compute_self_ps, b.communication_self_ps, b.copy_self_ps, b.sync_self_ps, b.control_self_ps
  FROM time_breakdown b
  JOIN _main_devices d ON d.run = b.run AND d.host = b.host AND d.device = b.device
  LEFT JOIN counted_steps c ON c.run = b.run AND c.step_num = b.step_num
  WHERE b.share_basis IS NOT NULL
),
-- Running totals over the parts and over the self times.
totals AS (
  SELECT
    run, step_class, max(share_basis) AS share_basis, count(DISTINCT step_num) AS step_count,
    count(*) AS window_count,
    sum(compute_only_ps) AS part1,
    sum(compute_only_ps + overlapped_ps) AS part2,
    sum(compute_only_ps + overlapped_ps + comm_exposed_ps) AS part3,
    sum(compute_only_ps + overlapped_ps + comm_exposed_ps + copy_ps) AS part4,
    sum(compute_only_ps + overlapped_ps + comm_exposed_ps + copy_ps + sync_ps) AS part5,
    sum(compute_only_ps + overlapped_ps + comm_exposed_ps + copy_ps + sync_ps + control_ps) AS part6,
    sum(compute_only_ps + overlapped_ps + comm_exposed_ps + copy_ps + sync_ps + control_ps + idle_ps) AS part7,
    sum(compute_self_ps) AS self1,
    sum(compute_self_ps + communication_self_ps) AS self2,
    sum(compute_self_ps + communication_self_ps + copy_self_ps) AS self3,
    sum(compute_self_ps + communication_self_ps + copy_self_ps + sync_self_ps) AS self4,
    sum(compute_self_ps + communication_self_ps + copy_self_ps + sync_self_ps + control_self_ps) AS self5
  FROM windows
  GROUP BY run, step_class
),
means AS (
  SELECT
    run, step_class, share_basis, step_count, window_count,
    CAST(round(CAST(part1 AS DOUBLE) / nullif(window_count, 0)) AS BIGINT) AS part1,
    CAST(round(CAST(part2 AS DOUBLE) / nullif(window_count, 0)) AS BIGINT) AS part2,
    CAST(round(CAST(part3 AS DOUBLE) / nullif(window_count, 0)) AS BIGINT) AS part3,
    CAST(round(CAST(part4 AS DOUBLE) / nullif(window_count, 0)) AS BIGINT) AS part4,
    CAST(round(CAST(part5 AS DOUBLE) / nullif(window_count, 0)) AS BIGINT) AS part5,
    CAST(round(CAST(part6 AS DOUBLE) / nullif(window_count, 0)) AS BIGINT) AS part6,
    CAST(round(CAST(part7 AS DOUBLE) / nullif(window_count, 0)) AS BIGINT) AS part7,
    CAST(round(CAST(self1 AS DOUBLE) / nullif(window_count, 0)) AS BIGINT) AS self1,
    CAST(round(CAST(self2 AS DOUBLE) / nullif(window_count, 0)) AS BIGINT) AS self2,
    CAST(round(CAST(self3 AS DOUBLE) / nullif(window_count, 0)) AS BIGINT) AS self3,
    CAST(round(CAST(self4 AS DOUBLE) / nullif(window_count, 0)) AS BIGINT) AS self4,
    CAST(round(CAST(self5 AS DOUBLE) / nullif(window_count, 0)) AS BIGINT) AS self5
  FROM totals
)
SELECT
  run, step_class, share_basis, step_count, window_count, part7 AS window_ps,
  part1 AS compute_only_ps,
  part2 - part1 AS overlapped_ps,
  part3 - part2 AS comm_exposed_ps,
  part4 - part3 AS copy_ps,
  part5 - part4 AS sync_ps,
  part6 - part5 AS control_ps,
  part7 - part6 AS idle_ps,
  self1 AS compute_self_ps,
  self2 - self1 AS communication_self_ps,
  self3 - self2 AS copy_self_ps,
  self4 - self3 AS sync_self_ps,
  self5 - self4 AS control_self_ps,
  self5 AS op_self_ps
FROM means
ORDER BY run, step_class;
