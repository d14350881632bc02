-- One row per (run, host, device) and collective that it and others executed together: a meeting of devices.
-- Devices meet in the same op, the same step and the same turn of it, where each of them executed it as often; and by
-- replica groups where HLO tells them. A group of all devices needs no more; of smaller ones the members are
-- positions in the device assignment, which are the ordinals of the devices where one process drives all CPUs or GPUs.
-- Else there is no row. Point-to-point kinds (collective-permute, send, recv) have no common start and are left out.
CREATE VIEW _meetings AS
WITH
halves AS (
  SELECT
    e.run, e.host, e.device, e.op_id, e.step_num, e.pair_id, e.start_ps, e.start_ps + e.duration_ps AS end_ps,
    o.replica_groups
  FROM op_events e
  JOIN op_classes c ON c.run = e.run AND c.op_id = e.op_id
  JOIN ops o ON o.run = e.run AND o.op_id = e.op_id
  JOIN _main_devices d ON d.run = e.run AND d.host = e.host AND d.device = e.device
  WHERE e.start_ps IS NOT NULL AND c.collective IN (
    'all-reduce', 'all-gather', 'reduce-scatter', 'all-to-all', 'ragged-all-to-all', 'collective-broadcast'
  )
),
executions AS (
  SELECT run, host, device, op_id, step_num, start_ps, end_ps, replica_groups FROM halves WHERE pair_id IS NULL
  UNION ALL
  SELECT run, host, device, min(op_id), min(step_num), min(start_ps), max(end_ps), max(replica_groups)
  FROM halves
  WHERE pair_id IS NOT NULL
  GROUP BY run, host, device, pair_id
),
turns AS (
  SELECT
    run, host, device, op_id, step_num, start_ps, end_ps, replica_groups,
    row_number() OVER (PARTITION BY run, host, device, op_id, step_num ORDER BY start_ps, end_ps) AS turn,
    count(*) OVER (PARTITION BY run, host, device, op_id, step_num) AS turn_count
  FROM executions
),
sizes AS (
  SELECT
    run, count(*) AS device_count, count(DISTINCT host) AS host_count,
    bool_and(device LIKE 'CPU:%' OR device LIKE 'GPU:%') AS is_ordinal
  FROM _main_devices
  GROUP BY run
),
grouped AS (
  SELECT
    t.run, t.host, t.device, t.op_id, t.step_num, t.turn, t.turn_count, t.start_ps, t.end_ps,
    coalesce(m.group_number, 0) AS group_number,
    CASE
      WHEN t.replica_groups IS NULL OR t.replica_groups = '{}' THEN s.device_count
      ELSE g.group_device_count
    END AS member_count,
    t.replica_groups IS NULL OR t.replica_groups = '{}' OR g.group_device_count = s.device_count
      OR (m.group_number IS NOT NULL AND s.host_count = 1 AND s.is_ordinal) AS is_known
  FROM turns t
  JOIN sizes s ON s.run = t.run
  JOIN devices d ON d.run = t.run AND d.host = t.host AND d.device = t.device
  LEFT JOIN _replica_groups g ON g.run = t.run AND g.replica_groups = t.replica_groups
  LEFT JOIN _group_members m
    ON m.run = t.run AND m.replica_groups = t.replica_groups AND m.member = d.ordinal
    AND g.group_device_count < s.device_count
),
met AS (
  SELECT
    run, host, device, op_id, step_num, group_number, turn, start_ps, end_ps, member_count,
    count(*) OVER meeting AS met_count, min(turn_count) OVER meeting AS least_turns,
    max(turn_count) OVER meeting AS most_turns, min(start_ps) OVER meeting AS first_start_ps,
    max(start_ps) OVER meeting AS last_start_ps
  FROM grouped
  WHERE is_known
  WINDOW meeting AS (PARTITION BY run, op_id, step_num, group_number, turn)
)
SELECT
  run, host, device, op_id, step_num, group_number, turn, start_ps, last_start_ps,
  first_start_ps < last_start_ps AND row_number() OVER (
    PARTITION BY run, op_id, step_num, group_number, turn ORDER BY start_ps DESC, host, device
  ) = 1 AS is_last,
  -- Who left before the last one came waited until then.
  least(end_ps, last_start_ps) - start_ps AS wait_ps
FROM met
WHERE met_count > 1 AND met_count = member_count AND least_turns = most_turns;
