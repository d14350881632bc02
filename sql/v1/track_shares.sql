-- One row per run: how the time of all tracks is divided, a track being a stream of a device or a thread of a host.
-- Numerators and denominator are self times over the whole capture, in which every track counts alike: many
-- threads that wait outweigh a busy device. Time in which a track recorded nothing is in no share. The five add up to 1.
-- Asynchronous spans have no self time, and starting and ending the capture (host_rules) is in no share either. On CPUs
-- the threads that execute ops are tracks of both.
-- Needs: host events.
-- NULL: all five where host events were left out or not recorded on a host, and where no track recorded any time.
CREATE VIEW track_shares (
  -- Handle of the run.
  run,
  -- Self time of all tracks, in picoseconds.
  self_ps,
  -- Compute self time on devices / self time of all tracks.
  track_compute_share,
  -- Communication self time on devices / self time of all tracks.
  track_communication_share,
  -- Self time of host events that are neither waits nor step markers / self time of all tracks.
  track_host_share,
  -- Self time of synchronisation on devices and of waits on hosts (host_rules) / self time of all tracks.
  track_stall_share,
  -- Copies and control flow on devices and step markers on hosts / self time of all tracks.
  track_other_share
) AS
WITH
devices_of AS (
  SELECT
    run, sum(compute_self_ps) AS compute_ps, sum(communication_self_ps) AS communication_ps,
    sum(sync_self_ps) AS sync_ps, sum(copy_self_ps + control_self_ps) AS other_ps
  FROM step_breakdown
  WHERE step_num IS NULL
  GROUP BY run
),
hosts_of AS (
  SELECT
    s.run, count(DISTINCT s.host) AS host_count,
    sum(CASE WHEN coalesce(s.role, '') IN ('wait', 'marker', 'profiler') THEN 0 ELSE s.self_ps END) AS work_ps,
    sum(CASE WHEN s.role = 'wait' THEN s.self_ps ELSE 0 END) AS wait_ps,
    sum(CASE WHEN s.role = 'marker' THEN s.self_ps ELSE 0 END) AS marker_ps
  FROM host_stats s
  GROUP BY s.run
),
files_of AS (
  SELECT run, count(DISTINCT host) AS host_count FROM profile_files GROUP BY run
),
-- A host without events would be missing from numerators and denominator alike.
sums AS (
  SELECT
    h.run, coalesce(d.compute_ps, 0) AS compute_ps, coalesce(d.communication_ps, 0) AS communication_ps, h.work_ps,
    coalesce(d.sync_ps, 0) + h.wait_ps AS stall_ps, coalesce(d.other_ps, 0) + h.marker_ps AS other_ps
  FROM hosts_of h
  LEFT JOIN files_of f ON f.run = h.run
  LEFT JOIN devices_of d ON d.run = h.run
  WHERE h.host_count >= coalesce(f.host_count, 1)
),
tracks AS (
  SELECT
    run, compute_ps, communication_ps, work_ps, stall_ps, other_ps,
    compute_ps + communication_ps + work_ps + stall_ps + other_ps AS self_ps
  FROM sums
)
SELECT
  r.run, CAST(t.self_ps AS BIGINT) AS self_ps,
  CAST(t.compute_ps AS DOUBLE) / nullif(CAST(t.self_ps AS DOUBLE), 0) AS track_compute_share,
  CAST(t.communication_ps AS DOUBLE) / nullif(CAST(t.self_ps AS DOUBLE), 0) AS track_communication_share,
  CAST(t.work_ps AS DOUBLE) / nullif(CAST(t.self_ps AS DOUBLE), 0) AS track_host_share,
  CAST(t.stall_ps AS DOUBLE) / nullif(CAST(t.self_ps AS DOUBLE), 0) AS track_stall_share,
  CAST(t.other_ps AS DOUBLE) / nullif(CAST(t.self_ps AS DOUBLE), 0) AS track_other_share
FROM runs r
LEFT JOIN tracks t ON t.run = r.run
ORDER BY r.run;
