-- One row per run: what the run did, in one line.
-- Step times are those of step_time over the steps that step_basis names; shares are over the windows that
-- share_basis names, of all devices; SparseCores count only where there is nothing else. Numbers of a capture that
-- quality calls fail are not to be trusted.
-- Needs: nothing; every run has a row.
-- NULL: what the capture does not tell; step times where no step is whole; jitter_ratio likewise; mfu_ratio where
-- the device's peak, or the flops of a matrix multiplication, convolution or attention kernel, are unknown.
CREATE VIEW run_summary (
  -- Handle of the run.
  run,
  -- When the profile started.
  started_at,
  -- Device platform: tpu, gpu or cpu.
  platform,
  -- Device model, as the producer names it.
  device_kind,
  -- Distinct machines with a profile.
  host_count,
  -- Hosts that the run used.
  expected_host_count,
  -- Profiled processes.
  process_count,
  -- Processes that were to be profiled.
  expected_process_count,
  -- Devices on which anything was recorded.
  device_count,
  -- Devices that were to be profiled.
  expected_device_count,
  -- First op start to last op end over all devices, in picoseconds.
  window_ps,
  -- Worst status of capture_quality: fail, warn, unknown or ok.
  quality,
  -- The sentence of the worst check that is not ok.
  quality_sentence,
  -- Where steps come from: device, host or module.
  step_source,
  -- Steps that the devices saw.
  step_count,
  -- What counted steps are: steady, or whole where no step is steady.
  step_basis,
  -- Steps that the step times below are made of.
  counted_step_count,
  -- Steps left out because the edge of the capture cuts them.
  cut_step_count,
  -- The last step, where nothing else leaves it out: no next step tells when it ends.
  last_step_count,
  -- Whole steps left out because a compilation ran inside them.
  compile_step_count,
  -- Other steps left out as warm-up.
  warmup_step_count,
  -- Median step time of the counted steps, in picoseconds.
  step_median_ps,
  -- 90th percentile of the step time by linear interpolation, in picoseconds.
  step_p90_ps,
  -- Mean step time, in picoseconds.
  step_mean_ps,
  -- Shortest step time, in picoseconds.
  step_min_ps,
  -- Longest step time, in picoseconds.
  step_max_ps,
  -- Jitter: step_p90_ps / step_median_ps.
  jitter_ratio,
  -- What shares are of: steady steps, whole steps where none is steady, else capture.
  share_basis,
  -- Time of the windows that shares are of / window of the run on the same devices.
  measured_share,
  -- Utilisation: time with anything running / window; mean over devices.
  busy_share,
  -- Compute self time / self time of all ops.
  compute_share,
  -- Communication self time / self time of all ops.
  communication_share,
  -- Communication running and no compute / window.
  exposed_communication_share,
  -- Communication hidden behind compute / window.
  overlapped_communication_share,
  -- Copies running and neither compute nor communication / window.
  copy_share,
  -- Synchronisation and idle / window.
  stall_share,
  -- Nothing running / window.
  idle_share,
  -- Nothing running while the thread that feeds the devices worked / window: at least so much is the host's.
  host_wait_share,
  -- Compute self time on devices / self time of all tracks, streams and host threads, over the whole capture.
  track_compute_share,
  -- Communication self time on devices / self time of all tracks.
  track_communication_share,
  -- Self time of host events that are neither waits nor step markers / self time of all tracks.
  track_host_share,
  -- Self time of synchronisation on devices and of waits on hosts / self time of all tracks.
  track_stall_share,
  -- Copies and control flow on devices and step markers on hosts / self time of all tracks.
  track_other_share,
  -- Flops of the ops in the windows / (peak flops of the device * window); roofline names who tells flops and peak.
  mfu_ratio
) AS
WITH
steps_of AS (
  SELECT
    run, count(*) AS step_count, max(step_basis) AS step_basis, count(step_basis) AS counted_step_count,
    count(*) FILTER (WHERE step_basis IS NULL AND NOT is_whole) AS cut_step_count,
    count(*) FILTER (WHERE step_basis IS NULL AND is_whole AND NOT (is_warmup OR coalesce(has_compile, false)))
      AS last_step_count,
    count(*) FILTER (WHERE step_basis IS NULL AND is_whole AND coalesce(has_compile, false)) AS compile_step_count,
    count(*) FILTER (WHERE step_basis IS NULL AND is_whole AND is_warmup AND NOT coalesce(has_compile, false))
      AS warmup_step_count,
    median(duration_ps) FILTER (WHERE step_basis IS NOT NULL) AS median_ps,
    quantile_cont(duration_ps, 0.9) FILTER (WHERE step_basis IS NOT NULL) AS p90_ps,
    avg(duration_ps) FILTER (WHERE step_basis IS NOT NULL) AS mean_ps,
    min(duration_ps) FILTER (WHERE step_basis IS NOT NULL) AS min_ps,
    max(duration_ps) FILTER (WHERE step_basis IS NOT NULL) AS max_ps
  FROM step_time
  GROUP BY run
),
-- Sums are of integers, so that no order of devices shows in the last digit.
device_shares AS (
  SELECT
    b.run, b.host, b.device, max(b.share_basis) AS share_basis, sum(b.window_ps) AS window_ps,
    sum(b.overlapped_ps) AS overlapped_ps, sum(b.comm_exposed_ps) AS comm_exposed_ps,
    sum(b.copy_ps) AS copy_ps, sum(b.sync_ps) AS sync_ps, sum(b.idle_ps) AS idle_ps,
    CASE WHEN bool_and(b.host_wait_ps IS NOT NULL) THEN sum(b.host_wait_ps) END AS host_wait_ps,
    sum(b.compute_self_ps) AS compute_self_ps, sum(b.communication_self_ps) AS communication_self_ps,
    sum(b.compute_self_ps + b.communication_self_ps + b.copy_self_ps + b.sync_self_ps + b.control_self_ps)
      AS op_self_ps,
    CASE WHEN sum(b.unknown_flops_self_ps) = 0 THEN sum(b.total_flops) END AS total_flops
  FROM time_breakdown b
  WHERE b.share_basis IS NOT NULL
  GROUP BY b.run, b.host, b.device
),
sums AS (
  SELECT
    s.run, max(s.share_basis) AS share_basis, sum(s.window_ps) AS window_ps, sum(s.overlapped_ps) AS overlapped_ps,
    count(*) AS device_count, sum(s.comm_exposed_ps) AS comm_exposed_ps, sum(s.copy_ps) AS copy_ps,
    sum(s.sync_ps) AS sync_ps, sum(s.idle_ps) AS idle_ps,
    CASE WHEN bool_and(s.host_wait_ps IS NOT NULL) THEN sum(s.host_wait_ps) END AS host_wait_ps,
    sum(s.compute_self_ps) AS compute_self_ps, sum(s.communication_self_ps) AS communication_self_ps,
    sum(s.op_self_ps) AS op_self_ps,
    round(avg(CAST(s.window_ps - s.idle_ps AS DOUBLE) / nullif(CAST(s.window_ps AS DOUBLE), 0)), 12) AS busy_share,
    CASE WHEN bool_and(s.total_flops IS NOT NULL AND d.peak_flops_per_s IS NOT NULL) THEN sum(s.total_flops) END
      AS total_flops,
    sum(CAST(d.peak_flops_per_s AS HUGEINT) * s.window_ps) AS peak
  FROM device_shares s
  JOIN _main_devices d ON d.run = s.run AND d.host = s.host AND d.device = s.device
  GROUP BY s.run
),
shares AS (
  SELECT
    run, share_basis, busy_share, device_count, CAST(window_ps AS DOUBLE) AS window_ps,
    CAST(overlapped_ps AS DOUBLE) AS overlapped_ps, CAST(comm_exposed_ps AS DOUBLE) AS comm_exposed_ps,
    CAST(copy_ps AS DOUBLE) AS copy_ps, CAST(sync_ps AS DOUBLE) AS sync_ps, CAST(idle_ps AS DOUBLE) AS idle_ps,
    CAST(host_wait_ps AS DOUBLE) AS host_wait_ps, CAST(compute_self_ps AS DOUBLE) AS compute_self_ps,
    CAST(communication_self_ps AS DOUBLE) AS communication_self_ps, CAST(op_self_ps AS DOUBLE) AS op_self_ps,
    CAST(total_flops AS DOUBLE) / nullif(CAST(peak AS DOUBLE) / 1000000000000, 0) AS mfu_ratio
  FROM sums
),
quality_of AS (
  SELECT run, status, sentence
  FROM capture_quality
  QUALIFY row_number() OVER (
    PARTITION BY run
    ORDER BY
      CASE status WHEN 'fail' THEN 0 WHEN 'warn' THEN 1 WHEN 'unknown' THEN 2 ELSE 3 END,
      check_name, host NULLS FIRST, subject NULLS FIRST
  ) = 1
)
SELECT
  r.run, r.started_at, r.platform, r.device_kind, r.host_count, r.expected_host_count, r.process_count,
  r.expected_process_count, r.device_count, r.expected_device_count, r.window_ps,
  coalesce(q.status, 'ok') AS quality, CASE WHEN q.status <> 'ok' THEN q.sentence END AS quality_sentence,
  r.step_source, coalesce(t.step_count, 0) AS step_count, t.step_basis,
  coalesce(t.counted_step_count, 0) AS counted_step_count, coalesce(t.cut_step_count, 0) AS cut_step_count,
  coalesce(t.last_step_count, 0) AS last_step_count,
  coalesce(t.compile_step_count, 0) AS compile_step_count, coalesce(t.warmup_step_count, 0) AS warmup_step_count,
  CAST(round(t.median_ps) AS BIGINT) AS step_median_ps, CAST(round(t.p90_ps) AS BIGINT) AS step_p90_ps,
  CAST(round(t.mean_ps) AS BIGINT) AS step_mean_ps, t.min_ps AS step_min_ps, t.max_ps AS step_max_ps,
  t.p90_ps / nullif(t.median_ps, 0) AS jitter_ratio,
  s.share_basis,
  s.window_ps / nullif(CAST(r.window_ps AS DOUBLE) * s.device_count, 0) AS measured_share,
  s.busy_share,
  s.compute_self_ps / nullif(s.op_self_ps, 0) AS compute_share,
  s.communication_self_ps / nullif(s.op_self_ps, 0) AS communication_share,
  s.comm_exposed_ps / nullif(s.window_ps, 0) AS exposed_communication_share,
  s.overlapped_ps / nullif(s.window_ps, 0) AS overlapped_communication_share,
  s.copy_ps / nullif(s.window_ps, 0) AS copy_share,
  (s.sync_ps + s.idle_ps) / nullif(s.window_ps, 0) AS stall_share,
  s.idle_ps / nullif(s.window_ps, 0) AS idle_share,
  s.host_wait_ps / nullif(s.window_ps, 0) AS host_wait_share,
  k.track_compute_share, k.track_communication_share, k.track_host_share, k.track_stall_share, k.track_other_share,
  s.mfu_ratio
FROM runs r
LEFT JOIN steps_of t ON t.run = r.run
LEFT JOIN shares s ON s.run = r.run
LEFT JOIN track_shares k ON k.run = r.run
LEFT JOIN quality_of q ON q.run = r.run
ORDER BY r.run;
