-- One row per (run, host, device): how long others waited for the device in collectives, and it for them.
-- A device arrives when its execution of the collective starts; the others have waited since they arrived. Wait is time
-- in a collective: an asynchronous one may hide it behind compute. Between hosts it is as exact as their clocks.
-- Where HLO does not tell the replica groups, all devices are taken as one group. Over the whole capture.
-- Needs: collectives on two or more devices, steps that are numbered alike on all hosts, and all devices of the run.
-- NULL: all numbers where status is "cannot tell", and reason says why; reason where status is ok.
CREATE VIEW stragglers (
  -- Handle of the run.
  run,
  -- Host.
  host,
  -- Device.
  device,
  -- ok, or cannot tell.
  status,
  -- Why it cannot be told.
  reason,
  -- Collectives that the device and others executed together.
  count,
  -- Times the device arrived last.
  last_count,
  -- last_count / count.
  last_share,
  -- Wait of all others for the device where it was last, in picoseconds.
  wait_caused_ps,
  -- Wait of the device for the last one, in picoseconds.
  wait_suffered_ps,
  -- wait_suffered_ps / window of the run.
  wait_share
) AS
WITH
captured AS (
  SELECT
    d.run, count(*) AS device_count, count(DISTINCT d.host) AS host_count
  FROM _main_devices d
  GROUP BY d.run
),
clocks AS (
  SELECT run FROM quality_events WHERE check_name = 'clock_unknown'
  UNION
  SELECT run FROM profile_files WHERE host_offset_ps IS NULL
),
reasons AS (
  SELECT
    r.run,
    CASE
      WHEN c.device_count = 1 THEN 'only one device was captured'
      WHEN r.expected_device_count > r.device_count OR r.expected_host_count > r.host_count
        OR r.expected_process_count > r.process_count OR r.is_partial
        THEN 'not all devices were captured: the last to arrive may be another one'
      WHEN c.host_count > 1 AND k.run IS NOT NULL THEN 'the clocks of the hosts are not comparable'
      WHEN c.host_count > 1 AND coalesce(r.step_source, 'module') = 'module'
        THEN 'no step markers: which executions of different hosts belong together is unknown'
    END AS reason
  FROM runs r
  JOIN captured c ON c.run = r.run
  LEFT JOIN clocks k ON k.run = r.run
),
waits AS (
  SELECT
    run, host, device, count(*) AS count, count(*) FILTER (WHERE is_last) AS last_count, sum(wait_ps) AS suffered_ps
  FROM _meetings
  GROUP BY run, host, device
),
meetings AS (
  SELECT run, op_id, step_num, group_number, turn, sum(wait_ps) AS wait_ps
  FROM _meetings
  GROUP BY run, op_id, step_num, group_number, turn
),
causes AS (
  SELECT l.run, l.host, l.device, sum(m.wait_ps) AS caused_ps
  FROM _meetings l
  JOIN meetings m
    ON m.run = l.run AND m.op_id = l.op_id AND m.step_num IS NOT DISTINCT FROM l.step_num
    AND m.group_number = l.group_number AND m.turn = l.turn
  WHERE l.is_last
  GROUP BY l.run, l.host, l.device
),
told AS (
  SELECT
    d.run, d.host, d.device, r.window_ps, w.count, w.last_count, coalesce(c.caused_ps, 0) AS caused_ps, w.suffered_ps,
    CASE
      WHEN q.reason IS NOT NULL THEN q.reason
      WHEN k.run IS NULL THEN 'no collective was recorded on the device'
      WHEN w.count IS NULL THEN 'no collective of the device could be matched with those of others'
    END AS reason
  FROM _main_devices d
  JOIN runs r ON r.run = d.run
  JOIN reasons q ON q.run = d.run
  LEFT JOIN (
    SELECT DISTINCT run, host, device FROM collective_stats
  ) k ON k.run = d.run AND k.host = d.host AND k.device = d.device
  LEFT JOIN waits w ON w.run = d.run AND w.host = d.host AND w.device = d.device
  LEFT JOIN causes c ON c.run = d.run AND c.host = d.host AND c.device = d.device
)
SELECT
  run, host, device, CASE WHEN reason IS NULL THEN 'ok' ELSE 'cannot tell' END AS status, reason,
  CASE WHEN reason IS NULL THEN count END AS count, CASE WHEN reason IS NULL THEN last_count END AS last_count,
  CASE WHEN reason IS NULL THEN CAST(last_count AS DOUBLE) / nullif(CAST(count AS DOUBLE), 0) END AS last_share,
  CASE WHEN reason IS NULL THEN CAST(caused_ps AS BIGINT) END AS wait_caused_ps,
  CASE WHEN reason IS NULL THEN CAST(suffered_ps AS BIGINT) END AS wait_suffered_ps,
  CASE WHEN reason IS NULL THEN CAST(suffered_ps AS DOUBLE) / nullif(CAST(window_ps AS DOUBLE), 0) END AS wait_share
FROM told
ORDER BY run, wait_caused_ps DESC NULLS LAST, host, device;
