-- One row per (run, host, at_ps): where the thread that feeds a host's devices begins (sign 1) or ends (sign -1) to work:
-- to be in an event that is neither a step marker nor a wait, and not inside a wait (host_rules).
-- Events of one instant are summed first, so that the sweep has a row only where something changes.
CREATE VIEW _host_work AS
WITH
events AS (
  SELECT
    e.run, e.host, e.start_ps, e.start_ps + e.duration_ps AS end_ps,
    CASE WHEN r.role = 'wait' THEN 1 ELSE 0 END AS wait
  FROM host_events e
  JOIN _dispatch_threads t ON t.run = e.run AND t.host = e.host AND t.thread = e.thread
  LEFT JOIN _host_roles r ON r.run = e.run AND r.name = e.name
  WHERE e.start_ps IS NOT NULL AND e.duration_ps > 0 AND coalesce(r.role, '') <> 'marker'
),
points AS (
  SELECT run, host, at_ps, sum(depth) AS depth, sum(wait) AS wait
  FROM (
    SELECT run, host, start_ps AS at_ps, 1 AS depth, wait FROM events
    UNION ALL
    SELECT run, host, end_ps, -1, -wait FROM events
  )
  GROUP BY run, host, at_ps
  HAVING sum(depth) <> 0 OR sum(wait) <> 0
),
states AS (
  SELECT run, host, at_ps, sum(depth) OVER so_far > 0 AND sum(wait) OVER so_far = 0 AS is_working
  FROM points
  WINDOW so_far AS (PARTITION BY run, host ORDER BY at_ps)
)
SELECT run, host, at_ps, CASE WHEN is_working THEN 1 ELSE -1 END AS sign
FROM states
QUALIFY is_working <> lag(is_working, 1, false) OVER (PARTITION BY run, host ORDER BY at_ps);
