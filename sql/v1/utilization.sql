-- One row per (run, host, device, name, unit): a hardware counter over the run's window.
-- A sample holds until the next one of its counter, the last one until the window ends; the mean is weighted by that
-- time. Samples of unequal spacing are so no more than their time. Values that are not finite do not count.
-- Needs: counter samples, which the profiler records where it is asked to.
-- NULL: device for a counter of the host; unit where the producer does not tell it; the values where no sample is finite.
CREATE VIEW utilization (
  -- Handle of the run.
  run,
  -- Host.
  host,
  -- Device; NULL for a counter of the host.
  device,
  -- Name of the counter.
  name,
  -- Unit as the producer names it.
  unit,
  -- Which samples count: window, or capture where none lies in the run's window.
  sample_basis,
  -- Samples that count.
  count,
  -- Lowest value, in the counter's unit.
  min_value,
  -- Mean over time, in the counter's unit.
  mean_value,
  -- Highest value, in the counter's unit.
  max_value
) AS
WITH
samples AS (
  SELECT
    c.run, c.host, c.device, c.name, c.unit, c.at_ps, c.value, r.window_start_ps + r.window_ps AS window_end_ps,
    coalesce(r.window_start_ps <= c.at_ps AND c.at_ps <= r.window_start_ps + r.window_ps, false) AS is_inside
  FROM counters c
  JOIN runs r ON r.run = c.run
  WHERE c.value IS NOT NULL
),
based AS (
  SELECT
    run, host, device, name, unit, at_ps, value, window_end_ps, is_inside,
    bool_or(is_inside) OVER (PARTITION BY run, host, device, name, unit) AS is_window
  FROM samples
),
held AS (
  SELECT
    run, host, device, name, unit, value, is_window,
    CAST(coalesce(
      lead(at_ps) OVER (PARTITION BY run, host, device, name, unit ORDER BY at_ps),
      CASE WHEN is_window THEN window_end_ps END, at_ps
    ) - at_ps AS DOUBLE) AS held_ps
  FROM based
  WHERE is_inside = is_window
),
counted AS (
  SELECT
    run, host, device, name, unit, bool_or(is_window) AS is_window, count(*) AS count, min(value) AS min_value,
    max(value) AS max_value, avg(value) AS plain_mean, sum(value * held_ps) AS weighted, sum(held_ps) AS held_ps
  FROM held
  GROUP BY run, host, device, name, unit
),
named AS (
  SELECT DISTINCT run, host, device, name, unit FROM counters
)
SELECT
  n.run, n.host, n.device, n.name, n.unit, CASE WHEN c.is_window THEN 'window' ELSE 'capture' END AS sample_basis,
  coalesce(c.count, 0) AS count, c.min_value,
  -- All samples at one instant have no time to weigh them.
  coalesce(c.weighted / nullif(c.held_ps, 0), c.plain_mean) AS mean_value, c.max_value
FROM named n
LEFT JOIN counted c ON c.run = n.run AND c.host = n.host AND c.name = n.name
  AND c.device IS NOT DISTINCT FROM n.device AND c.unit IS NOT DISTINCT FROM n.unit
ORDER BY n.run, n.host, n.device, n.name, n.unit;
