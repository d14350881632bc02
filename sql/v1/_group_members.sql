-- One row per (run, replica_groups, member): a device position in the groups of a collective, by its HLO text.
-- Of the forms {{0,1},{2,3}} and [groups,size]<=[dims]T(perm); {} and groups over mesh axes list no members.
-- group_number counts from 0.
CREATE VIEW _group_members AS
WITH
texts AS (
  SELECT DISTINCT run, replica_groups FROM ops WHERE replica_groups IS NOT NULL
),
lists AS (
  SELECT
    run, replica_groups, string_split(substring(replica_groups, 3, length(replica_groups) - 4), '},{') AS groups
  FROM texts
  WHERE regexp_matches(replica_groups, '^\{\{[0-9]+(,[0-9]+)*\}(,\{[0-9]+(,[0-9]+)*\})*\}$')
),
listed AS (
  SELECT l.run, l.replica_groups, g.number - 1 AS group_number, CAST(m.id AS BIGINT) AS member
  FROM lists l
  CROSS JOIN unnest(range(1, array_length(l.groups) + 1)) AS g(number)
  CROSS JOIN unnest(string_split(l.groups[g.number], ',')) AS m(id)
),
-- The ids 0, 1, 2 ... fill a box of the dims, whose axes perm then reorders; groups are cut off what results.
iota AS (
  SELECT
    run, replica_groups, CAST(regexp_extract(replica_groups, '^\[([0-9]+),', 1) AS BIGINT) AS group_count,
    CAST(regexp_extract(replica_groups, '^\[[0-9]+,([0-9]+)\]', 1) AS BIGINT) AS group_size,
    string_split(regexp_extract(replica_groups, '<=\[([0-9,]+)\]', 1), ',') AS dims,
    string_split(nullif(regexp_extract(replica_groups, 'T\(([0-9,]+)\)$', 1), ''), ',') AS perm
  FROM texts
  WHERE regexp_matches(replica_groups, '^\[[0-9]+,[0-9]+\]<=\[[0-9,]+\](T\([0-9,]+\))?$')
),
-- axis is the position in the reordered box, source that in dims; both count from 1.
axes AS (
  SELECT
    i.run, i.replica_groups, i.group_count, i.group_size, i.dims, a.axis,
    CASE WHEN i.perm IS NULL THEN a.axis ELSE CAST(i.perm[a.axis] AS BIGINT) + 1 END AS source
  FROM iota i
  CROSS JOIN unnest(range(1, array_length(i.dims) + 1)) AS a(axis)
),
strides AS (
  SELECT
    a.run, a.replica_groups, a.group_count, a.group_size, a.axis, CAST(a.dims[a.source] AS BIGINT) AS size,
    CAST(round(coalesce(exp(sum(ln(CAST(b.dims[b.source] AS DOUBLE))) FILTER (WHERE b.axis > a.axis)), 1)) AS BIGINT)
      AS stride,
    CAST(round(coalesce(exp(sum(ln(CAST(b.dims[b.source] AS DOUBLE))) FILTER (WHERE b.source > a.source)), 1)) AS BIGINT)
      AS source_stride
  FROM axes a
  JOIN axes b ON b.run = a.run AND b.replica_groups = a.replica_groups
  GROUP BY a.run, a.replica_groups, a.group_count, a.group_size, a.axis, a.dims, a.source
)
SELECT run, replica_groups, group_number, member FROM listed
UNION ALL
SELECT
  s.run, s.replica_groups, p.position // nullif(s.group_size, 0) AS group_number,
  CAST(sum((p.position // nullif(s.stride, 0)) % nullif(s.size, 0) * s.source_stride) AS BIGINT) AS member
FROM strides s
CROSS JOIN unnest(range(0, s.group_count * s.group_size)) AS p(position)
GROUP BY s.run, s.replica_groups, s.group_size, p.position;
