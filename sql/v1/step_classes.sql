-- One row per (run, step_class): the counted steps of a run, light and heavy ones apart where the split is real.
-- Steps are the steady ones; where there are none, the whole ones (step_basis). counted_steps tells the class of each.
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
spaced AS (
  SELECT
    run, step_num, step_basis, duration_ps, step_class,
    step_num - lag(step_num) OVER (PARTITION BY run, step_class ORDER BY step_num) AS period_step_count,
    median(duration_ps) OVER (PARTITION BY run, step_class) AS middle_ps
  FROM counted_steps
  WHERE step_class <> 'all' OR NOT is_split
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
