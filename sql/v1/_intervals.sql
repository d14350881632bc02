-- One row per interval in which a device runs work of one category: an op execution, or a whole asynchronous pair.
-- work and waiting are the loads of _op_loads that the interval adds: its own, less those of the execution that
-- encloses it on its stream, which does not run meanwhile.
-- Halves of a pair (start, done, async twin) are one interval, from the first start to the last end; a half itself
-- only suspends. Aggregated executions are on no timeline and not here.
CREATE VIEW _intervals AS
WITH
executions AS (
  SELECT
    e.run, e.host, e.device, e.start_ps, e.start_ps + e.duration_ps AS end_ps,
    -- A paired op in which others ran is not suspended: its transfer goes on.
    CASE WHEN e.pair_id IS NULL THEN o.work ELSE 0 END - CASE WHEN p.is_paired THEN 0 ELSE coalesce(p.work, 0) END
      AS work,
    CASE WHEN e.pair_id IS NULL THEN o.waiting ELSE 0 END
      - CASE WHEN p.is_paired THEN 0 ELSE coalesce(p.waiting, 0) END AS waiting
  FROM op_events e
  JOIN _op_loads o ON o.run = e.run AND o.op_id = e.op_id
  LEFT JOIN _op_loads p ON p.run = e.run AND p.op_id = e.parent_op_id
  WHERE e.start_ps IS NOT NULL AND e.duration_ps > 0
)
SELECT run, host, device, start_ps, end_ps, work, waiting FROM executions WHERE work != 0 OR waiting != 0
UNION ALL
SELECT
  e.run, e.host, e.device, min(e.start_ps), max(e.start_ps + e.duration_ps), max(o.work), max(o.waiting)
FROM op_events e
JOIN _op_loads o ON o.run = e.run AND o.op_id = e.op_id
WHERE e.start_ps IS NOT NULL AND e.pair_id IS NOT NULL
GROUP BY e.run, e.host, e.device, e.pair_id;
