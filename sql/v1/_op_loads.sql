-- One row per (run, op_id): the op's category as two numbers that can be added up, whether it is half of a pair, and
-- what its executions share. is_matrix: most of a model's flops are in such ops.
-- work counts compute, communication and copy, waiting counts sync and control, in 20 bits each, so that the sum of a
-- million concurrent executions is exact. Sums of numbers take a fifth of the time that sums per category name took.
CREATE VIEW _op_loads AS
WITH paired AS (
  SELECT DISTINCT run, op_id FROM op_events WHERE pair_id IS NOT NULL
)
SELECT
  c.run, c.op_id, c.category, p.op_id IS NOT NULL AS is_paired,
  c.family IN ('matmul', 'convolution', 'attention') AS is_matrix,
  o.attribution_source <> 'none' AS is_attributed, o.flops, o.bytes_accessed,
  CAST(CASE c.category
    WHEN 'compute' THEN 1 WHEN 'communication' THEN 1048576 WHEN 'copy' THEN 1099511627776 ELSE 0
  END AS BIGINT) AS work,
  CAST(CASE c.category WHEN 'sync' THEN 1 WHEN 'control' THEN 1048576 ELSE 0 END AS BIGINT) AS waiting
FROM op_classes c
JOIN ops o ON o.run = c.run AND o.op_id = c.op_id
LEFT JOIN paired p ON p.run = c.run AND p.op_id = c.op_id;
