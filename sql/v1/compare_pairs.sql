-- One row per (before, after, step_class): two runs whose steps compare, with what they are measured by.
-- Runs compare that both have counted steps, or neither; light and heavy steps where both runs have steps of two kinds.
-- What of two whole captures is compared depends on their length.
-- Needs: device ops.
-- NULL: never.
CREATE VIEW compare_pairs (
  -- Handle of the run before.
  before,
  -- Handle of the run after.
  after,
  -- all; light and heavy besides where both runs have steps of two kinds.
  step_class,
  -- What is measured before: steady steps, whole steps where none is steady, else capture.
  before_basis,
  -- What is measured after.
  after_basis,
  -- Steps before; 0 for the whole capture.
  before_step_count,
  -- Steps after.
  after_step_count,
  -- Self time of all ops in one step of one device before, in picoseconds.
  before_op_self_ps,
  -- The same after, in picoseconds.
  after_op_self_ps
) AS
SELECT
  b.run AS before, a.run AS after, b.step_class, b.share_basis AS before_basis, a.share_basis AS after_basis,
  b.step_count AS before_step_count, a.step_count AS after_step_count, b.op_self_ps AS before_op_self_ps,
  a.op_self_ps AS after_op_self_ps
FROM step_class_breakdown b
JOIN step_class_breakdown a
  ON a.step_class = b.step_class AND (a.share_basis = 'capture') = (b.share_basis = 'capture')
ORDER BY before, after, step_class;
