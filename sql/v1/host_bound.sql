-- One row per (run, host): how much of the window its devices waited for the host, over the whole capture.
-- The idle time of the devices (as in time_breakdown, summed over them) is divided by what the thread that feeds them
-- did meanwhile: the one with the step markers, else the one that spent most time launching programs. It waited
-- (host_rules), it was in another event, or nothing tells. Only the second is the host's: host_wait_share is what is
-- proven, and the truth is at most host_wait_share + untraced_share. host_wait_ps + both_wait_ps + untraced_ps is idle_ps.
-- Needs: host events; with Python's tracer off, much is untraced.
-- NULL: all but idle_ps where host events were left out or no thread is known to feed devices; reason says so.
CREATE VIEW host_bound (
  -- Handle of the run.
  run,
  -- Host.
  host,
  -- Thread that feeds the devices.
  thread,
  -- Devices of the host that executed an op.
  device_count,
  -- Time in which a device did nothing, summed over devices, in picoseconds.
  idle_ps,
  -- Part of idle_ps in which the thread was in an event that is no wait, in picoseconds.
  host_wait_ps,
  -- Part of idle_ps in which the thread waited too, in picoseconds.
  both_wait_ps,
  -- Part of idle_ps in which the thread recorded nothing, or nothing but a step marker, in picoseconds.
  untraced_ps,
  -- host_wait_ps / window of the run on those devices.
  host_wait_share,
  -- untraced_ps / window of the run on those devices.
  untraced_share,
  -- Why the host's part is unknown; NULL where it is known.
  reason
) AS
WITH
devices_of AS (
  SELECT d.run, d.host, count(*) AS device_count, sum(b.idle_ps) AS idle_ps, sum(b.window_ps) AS window_ps
  FROM _main_devices d
  JOIN step_breakdown b ON b.run = d.run AND b.host = d.host AND b.device = d.device AND b.step_num IS NULL
  GROUP BY d.run, d.host
),
states AS (
  SELECT
    run, host,
    coalesce(sum(idle_ps) FILTER (WHERE state = 'working'), 0) AS host_wait_ps,
    coalesce(sum(idle_ps) FILTER (WHERE state = 'waiting'), 0) AS both_wait_ps,
    coalesce(sum(idle_ps) FILTER (WHERE state = 'untraced'), 0) AS untraced_ps
  FROM _host_idle
  GROUP BY run, host
),
recorded AS (
  SELECT DISTINCT run, host FROM host_stats
)
SELECT
  d.run, d.host, t.thread, d.device_count, CAST(d.idle_ps AS BIGINT) AS idle_ps,
  CASE WHEN t.thread IS NOT NULL THEN CAST(coalesce(s.host_wait_ps, 0) AS BIGINT) END AS host_wait_ps,
  CASE WHEN t.thread IS NOT NULL THEN CAST(coalesce(s.both_wait_ps, 0) AS BIGINT) END AS both_wait_ps,
  CASE WHEN t.thread IS NOT NULL THEN CAST(coalesce(s.untraced_ps, 0) AS BIGINT) END AS untraced_ps,
  CASE WHEN t.thread IS NOT NULL
    THEN CAST(coalesce(s.host_wait_ps, 0) AS DOUBLE) / nullif(CAST(d.window_ps AS DOUBLE), 0) END AS host_wait_share,
  CASE WHEN t.thread IS NOT NULL
    THEN CAST(coalesce(s.untraced_ps, 0) AS DOUBLE) / nullif(CAST(d.window_ps AS DOUBLE), 0) END AS untraced_share,
  CASE
    WHEN r.host IS NULL THEN 'host events were left out or not recorded'
    WHEN t.thread IS NULL THEN 'no thread carries step markers or launches that are known'
  END AS reason
FROM devices_of d
LEFT JOIN recorded r ON r.run = d.run AND r.host = d.host
LEFT JOIN _dispatch_threads t ON t.run = d.run AND t.host = d.host
LEFT JOIN states s ON s.run = d.run AND s.host = d.host
ORDER BY d.run, d.host;
