-- One row per (run, host, name, state): idle time of a host's devices by what its dispatching thread did meanwhile.
-- Idle is the run's window without the union of all op executions and transfers of a device; the time is summed over
-- the devices. state: waiting (the thread was in a wait, or in anything inside one), working (in other events) or
-- untraced (in no recorded event, or in none but a step marker, in which anything may happen). name is the innermost
-- event; NULL for untraced. One sweep: each event and each idle span adds a + and a - point.
CREATE VIEW _host_idle AS
WITH
pairs AS (
  SELECT run, host, device, min(start_ps) AS start_ps, max(start_ps + duration_ps) AS end_ps
  FROM op_events
  WHERE pair_id IS NOT NULL AND start_ps IS NOT NULL
  GROUP BY run, host, device, pair_id
),
-- What runs inside another execution is busy with it.
busy AS (
  SELECT run, host, device, start_ps, start_ps + duration_ps AS end_ps
  FROM op_events
  WHERE start_ps IS NOT NULL AND duration_ps > 0 AND parent_op_id IS NULL
  UNION ALL
  SELECT run, host, device, start_ps, end_ps FROM pairs
),
followed AS (
  SELECT
    run, host, device, start_ps, end_ps,
    max(end_ps) OVER (
      PARTITION BY run, host, device ORDER BY start_ps ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
    ) AS earlier_end_ps
  FROM busy
),
device_windows AS (
  SELECT d.run, d.host, d.device, r.window_start_ps AS start_ps, r.window_start_ps + r.window_ps AS end_ps
  FROM _main_devices d
  JOIN runs r ON r.run = d.run
),
idle AS (
  SELECT f.run, f.host, f.device, coalesce(f.earlier_end_ps, w.start_ps) AS start_ps, f.start_ps AS end_ps
  FROM followed f
  JOIN device_windows w ON w.run = f.run AND w.host = f.host AND w.device = f.device
  WHERE f.start_ps > coalesce(f.earlier_end_ps, w.start_ps)
  UNION ALL
  -- Behind the last execution; all of the window where every execution is aggregated.
  SELECT w.run, w.host, w.device, coalesce(max(f.end_ps), w.start_ps), w.end_ps
  FROM device_windows w
  LEFT JOIN followed f ON f.run = w.run AND f.host = w.host AND f.device = w.device
  GROUP BY w.run, w.host, w.device, w.start_ps, w.end_ps
),
events AS (
  SELECT
    e.run, e.host, e.name, e.start_ps, e.start_ps + e.duration_ps AS end_ps, e.duration_ps,
    CASE WHEN r.role = 'wait' THEN 1 ELSE 0 END AS wait
  FROM host_events e
  JOIN _dispatch_threads t ON t.run = e.run AND t.host = e.host AND t.thread = e.thread
  LEFT JOIN _host_roles r ON r.run = e.run AND r.name = e.name
  WHERE e.start_ps IS NOT NULL AND e.duration_ps > 0 AND coalesce(r.role, '') <> 'marker'
),
-- At one instant events end before others start, and of those that start the longest is outermost.
points AS (
  SELECT run, host, start_ps AS at_ps, 2 AS rank, -duration_ps AS nesting, name, 1 AS depth, wait, 0 AS idle
  FROM events
  UNION ALL
  SELECT run, host, end_ps, 0, 0, NULL, -1, -wait, 0 FROM events
  UNION ALL
  SELECT run, host, start_ps, 1, 0, NULL, 0, 0, 1 FROM idle
  UNION ALL
  SELECT run, host, end_ps, 1, 0, NULL, 0, 0, -1 FROM idle
),
running AS (
  SELECT
    run, host, name, row_number() OVER so_far AS number, lead(at_ps) OVER so_far - at_ps AS span_ps,
    sum(depth) OVER so_far AS depth, sum(wait) OVER so_far AS wait, sum(idle) OVER so_far AS idle
  FROM points
  WINDOW so_far AS (PARTITION BY run, host ORDER BY at_ps, rank, nesting, name)
),
-- At every depth the event that opened last is the one that is open there.
numbered AS (
  SELECT
    run, host, name, span_ps, depth, wait, idle, count(name) OVER (
      PARTITION BY run, host, depth ORDER BY number ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW
    ) AS opened
  FROM running
),
named AS (
  SELECT
    run, host, span_ps * idle AS idle_ps,
    CASE WHEN depth > 0 THEN max(name) OVER (PARTITION BY run, host, depth, opened) END AS name,
    CASE WHEN wait > 0 THEN 'waiting' WHEN depth > 0 THEN 'working' ELSE 'untraced' END AS state
  FROM numbered
)
SELECT run, host, name, state, CAST(sum(idle_ps) AS BIGINT) AS idle_ps
FROM named
WHERE idle_ps > 0
GROUP BY run, host, name, state;
