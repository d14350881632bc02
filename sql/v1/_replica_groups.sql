-- One row per (run, replica_groups): how many devices one group has and along which axes of the mesh it lies.
-- Groups over mesh axes, as mesh[data=4,model=2] {data}, name them; where XLA numbered the axes (axis_0), the names are
-- those of runs.mesh if the sizes agree. Lists and iotas lie along the axes in which the members of the first group
-- differ, if these make up the whole group.
CREATE VIEW _replica_groups AS
WITH
by_list AS (
  SELECT run, replica_groups, count(*) AS group_device_count
  FROM _group_members
  WHERE group_number = 0
  GROUP BY run, replica_groups
),
spread AS (
  SELECT m.run, m.replica_groups, a.axis, a.name, a.size
  FROM _group_members m
  JOIN _mesh_axes a ON a.run = m.run
  WHERE m.group_number = 0
  GROUP BY m.run, m.replica_groups, a.axis, a.name, a.size, a.stride
  HAVING count(DISTINCT (m.member // nullif(a.stride, 0)) % nullif(a.size, 0)) > 1
),
texts AS (
  SELECT DISTINCT
    run, replica_groups, string_split(regexp_extract(replica_groups, '^mesh\[([^\]]*)\]', 1), ',') AS axes,
    string_split(regexp_extract(replica_groups, '\{([^}]*)\}$', 1), ',') AS used
  FROM ops
  WHERE regexp_matches(replica_groups, '^mesh\[[^\]]+=[0-9]+\] \{[^}]+\}$')
),
mesh_axes AS (
  SELECT
    t.run, t.replica_groups, t.used, n.axis, regexp_extract(t.axes[n.axis], '^(.*)=', 1) AS own_name,
    CAST(regexp_extract(t.axes[n.axis], '=([0-9]+)$', 1) AS BIGINT) AS size
  FROM texts t
  CROSS JOIN unnest(range(1, array_length(t.axes) + 1)) AS n(axis)
),
used_axes AS (
  SELECT
    t.run, t.replica_groups, t.axis, t.size,
    CASE WHEN regexp_matches(t.own_name, '^axis_[0-9]+$') THEN a.name ELSE t.own_name END AS name
  FROM mesh_axes t
  LEFT JOIN _mesh_axes a ON a.run = t.run AND a.axis = t.axis AND a.size = t.size
  WHERE list_contains(t.used, t.own_name)
),
along AS (
  SELECT run, replica_groups, axis, name, size FROM spread
  UNION ALL
  SELECT run, replica_groups, axis, name, size FROM used_axes
),
-- Axes in the order of the mesh: their numbers lead the names until they are sorted.
sorted AS (
  SELECT
    run, replica_groups, CAST(round(exp(sum(ln(CAST(size AS DOUBLE))))) AS BIGINT) AS size,
    CASE WHEN bool_and(name IS NOT NULL) THEN array_to_string(
      list_sort(list(DISTINCT CAST(1000 + axis AS VARCHAR) || ':' || name)), '+'
    ) END AS names
  FROM along
  GROUP BY run, replica_groups
)
SELECT
  coalesce(s.run, l.run) AS run, coalesce(s.replica_groups, l.replica_groups) AS replica_groups,
  coalesce(l.group_device_count, s.size) AS group_device_count,
  CASE WHEN l.group_device_count IS NULL OR l.group_device_count = s.size
    THEN regexp_replace(s.names, '(^|[+])[0-9]+:', '\1', 'g') END AS mesh_axis
FROM by_list l
FULL JOIN sorted s ON s.run = l.run AND s.replica_groups = l.replica_groups;
