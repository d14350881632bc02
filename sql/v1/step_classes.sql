-- One row per (run, step_class): the counted steps of a run, light and heavy ones apart where the split is real.
-- Steps are the steady ones; where there are none, the whole ones (step_basis). The split is the one of the
-- logarithms of their times into two groups with the least sum of squares within them. It is real where the medians
-- differ by thresholds.step_class_ratio and each group has thresholds.step_class_count steps and
-- thresholds.step_class_share of all; else all steps are one class.
-- Needs: steps that begin and end inside the capture.
-- NULL: period_step_count where fewer than three heavy steps show it, and for the other classes.
CREATE VIEW step_classes (
  -- Handle of the run.
  run,
  -- light, heavy, or all where the steps are of one kind.
  step_class,
  -- What the steps are: steady, or whole where no step is steady.
  step_basis,
  -- Steps of the class.
  step_count,
  -- Steps of the class / counted steps of the run.
  step_share,
  -- Step time of the class / step time of the counted steps of the run.
  duration_share,
  -- Median step time, in picoseconds.
  median_ps,
  -- 90th percentile of the step time by linear interpolation, in picoseconds.
  p90_ps,
  -- Mean step time, in picoseconds.
  mean_ps,
  -- Shortest step time, in picoseconds.
  min_ps,
  -- Longest step time, in picoseconds.
  max_ps,
  -- Steps from one heavy step to the next, median.
  period_step_count,
  -- The step whose time is nearest to the median; the earliest of several.
  representative_step_num
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
    o.run, o.step_num, o.step_basis, o.duration_ps,
    CASE WHEN r.run IS NULL THEN 'all' WHEN o.place <= r.light_count THEN 'light' ELSE 'heavy' END AS step_class
  FROM ordered o
  LEFT JOIN real_splits r ON r.run = o.run
),
spaced AS (
  SELECT
    run, step_num, step_basis, duration_ps, step_class,
    step_num - lag(step_num) OVER (PARTITION BY run, step_class ORDER BY step_num) AS period_step_count,
    median(duration_ps) OVER (PARTITION BY run, step_class) AS middle_ps
  FROM classed
),
numbers AS (
  SELECT
    run, step_class, max(step_basis) AS step_basis, count(*) AS step_count, sum(duration_ps) AS sum_ps,
    median(duration_ps) AS median_ps, quantile_cont(duration_ps, 0.9) AS p90_ps, avg(duration_ps) AS mean_ps,
    min(duration_ps) AS min_ps, max(duration_ps) AS max_ps,
    CASE WHEN step_class = 'heavy' AND count(period_step_count) >= 2 THEN median(period_step_count) END
      AS period_step_count
  FROM spaced
  GROUP BY run, step_class
),
representatives AS (
  SELECT run, step_class, step_num
  FROM spaced
  QUALIFY row_number() OVER (PARTITION BY run, step_class ORDER BY abs(duration_ps - middle_ps), step_num) = 1
)
SELECT
  n.run, n.step_class, n.step_basis, n.step_count,
  CAST(n.step_count AS DOUBLE) / nullif(CAST(sum(n.step_count) OVER (PARTITION BY n.run) AS DOUBLE), 0)
    AS step_share,
  CAST(n.sum_ps AS DOUBLE) / nullif(CAST(sum(n.sum_ps) OVER (PARTITION BY n.run) AS DOUBLE), 0) AS duration_share,
  CAST(round(n.median_ps) AS BIGINT) AS median_ps, CAST(round(n.p90_ps) AS BIGINT) AS p90_ps,
  CAST(round(n.mean_ps) AS BIGINT) AS mean_ps, n.min_ps, n.max_ps,
  CAST(round(n.period_step_count) AS BIGINT) AS period_step_count, r.step_num AS representative_step_num
FROM numbers n
JOIN representatives r ON r.run = n.run AND r.step_class = n.step_class
ORDER BY n.run, n.median_ps;
