-- One row per (run, collective): the collectives of one kind, over all devices and the whole capture.
-- Start, done and async twin of one asynchronous collective are one execution. Times are sums over devices; where two
-- kinds run at once, the time is in both rows. The mesh is read from runs.mesh as "data=4,model=2", row-major.
-- Needs: device ops; HLO text or protos for replica groups; runs.mesh for the axis where HLO does not name it.
-- NULL: collective where nothing tells the kind; total_bytes and bytes_per_s where an execution does not tell its
-- bytes; replica_groups where HLO was not captured; group_device_count where groups differ; mesh_axis where it is unknown.
CREATE VIEW collectives (
  -- Handle of the run.
  run,
  -- Kind of the collective, as HLO names it: all-gather, reduce-scatter ...
  collective,
  -- Distinct ops; start and done count once.
  op_count,
  -- Devices that executed any.
  device_count,
  -- Executions on all devices.
  count,
  -- Sum of durations, in picoseconds.
  total_ps,
  -- Duration of one execution: total_ps / count, in picoseconds.
  average_ps,
  -- Time in which one or more of them ran, in picoseconds.
  span_ps,
  -- Part of span_ps in which no compute ran, in picoseconds.
  exposed_ps,
  -- The rest of span_ps, in which compute ran, in picoseconds.
  overlapped_ps,
  -- span_ps / window of the run on those devices.
  window_share,
  -- exposed_ps / window of the run on those devices.
  exposed_share,
  -- Memory that the executions accessed, in bytes.
  total_bytes,
  -- Bytes accessed / total_ps, per second.
  bytes_per_s,
  -- Distinct replica groups, as HLO text.
  replica_groups,
  -- Devices in a group.
  group_device_count,
  -- Axes of the mesh along which the groups lie, as data or data+model; several kinds of groups by comma.
  mesh_axis
) AS
WITH
totals AS (
  SELECT
    run, coalesce(collective, '') AS collective, count(*) AS device_count, sum(count) AS count,
    sum(total_ps) AS total_ps, sum(span_ps) AS span_ps, sum(exposed_ps) AS exposed_ps,
    sum(overlapped_ps) AS overlapped_ps,
    CASE WHEN bool_and(total_bytes IS NOT NULL) THEN TRY_CAST(sum(total_bytes) AS BIGINT) END AS total_bytes
  FROM collective_stats
  GROUP BY run, coalesce(collective, '')
),
kinds AS (
  SELECT
    c.run, coalesce(c.collective, '') AS collective,
    count(*) FILTER (WHERE NOT regexp_matches(coalesce(o.opcode, o.hlo_op, ''), '-done([._][0-9]+)*$')) AS op_count,
    list_sort(list(DISTINCT o.replica_groups) FILTER (WHERE o.replica_groups IS NOT NULL)) AS replica_groups,
    CASE WHEN min(g.group_device_count) = max(g.group_device_count) AND bool_and(o.replica_groups IS NULL OR g.group_device_count IS NOT NULL)
      THEN min(g.group_device_count) END AS group_device_count,
    CASE WHEN bool_and(o.replica_groups IS NULL OR g.mesh_axis IS NOT NULL) THEN nullif(
      array_to_string(list_sort(list(DISTINCT g.mesh_axis) FILTER (WHERE g.mesh_axis IS NOT NULL)), ','), ''
    ) END AS mesh_axis
  FROM op_classes c
  JOIN ops o ON o.run = c.run AND o.op_id = c.op_id
  LEFT JOIN _replica_groups g ON g.run = o.run AND g.replica_groups = o.replica_groups
  WHERE c.category = 'communication'
  GROUP BY c.run, coalesce(c.collective, '')
)
SELECT
  t.run, nullif(t.collective, '') AS collective, k.op_count, t.device_count, CAST(t.count AS BIGINT) AS count,
  CAST(t.total_ps AS BIGINT) AS total_ps,
  CAST(round(CAST(t.total_ps AS DOUBLE) / nullif(CAST(t.count AS DOUBLE), 0)) AS BIGINT) AS average_ps,
  CAST(t.span_ps AS BIGINT) AS span_ps, CAST(t.exposed_ps AS BIGINT) AS exposed_ps,
  CAST(t.overlapped_ps AS BIGINT) AS overlapped_ps,
  CAST(t.span_ps AS DOUBLE) / nullif(CAST(r.window_ps AS DOUBLE) * t.device_count, 0) AS window_share,
  CAST(t.exposed_ps AS DOUBLE) / nullif(CAST(r.window_ps AS DOUBLE) * t.device_count, 0) AS exposed_share,
  t.total_bytes,
  CAST(t.total_bytes AS DOUBLE) / nullif(CAST(t.total_ps AS DOUBLE) / 1000000000000, 0) AS bytes_per_s,
  k.replica_groups, k.group_device_count, k.mesh_axis
FROM totals t
JOIN runs r ON r.run = t.run
LEFT JOIN kinds k ON k.run = t.run AND k.collective = t.collective
ORDER BY t.run, t.total_ps DESC, collective;
