-- One row per (run, op_id): what an op did over all devices and the whole capture, with its meaning.
-- Flops and bytes are NULL for control ops, which repeat those of the ops inside them.
CREATE VIEW _op_totals AS
WITH
totals AS (
  SELECT
    run, op_id, CAST(sum(count) AS BIGINT) AS count, CAST(sum(total_ps) AS BIGINT) AS total_ps,
    CAST(sum(self_ps) AS BIGINT) AS self_ps,
    CASE WHEN bool_and(total_flops IS NOT NULL) THEN sum(total_flops) END AS flops,
    CASE WHEN bool_and(total_bytes IS NOT NULL) THEN sum(total_bytes) END AS bytes
  FROM op_stats
  -- A device may have seen only the asynchronous span of an op.
  WHERE count > 0
  GROUP BY run, op_id
)
SELECT
  t.run, t.op_id, t.count, t.total_ps, t.self_ps, c.category, c.family, c.phase, c.region, c.collective,
  CASE WHEN c.category <> 'control' THEN t.flops END AS flops,
  CASE WHEN c.category <> 'control' THEN t.bytes END AS bytes
FROM totals t
JOIN op_classes c ON c.run = t.run AND c.op_id = t.op_id;
