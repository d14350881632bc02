-- One row per (run, host, check_name): a measure that thresholds judge; value NULL is unknown and reason says why.
-- A check that cannot apply to a run has no row.
CREATE VIEW _quality_measures AS
WITH
step_self AS (
  SELECT
    run, host, step_num IS NULL AS is_capture, time_assigned_self_ps, unattributed_self_ps,
    compute_self_ps + communication_self_ps + copy_self_ps + sync_self_ps + control_self_ps AS self_ps
  FROM step_breakdown
),
assignment AS (
  SELECT
    run, host,
    sum(CASE WHEN is_capture THEN self_ps ELSE 0 END) AS capture_ps,
    sum(CASE WHEN is_capture THEN 0 ELSE self_ps END) AS steps_ps,
    sum(CASE WHEN is_capture THEN time_assigned_self_ps ELSE 0 END) AS by_time_ps,
    sum(CASE WHEN is_capture THEN unattributed_self_ps ELSE 0 END) AS unattributed_ps
  FROM step_self
  GROUP BY run, host
),
cpus AS (
  SELECT d.run, d.host, count(*) AS device_count
  FROM devices d
  WHERE d.core_kind = 'cpu'
  GROUP BY d.run, d.host
),
-- One scan of runs and of step_breakdown for all the measures that they tell.
run_checks AS (
  SELECT check_name
  FROM (VALUES ('missing_host'), ('missing_process'), ('missing_device'), ('no_device_ops')) AS t(check_name)
),
share_checks AS (
  SELECT check_name
  FROM (VALUES ('unattributed_share'), ('time_assigned_share'), ('unassigned_share')) AS t(check_name)
)
SELECT
  a.run, a.host, k.check_name, NULL AS reason,
  CASE k.check_name
    WHEN 'unattributed_share' THEN CAST(a.unattributed_ps AS DOUBLE)
    WHEN 'time_assigned_share' THEN CAST(a.by_time_ps AS DOUBLE)
    ELSE CAST(a.capture_ps - a.steps_ps AS DOUBLE)
  END / nullif(CAST(a.capture_ps AS DOUBLE), 0) AS value
FROM assignment a
CROSS JOIN share_checks k
WHERE CASE k.check_name WHEN 'unattributed_share' THEN a.capture_ps > 0 ELSE a.steps_ps > 0 END
UNION ALL
SELECT
  r.run, NULL, k.check_name,
  CASE WHEN k.check_name = 'missing_host' AND r.expected_host_count IS NULL
    THEN 'nothing tells how many hosts the run used: whether one is missing is unknown' END,
  -- greatest() passes over a NULL.
  CASE k.check_name
    WHEN 'missing_host' THEN CASE WHEN r.expected_host_count IS NOT NULL
      THEN CAST(greatest(r.expected_host_count - r.host_count, 0) AS DOUBLE) END
    WHEN 'missing_process' THEN CAST(greatest(r.expected_process_count - r.process_count, 0) AS DOUBLE)
    WHEN 'missing_device' THEN CAST(greatest(r.expected_device_count - r.device_count, 0) AS DOUBLE)
    ELSE CASE WHEN coalesce(r.device_count, 0) = 0 THEN 1e0 ELSE 0e0 END
  END
FROM runs r
CROSS JOIN run_checks k
WHERE CASE k.check_name
  WHEN 'missing_process' THEN r.expected_process_count IS NOT NULL
  WHEN 'missing_device' THEN r.expected_device_count IS NOT NULL
  ELSE true
END
UNION ALL
SELECT
  c.run, c.host, 'devices_per_core',
  CASE WHEN r.facts['host_cpu_count'] IS NULL
    THEN 'nothing tells how many cores the host has: whether its CPU devices wait for each other is unknown' END,
  CAST(c.device_count AS DOUBLE) / nullif(CAST(r.facts['host_cpu_count'] AS DOUBLE), 0)
FROM cpus c
JOIN runs r ON r.run = c.run
WHERE c.device_count > 1;
