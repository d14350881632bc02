-- One row per (device_number, start_ps, segment): a span of time in which the same categories run on a device.
-- part is one of the seven parts of step_breakdown, from 1 (compute_only) to 7 (idle) in the order of its columns, or
-- 8: idle while the host works. Text took a tenth more of the rollups' time. A segment ends where a window starts or
-- ends, so that every window is a row of whole segments. The sweep has a + and a - point per interval, windows' ends
-- are points too. The running sums follow the order of the sorted points, which DuckDB keeps; with an ORDER BY in the
-- window they took seven times as long (1 M events). A device's loads are all 0 again where the next device begins.
CREATE VIEW _spans AS
WITH
-- work counts the host above its three categories, waiting counts windows' ends above its two.
points AS (
  SELECT device_number, start_ps AS at_ps, work, waiting FROM _intervals
  UNION ALL
  SELECT device_number, end_ps, -work, -waiting FROM _intervals
  UNION ALL
  SELECT n.device_number, h.at_ps, h.sign * 1152921504606846976, 0
  FROM _host_work h
  JOIN _device_numbers n ON n.run = h.run AND n.host = h.host
  UNION ALL
  SELECT n.device_number, unnest([w.start_ps, w.start_ps + w.window_ps]), 0, 1099511627776
  FROM _windows w
  JOIN _device_numbers n ON n.run = w.run AND n.host = w.host AND n.device = w.device
),
running AS (
  SELECT
    device_number, at_ps,
    lead(device_number) OVER () AS next_number,
    lead(at_ps) OVER () - at_ps AS span_ps,
    CAST(sum(work) OVER so_far AS BIGINT) AS work,
    CAST(sum(waiting) OVER so_far AS BIGINT) AS waiting
  FROM (SELECT device_number, at_ps, work, waiting FROM points ORDER BY device_number, at_ps)
  WINDOW so_far AS (ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW)
)
SELECT
  device_number, at_ps AS start_ps, span_ps, waiting >> 40 AS segment,
  CAST(CASE
    WHEN work & 1048575 > 0 AND (work >> 20) & 1048575 > 0 THEN 2
    WHEN work & 1048575 > 0 THEN 1
    WHEN (work >> 20) & 1048575 > 0 THEN 3
    WHEN (work >> 40) & 1048575 > 0 THEN 4
    WHEN waiting & 1048575 > 0 THEN 5
    WHEN (waiting >> 20) & 1048575 > 0 THEN 6
    WHEN work >> 60 > 0 THEN 8
    ELSE 7
  END AS TINYINT) AS part
FROM running
WHERE span_ps > 0 AND next_number = device_number;
