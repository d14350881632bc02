-- One row per (before, after, step_class, measure): a step time of two runs.
-- median, p90, mean, min and max are of step_time over the counted steps. window is the mean length of a step on one
-- device, which the parts of compare_breakdown make up; op_self the self time of all ops in it, which the rows of
-- compare_phases, compare_families, compare_regions and compare_ops make up; communication_self that of collectives,
-- which the rows of compare_collectives make up. Without steps only these three are told, of the whole capture.
-- Needs: device ops; step times need steps that begin and end inside the capture.
-- NULL: delta_pct where the value before is 0.
CREATE VIEW compare_steps (
  -- Handle of the run before.
  before,
  -- Handle of the run after.
  after,
  -- all; light and heavy besides where both runs have steps of two kinds.
  step_class,
  -- median, p90, mean, min, max, window, op_self or communication_self.
  measure,
  -- Steps before; 0 for the whole capture.
  before_step_count,
  -- Steps after.
  after_step_count,
  -- Time before, in picoseconds.
  before_ps,
  -- Time after, in picoseconds.
  after_ps,
  -- after_ps - before_ps, in picoseconds.
  delta_ps,
  -- delta_ps / before_ps, in percent.
  delta_pct
) AS
WITH
times AS (
  SELECT
    run, step_class, CAST(round(median(duration_ps)) AS BIGINT) AS median_ps,
    CAST(round(quantile_cont(duration_ps, 0.9)) AS BIGINT) AS p90_ps,
    CAST(round(avg(duration_ps)) AS BIGINT) AS mean_ps, min(duration_ps) AS min_ps, max(duration_ps) AS max_ps
  FROM counted_steps
  GROUP BY run, step_class
),
measures AS (
  SELECT
    b.run, b.step_class, m.place, m.measure,
    CASE m.measure
      WHEN 'median' THEN t.median_ps
      WHEN 'p90' THEN t.p90_ps
      WHEN 'mean' THEN t.mean_ps
      WHEN 'min' THEN t.min_ps
      WHEN 'max' THEN t.max_ps
      WHEN 'window' THEN b.window_ps
      WHEN 'op_self' THEN b.op_self_ps
      ELSE b.communication_self_ps
    END AS value_ps
  FROM step_class_breakdown b
  LEFT JOIN times t ON t.run = b.run AND t.step_class = b.step_class
  CROSS JOIN (
    VALUES (1, 'median'), (2, 'p90'), (3, 'mean'), (4, 'min'), (5, 'max'), (6, 'window'), (7, 'op_self'),
      (8, 'communication_self')
  ) AS m(place, measure)
)
SELECT
  p.before, p.after, p.step_class, b.measure, p.before_step_count, p.after_step_count, b.value_ps AS before_ps,
  a.value_ps AS after_ps, a.value_ps - b.value_ps AS delta_ps,
  100 * CAST(a.value_ps - b.value_ps AS DOUBLE) / nullif(CAST(b.value_ps AS DOUBLE), 0) AS delta_pct
FROM compare_pairs p
JOIN measures b ON b.run = p.before AND b.step_class = p.step_class
JOIN measures a ON a.run = p.after AND a.step_class = p.step_class AND a.measure = b.measure
WHERE b.value_ps IS NOT NULL
ORDER BY p.before, p.after, p.step_class, b.place;
