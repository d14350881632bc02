-- One row per interval in which a device runs work of one category: an op execution, or a whole asynchronous pair.
-- suspended is the category of the execution that encloses it on its stream, which does not run meanwhile.
-- Halves of a pair (start, done, async twin) are one interval, from the first start to the last end; a half has
-- category NULL and only suspends. Aggregated executions are on no timeline and not here.
CREATE VIEW _intervals AS
WITH
paired_ops AS (
  SELECT DISTINCT run, op_id FROM op_events WHERE pair_id IS NOT NULL
),
-- A paired op in which others ran is not suspended: its transfer goes on.
parents AS (
  SELECT c.run, c.op_id, c.category
  FROM op_classes c
  LEFT JOIN paired_ops p ON p.run = c.run AND p.op_id = c.op_id
  WHERE p.op_id IS NULL
)
SELECT
  e.run, e.host, e.device, e.start_ps, e.start_ps + e.duration_ps AS end_ps,
  CASE WHEN e.pair_id IS NULL THEN c.category END AS category,
  p.category AS suspended
FROM op_events e
JOIN op_classes c ON c.run = e.run AND c.op_id = e.op_id
LEFT JOIN parents p ON p.run = e.run AND p.op_id = e.parent_op_id
WHERE e.start_ps IS NOT NULL AND e.duration_ps > 0
UNION ALL
SELECT e.run, e.host, e.device, min(e.start_ps), max(e.start_ps + e.duration_ps), min(c.category), NULL
FROM op_events e
JOIN op_classes c ON c.run = e.run AND c.op_id = e.op_id
WHERE e.start_ps IS NOT NULL AND e.pair_id IS NOT NULL
GROUP BY e.run, e.host, e.device, e.pair_id;
