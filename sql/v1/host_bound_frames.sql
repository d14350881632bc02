-- One row per (run, host, name): what the host did while its devices waited for it, the longest first.
-- The events of one name of the thread that feeds the devices: idle time of the devices in which it was the innermost
-- event. The rows add up to host_wait_ps of host_bound.
-- Needs: host events.
-- NULL: host_wait_share where the window is empty.
CREATE VIEW host_bound_frames (
  -- Handle of the run.
  run,
  -- Host.
  host,
  -- Position by time within the host, from 1.
  rank,
  -- Name of the events; Python frames start with $.
  name,
  -- Idle time of the devices meanwhile, summed over devices, in picoseconds.
  host_wait_ps,
  -- host_wait_ps / window of the run on the devices of the host.
  host_wait_share
) AS
WITH windows AS (
  SELECT d.run, d.host, CAST(sum(r.window_ps) AS DOUBLE) AS window_ps
  FROM _main_devices d
  JOIN runs r ON r.run = d.run
  GROUP BY d.run, d.host
)
SELECT
  i.run, i.host, row_number() OVER (PARTITION BY i.run, i.host ORDER BY i.idle_ps DESC, i.name) AS rank, i.name,
  i.idle_ps AS host_wait_ps, CAST(i.idle_ps AS DOUBLE) / nullif(w.window_ps, 0) AS host_wait_share
FROM _host_idle i
JOIN windows w ON w.run = i.run AND w.host = i.host
WHERE i.state = 'working'
ORDER BY i.run, i.host, rank;
