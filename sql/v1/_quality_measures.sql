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
)
SELECT
  run, host, 'unattributed_share' AS check_name, NULL AS reason,
  CAST(unattributed_ps AS DOUBLE) / nullif(CAST(capture_ps AS DOUBLE), 0) AS value
FROM assignment
WHERE capture_ps > 0
UNION ALL
SELECT run, host, 'time_assigned_share', NULL, CAST(by_time_ps AS DOUBLE) / nullif(CAST(capture_ps AS DOUBLE), 0)
FROM assignment
WHERE steps_ps > 0
UNION ALL
SELECT
  run, host, 'unassigned_share', NULL,
  CAST(capture_ps - steps_ps AS DOUBLE) / nullif(CAST(capture_ps AS DOUBLE), 0)
FROM assignment
WHERE steps_ps > 0
UNION ALL
SELECT
  run, NULL, 'missing_host',
  CASE WHEN expected_host_count IS NULL
    THEN 'nothing tells how many hosts the run used: whether one is missing is unknown' END,
  -- greatest() passes over a NULL.
  CASE WHEN expected_host_count IS NOT NULL
    THEN CAST(greatest(expected_host_count - host_count, 0) AS DOUBLE) END
FROM runs
UNION ALL
SELECT run, NULL, 'missing_process', NULL, CAST(greatest(expected_process_count - process_count, 0) AS DOUBLE)
FROM runs
WHERE expected_process_count IS NOT NULL
UNION ALL
SELECT run, NULL, 'missing_device', NULL, CAST(greatest(expected_device_count - device_count, 0) AS DOUBLE)
FROM runs
WHERE expected_device_count IS NOT NULL
UNION ALL
SELECT run, NULL, 'no_device_ops', NULL, CASE WHEN coalesce(device_count, 0) = 0 THEN 1e0 ELSE 0e0 END FROM runs
UNION ALL
SELECT
  c.run, c.host, 'devices_per_core',
  CASE WHEN r.facts['host_cpu_count'] IS NULL
    THEN 'nothing tells how many cores the host has: whether its CPU devices wait for each other is unknown' END,
  CAST(c.device_count AS DOUBLE) / nullif(CAST(r.facts['host_cpu_count'] AS DOUBLE), 0)
FROM cpus c
JOIN runs r ON r.run = c.run
WHERE c.device_count > 1;
