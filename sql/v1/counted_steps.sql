-- One row per (run, step_class, step_num): a step that statistics count, in the class of all steps and, where steps are
-- of two kinds, in its own.
-- Steps are the steady ones; where there are none, the whole ones (step_basis). Light and heavy steps are the split of
-- the logarithms of their times into two groups with the least sum of squares within them. It is real where the
-- medians differ by thresholds.step_class_ratio and each group has thresholds.step_class_count steps and
-- thresholds.step_class_share of all.
-- Needs: steps that begin and end inside the capture.
-- NULL: never.
CREATE VIEW counted_steps (
  -- Handle of the run.
  run,
  -- all; light or heavy in a second row where the split is real.
  step_class,
  -- Number of the step.
  step_num,
  -- Whether the run's steps are of two kinds.
  is_split,
  -- Why the step counts: steady, or whole where no step of the run is steady.
  step_basis,
  -- Step time, as in step_time, in picoseconds.
  duration_ps
) AS
WITH
ordered AS (
  SELECT
    run, step_num, step_basis, duration_ps, ln(CAST(greatest(duration_ps, 1) AS DOUBLE)) AS log_ps,
    row_number() OVER (PARTITION BY run ORDER BY duration_ps, step_num) AS place
  FROM step_time
  WHERE step_basis IS NOT NULL
),
sums AS (
  SELECT
    run, place, duration_ps,
    sum(log_ps) OVER (PARTITION BY run ORDER BY place ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS light_sum,
    sum(log_ps) OVER (PARTITION BY run) AS all_sum,
    count(*) OVER (PARTITION BY run) AS all_count
  FROM ordered
),
-- The sum of squares within two groups is least where that between them is greatest.
split AS (
  SELECT
    run, min(all_count) AS all_count,
    max_by(
      place,
      light_sum * light_sum / nullif(place, 0)
        + (all_sum - light_sum) * (all_sum - light_sum) / nullif(all_count - place, 0)
    ) AS light_count
  FROM sums
  WHERE place < all_count
  GROUP BY run
),
halves AS (
  SELECT
    o.run, s.light_count, s.all_count,
    median(o.duration_ps) FILTER (WHERE o.place <= s.light_count) AS light_ps,
    median(o.duration_ps) FILTER (WHERE o.place > s.light_count) AS heavy_ps
  FROM ordered o
  JOIN split s ON s.run = o.run
  GROUP BY o.run, s.light_count, s.all_count
),
limits AS (
  SELECT
    max(value) FILTER (WHERE name = 'step_class_ratio') AS least_ratio,
    max(value) FILTER (WHERE name = 'step_class_count') AS least_count,
    max(value) FILTER (WHERE name = 'step_class_share') AS least_share
  FROM thresholds
),
real_splits AS (
  SELECT h.run, h.light_count
  FROM halves h
  CROSS JOIN limits l
  WHERE h.heavy_ps / nullif(h.light_ps, 0) >= l.least_ratio
    AND least(h.light_count, h.all_count - h.light_count)
      >= greatest(l.least_count, l.least_share * CAST(h.all_count AS DOUBLE))
),
classed AS (
  SELECT
    o.run, CASE WHEN o.place <= r.light_count THEN 'light' WHEN o.place > r.light_count THEN 'heavy' END AS step_class,
    o.step_num, r.run IS NOT NULL AS is_split, o.step_basis, o.duration_ps
  FROM ordered o
  LEFT JOIN real_splits r ON r.run = o.run
)
SELECT run, 'all' AS step_class, step_num, is_split, step_basis, duration_ps FROM classed
UNION ALL
SELECT run, step_class, step_num, is_split, step_basis, duration_ps FROM classed WHERE is_split;
