-- One row per interval in which a device runs work of one category: an op execution, or a whole asynchronous pair.
-- work and waiting are the loads of _op_loads that the interval adds: its own, less those of the execution that
-- encloses it on its stream, which does not run meanwhile.
-- Halves of a pair (start, done, async twin) are one interval, from the first start to the last end; a half itself
-- only suspends. Aggregated executions are on no timeline and not here.
CREATE VIEW _intervals AS
WITH
executions AS (
  SELECT
    device_number, start_ps, start_ps + duration_ps AS end_ps,
    CASE WHEN pair_id IS NULL THEN work ELSE 0 END - suspended_work AS work,
    CASE WHEN pair_id IS NULL THEN waiting ELSE 0 END - suspended_waiting AS waiting
  FROM _executions
  WHERE start_ps IS NOT NULL AND duration_ps > 0
)
SELECT device_number, start_ps, end_ps, work, waiting FROM executions WHERE work != 0 OR waiting != 0
UNION ALL
SELECT device_number, min(start_ps), max(start_ps + duration_ps), max(work), max(waiting)
FROM _executions
WHERE start_ps IS NOT NULL AND pair_id IS NOT NULL
GROUP BY device_number, pair_id;
