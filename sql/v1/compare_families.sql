-- One row per (before, after, step_class, family): the op time of a family in one step of one device in two runs.
-- Self times are those of step_ops: whole picoseconds that add up exactly to op_self of compare_steps, and the deltas to
-- its delta.
-- Needs: device ops.
-- NULL: delta_pct where it took no time before; impact_pct where no op did.
CREATE VIEW compare_families (
  -- Handle of the run before.
  before,
  -- Handle of the run after.
  after,
  -- all; light and heavy besides where both runs have steps of two kinds.
  step_class,
  -- attention, loss, matmul, convolution, fusion, reduction, elementwise, copy, convert, collective, custom_call or other.
  family,
  -- both, added (only after) or removed (only before).
  presence,
  -- Distinct ops before.
  before_op_count,
  -- Distinct ops after.
  after_op_count,
  -- Self time before, in picoseconds.
  before_ps,
  -- Self time after, in picoseconds.
  after_ps,
  -- after_ps - before_ps, in picoseconds.
  delta_ps,
  -- delta_ps / before_ps, in percent.
  delta_pct,
  -- delta_ps / self time of all ops before, in percent.
  impact_pct
) AS
WITH
totals AS (
  SELECT run, step_class, family, count(*) AS op_count, sum(self_ps) AS self_ps
  FROM step_ops
  GROUP BY run, step_class, family
),
sides AS (
  SELECT
    p.before, p.after, p.step_class, p.before_op_self_ps, t.family, t.op_count AS before_op_count,
    t.self_ps AS before_ps, 0 AS after_op_count, 0 AS after_ps
  FROM compare_pairs p
  JOIN totals t ON t.run = p.before AND t.step_class = p.step_class
  UNION ALL
  SELECT p.before, p.after, p.step_class, p.before_op_self_ps, t.family, 0, 0, t.op_count, t.self_ps
  FROM compare_pairs p
  JOIN totals t ON t.run = p.after AND t.step_class = p.step_class
),
joined AS (
  SELECT
    before, after, step_class, family, max(before_op_self_ps) AS before_op_self_ps,
    CAST(sum(before_op_count) AS BIGINT) AS before_op_count, CAST(sum(after_op_count) AS BIGINT) AS after_op_count,
    CAST(sum(before_ps) AS BIGINT) AS before_ps, CAST(sum(after_ps) AS BIGINT) AS after_ps
  FROM sides
  GROUP BY before, after, step_class, family
)
SELECT
  before, after, step_class, family,
  CASE WHEN before_op_count = 0 THEN 'added' WHEN after_op_count = 0 THEN 'removed' ELSE 'both' END AS presence,
  before_op_count, after_op_count, before_ps, after_ps, after_ps - before_ps AS delta_ps,
  100 * CAST(after_ps - before_ps AS DOUBLE) / nullif(CAST(before_ps AS DOUBLE), 0) AS delta_pct,
  100 * CAST(after_ps - before_ps AS DOUBLE) / nullif(CAST(before_op_self_ps AS DOUBLE), 0) AS impact_pct
FROM joined
ORDER BY before, after, step_class, abs(after_ps - before_ps) DESC, family;
