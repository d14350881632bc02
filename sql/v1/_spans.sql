-- One row per (run, host, device, start_ps, segment): a span of time in which the same categories run on a device.
-- part is one of the seven parts of step_breakdown. A segment ends where a window starts or ends, so that every
-- window is a row of whole segments. The sweep has a +1 and a -1 point per interval, windows' ends are points too.
CREATE VIEW _spans AS
WITH
-- Materialized: read straight from its joins, the window below took 2.5 times as long (1 M events, DuckDB 2.0).
points AS MATERIALIZED (
  SELECT run, host, device, start_ps AS at_ps, 1 AS step, category, suspended, 0 AS is_boundary FROM _intervals
  WHERE category IS DISTINCT FROM suspended
  UNION ALL
  SELECT run, host, device, end_ps, -1, category, suspended, 0 FROM _intervals
  WHERE category IS DISTINCT FROM suspended
  UNION ALL
  SELECT run, host, device, start_ps, 0, NULL, NULL, 1 FROM _windows
  UNION ALL
  SELECT run, host, device, start_ps + window_ps, 0, NULL, NULL, 1 FROM _windows
),
changes AS (
  SELECT
    run, host, device, at_ps, is_boundary,
    CASE WHEN category = 'compute' THEN step ELSE 0 END
      - CASE WHEN suspended = 'compute' THEN step ELSE 0 END AS compute,
    CASE WHEN category = 'communication' THEN step ELSE 0 END
      - CASE WHEN suspended = 'communication' THEN step ELSE 0 END AS communication,
    CASE WHEN category = 'copy' THEN step ELSE 0 END
      - CASE WHEN suspended = 'copy' THEN step ELSE 0 END AS copy,
    CASE WHEN category = 'sync' THEN step ELSE 0 END
      - CASE WHEN suspended = 'sync' THEN step ELSE 0 END AS sync,
    CASE WHEN category = 'control' THEN step ELSE 0 END
      - CASE WHEN suspended = 'control' THEN step ELSE 0 END AS control
  FROM points
),
running AS (
  SELECT
    run, host, device, at_ps,
    lead(at_ps) OVER device_time - at_ps AS span_ps,
    sum(is_boundary) OVER so_far AS segment,
    sum(compute) OVER so_far AS compute,
    sum(communication) OVER so_far AS communication,
    sum(copy) OVER so_far AS copy,
    sum(sync) OVER so_far AS sync,
    sum(control) OVER so_far AS control
  FROM changes
  WINDOW
    device_time AS (PARTITION BY run, host, device ORDER BY at_ps),
    so_far AS (PARTITION BY run, host, device ORDER BY at_ps ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW)
)
SELECT
  run, host, device, at_ps AS start_ps, span_ps, segment,
  CASE
    WHEN compute > 0 AND communication > 0 THEN 'overlapped'
    WHEN compute > 0 THEN 'compute_only'
    WHEN communication > 0 THEN 'comm_exposed'
    WHEN copy > 0 THEN 'copy'
    WHEN sync > 0 THEN 'sync'
    WHEN control > 0 THEN 'control'
    ELSE 'idle'
  END AS part
FROM running
WHERE span_ps > 0;
