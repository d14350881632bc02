-- One row per (before, after, step_class, part): one of the seven parts of one step of one device in two runs.
-- The parts add up exactly to the window of compare_steps, and their deltas to its delta.
-- Needs: device ops.
-- NULL: delta_pct where the part took no time before; impact_pct where the window before is empty.
CREATE VIEW compare_breakdown (
  -- Handle of the run before.
  before,
  -- Handle of the run after.
  after,
  -- all; light and heavy besides where both runs have steps of two kinds.
  step_class,
  -- compute_only, overlapped, comm_exposed, copy, sync, control or idle.
  part,
  -- Time of the part before, in picoseconds.
  before_ps,
  -- Time of the part after, in picoseconds.
  after_ps,
  -- after_ps - before_ps, in picoseconds.
  delta_ps,
  -- delta_ps / before_ps, in percent.
  delta_pct,
  -- delta_ps / window before, in percent.
  impact_pct
) AS
WITH
parts AS (
  SELECT
    b.run, b.step_class, b.window_ps, t.part,
    CASE t.part
      WHEN 'compute_only' THEN b.compute_only_ps
      WHEN 'overlapped' THEN b.overlapped_ps
      WHEN 'comm_exposed' THEN b.comm_exposed_ps
      WHEN 'copy' THEN b.copy_ps
      WHEN 'sync' THEN b.sync_ps
      WHEN 'control' THEN b.control_ps
      ELSE b.idle_ps
    END AS part_ps
  FROM step_class_breakdown b
  CROSS JOIN (
    VALUES ('compute_only'), ('overlapped'), ('comm_exposed'), ('copy'), ('sync'), ('control'), ('idle')
  ) AS t(part)
)
SELECT
  p.before, p.after, p.step_class, b.part, b.part_ps AS before_ps, a.part_ps AS after_ps,
  a.part_ps - b.part_ps AS delta_ps,
  100 * CAST(a.part_ps - b.part_ps AS DOUBLE) / nullif(CAST(b.part_ps AS DOUBLE), 0) AS delta_pct,
  100 * CAST(a.part_ps - b.part_ps AS DOUBLE) / nullif(CAST(b.window_ps AS DOUBLE), 0) AS impact_pct
FROM compare_pairs p
JOIN parts b ON b.run = p.before AND b.step_class = p.step_class
JOIN parts a ON a.run = p.after AND a.step_class = p.step_class AND a.part = b.part
ORDER BY p.before, p.after, p.step_class, abs(delta_ps) DESC, b.part;
