-- One row per (before, after, step_class, before_op_id, after_op_id): an op in one step of one device in two runs.
-- Ops of the same program pair by op_id, others within their phase and region by name, shape, HLO op or family, as
-- matched_by says, so that a renamed kernel is one row. Self times are those of step_ops: whole picoseconds that add up
-- exactly to the region's own times in compare_regions, to compare_phases and to op_self of compare_steps.
-- Needs: device ops.
-- NULL: what the capture does not tell of the op; the ids and names of the run that lacks the op; matched_by likewise;
-- delta_pct where it took no time before; impact_pct where no op did.
CREATE VIEW compare_ops (
  -- Handle of the run before.
  before,
  -- Handle of the run after.
  after,
  -- all; light and heavy besides where both runs have steps of two kinds.
  step_class,
  -- Name of the op after; before where it is removed.
  name,
  -- Name before.
  before_name,
  -- both, renamed, added (only after) or removed (only before).
  presence,
  -- What the ops pair by: op_id, name, shape, hlo_op or family.
  matched_by,
  -- compute, communication, copy, sync or control.
  category,
  -- Family of the op after; before where it is removed.
  family,
  -- forward, backward, recompute, mixed or other.
  phase,
  -- The user's own scopes of the op; empty outside any.
  region,
  -- Executions before.
  before_executions,
  -- Executions after.
  after_executions,
  -- Self time before, in picoseconds.
  before_ps,
  -- Self time after, in picoseconds.
  after_ps,
  -- after_ps - before_ps, in picoseconds.
  delta_ps,
  -- delta_ps / before_ps, in percent.
  delta_pct,
  -- delta_ps / self time of all ops before, in percent.
  impact_pct,
  -- Op before; joins ops.
  before_op_id,
  -- Op after; joins ops.
  after_op_id
) AS
WITH
sides AS (
  SELECT
    p.before, p.after, p.step_class, p.before_op_self_ps, m.matched_by, m.before_op_id, m.after_op_id,
    coalesce(a.category, b.category) AS category, coalesce(a.family, b.family) AS family,
    coalesce(a.phase, b.phase) AS phase, coalesce(a.region, b.region) AS region,
    coalesce(b.executions, 0) AS before_executions, coalesce(a.executions, 0) AS after_executions,
    coalesce(b.self_ps, 0) AS before_ps, coalesce(a.self_ps, 0) AS after_ps
  FROM compare_pairs p
  JOIN _matched_ops m ON m.before = p.before AND m.after = p.after
  LEFT JOIN step_ops b ON b.run = p.before AND b.step_class = p.step_class AND b.op_id = m.before_op_id
  LEFT JOIN step_ops a ON a.run = p.after AND a.step_class = p.step_class AND a.op_id = m.after_op_id
  WHERE b.op_id IS NOT NULL OR a.op_id IS NOT NULL
)
SELECT
  s.before, s.after, s.step_class, coalesce(y.name, x.name) AS name, x.name AS before_name,
  CASE
    WHEN s.before_op_id IS NULL THEN 'added'
    WHEN s.after_op_id IS NULL THEN 'removed'
    WHEN x.canonical_name <> y.canonical_name THEN 'renamed'
    ELSE 'both'
  END AS presence,
  s.matched_by, s.category, s.family, s.phase, s.region, s.before_executions, s.after_executions, s.before_ps,
  s.after_ps, s.after_ps - s.before_ps AS delta_ps,
  100 * CAST(s.after_ps - s.before_ps AS DOUBLE) / nullif(CAST(s.before_ps AS DOUBLE), 0) AS delta_pct,
  100 * CAST(s.after_ps - s.before_ps AS DOUBLE) / nullif(CAST(s.before_op_self_ps AS DOUBLE), 0) AS impact_pct,
  s.before_op_id, s.after_op_id
FROM sides s
LEFT JOIN ops x ON x.run = s.before AND x.op_id = s.before_op_id
LEFT JOIN ops y ON y.run = s.after AND y.op_id = s.after_op_id
ORDER BY s.before, s.after, s.step_class, abs(s.after_ps - s.before_ps) DESC, name, s.before_op_id, s.after_op_id;
