-- One row per (device_number, start_ps, segment): a span of time in which the same categories run on a device.
-- part is one of the seven parts of step_breakdown. A segment ends where a window starts or ends, so that every
-- window is a row of whole segments. The sweep has a +1 and a -1 point per interval, windows' ends are points too.
-- The running sums follow the order of the sorted points, which DuckDB keeps; with an ORDER BY in the window they
-- took seven times as long (1 M events). A device's counts are all 0 again where the next device begins.
CREATE VIEW _spans AS
WITH
intervals AS (
  SELECT n.device_number, i.start_ps, i.end_ps, i.category, i.suspended
  FROM _intervals i
  JOIN _device_numbers n ON n.run = i.run AND n.host = i.host AND n.device = i.device
  WHERE i.category IS DISTINCT FROM i.suspended
),
points AS (
  SELECT device_number, start_ps AS at_ps, 1 AS step, category, suspended, 0 AS is_boundary FROM intervals
  UNION ALL
  SELECT device_number, end_ps, -1, category, suspended, 0 FROM intervals
  UNION ALL
  SELECT n.device_number, unnest([w.start_ps, w.start_ps + w.window_ps]), 0, NULL, NULL, 1
  FROM _windows w
  JOIN _device_numbers n ON n.run = w.run AND n.host = w.host AND n.device = w.device
),
changes AS (
  SELECT
    device_number, at_ps, CAST(is_boundary AS TINYINT) AS is_boundary,
    CAST(CASE 'compute' WHEN category THEN step WHEN suspended THEN -step ELSE 0 END AS TINYINT) AS compute,
    CAST(CASE 'communication' WHEN category THEN step WHEN suspended THEN -step ELSE 0 END AS TINYINT) AS communication,
    CAST(CASE 'copy' WHEN category THEN step WHEN suspended THEN -step ELSE 0 END AS TINYINT) AS copy,
    CAST(CASE 'sync' WHEN category THEN step WHEN suspended THEN -step ELSE 0 END AS TINYINT) AS sync,
    CAST(CASE 'control' WHEN category THEN step WHEN suspended THEN -step ELSE 0 END AS TINYINT) AS control
  FROM points
  ORDER BY device_number, at_ps
),
running AS (
  SELECT
    device_number, at_ps,
    lead(device_number) OVER () AS next_number,
    lead(at_ps) OVER () - at_ps AS span_ps,
    sum(is_boundary) OVER so_far AS segment,
    sum(compute) OVER so_far AS compute,
    sum(communication) OVER so_far AS communication,
    sum(copy) OVER so_far AS copy,
    sum(sync) OVER so_far AS sync,
    sum(control) OVER so_far AS control
  FROM changes
  WINDOW so_far AS (ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW)
)
SELECT
  device_number, at_ps AS start_ps, span_ps, segment,
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
WHERE span_ps > 0 AND next_number = device_number;
