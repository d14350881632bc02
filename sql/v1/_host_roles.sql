-- One row per (run, name): what the host events of a name are: marker of steps, or wait, launch or profiler (host_rules).
-- Names that are none of these are not here. Each distinct name is matched once.
CREATE VIEW _host_roles AS
WITH
roles AS (
  SELECT run, name, 0 AS rank, 'marker' AS role FROM steps WHERE name IS NOT NULL AND source <> 'module'
  UNION ALL
  SELECT n.run, n.name, 1, r.role
  FROM (SELECT DISTINCT run, name FROM host_stats) n
  JOIN host_rules r ON regexp_matches(n.name, '(?s)^(?:' || r.pattern || ')\z')
)
SELECT run, name, min_by(role, rank) AS role
FROM roles
GROUP BY run, name;
