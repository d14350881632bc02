-- One row per (run, axis): an axis of the run's device mesh, from runs.mesh as "data=4,model=2", in row-major order.
-- axis counts from 1; stride is how far apart two devices are that differ by one along the axis.
CREATE VIEW _mesh_axes AS
WITH
meshes AS (
  SELECT run, string_split(replace(mesh, ' ', ''), ',') AS axes
  FROM runs
  WHERE regexp_matches(replace(mesh, ' ', ''), '^[^=,]+=[1-9][0-9]*(,[^=,]+=[1-9][0-9]*)*$')
),
named AS (
  SELECT
    m.run, a.axis, regexp_extract(m.axes[a.axis], '^(.+)=', 1) AS name,
    CAST(regexp_extract(m.axes[a.axis], '=([0-9]+)$', 1) AS BIGINT) AS size
  FROM meshes m
  CROSS JOIN unnest(range(1, array_length(m.axes) + 1)) AS a(axis)
)
SELECT
  n.run, n.axis, n.name, n.size,
  CAST(round(coalesce(exp(sum(ln(CAST(o.size AS DOUBLE))) FILTER (WHERE o.axis > n.axis)), 1)) AS BIGINT) AS stride
FROM named n
JOIN named o ON o.run = n.run
GROUP BY n.run, n.axis, n.name, n.size;
