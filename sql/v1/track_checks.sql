-- One row per (before, after, step_class, metric): whether a number of a run got worse than a threshold lets it.
-- step_median and step_p90 are of compare_steps, light and heavy steps apart where both runs have steps of two kinds;
-- communication_share and stall_share are of run_summary. thresholds.track_METRIC_fail and track_METRIC_warn tell by how
-- much a number may grow: a time by a part of itself, a share by a difference. These are rules alone: profdb track adds
-- what the single steps say.
-- Needs: steps that begin and end inside the capture; shares need device ops.
-- NULL: a value that a run does not tell, and delta and change then; reason except where the verdict is cannot_tell.
CREATE VIEW track_checks (
  -- Handle of the run before.
  before,
  -- Handle of the run after.
  after,
  -- all; light and heavy instead where both runs have steps of two kinds.
  step_class,
  -- step_median, step_p90, communication_share or stall_share.
  metric,
  -- Steps before; 0 where there are none.
  before_step_count,
  -- Steps after.
  after_step_count,
  -- Value before: a time in picoseconds, or a share from 0 to 1.
  before_value,
  -- Value after.
  after_value,
  -- How much it grew: a time by after_value / before_value - 1, a share by after_value - before_value.
  delta,
  -- The least delta that is no longer a pass.
  threshold,
  -- worse or better where the delta is as large as the threshold either way, else same.
  change,
  -- pass, warn, fail or cannot_tell.
  verdict,
  -- Why nothing can be told.
  reason
) AS
WITH
metrics AS (
  SELECT
    m.metric, m.measure, w.value AS warn_at, f.value AS fail_at, least(w.value, f.value) AS threshold,
    n.value AS least_count
  FROM (
    VALUES ('step_median', 'median'), ('step_p90', 'p90'), ('communication_share', NULL), ('stall_share', NULL)
  ) AS m(metric, measure)
  LEFT JOIN thresholds w ON w.name = 'track_' || m.metric || '_warn'
  LEFT JOIN thresholds f ON f.name = 'track_' || m.metric || '_fail'
  LEFT JOIN thresholds n ON n.name = 'track_step_count' AND m.measure IS NOT NULL
),
classes AS (
  SELECT before, after, step_class, bool_or(step_class <> 'all') OVER (PARTITION BY before, after) AS is_split
  FROM compare_pairs
),
times AS (
  SELECT
    s.before, s.after, s.step_class, s.measure, s.before_step_count, s.after_step_count,
    CAST(s.before_ps AS DOUBLE) AS before_value, CAST(s.after_ps AS DOUBLE) AS after_value
  FROM compare_steps s
  JOIN classes c ON c.before = s.before AND c.after = s.after AND c.step_class = s.step_class
  WHERE (c.step_class <> 'all') = c.is_split
),
problems AS (
  SELECT before, after, array_to_string(list_sort(list(DISTINCT problem || ': ' || key)), ', ') AS text
  FROM compare_context
  WHERE problem <> 'identical'
  GROUP BY before, after
),
measured AS (
  SELECT
    b.run AS before, a.run AS after, coalesce(t.step_class, 'all') AS step_class, m.metric, m.measure,
    coalesce(t.before_step_count, b.counted_step_count) AS before_step_count,
    coalesce(t.after_step_count, a.counted_step_count) AS after_step_count,
    CASE m.metric
      WHEN 'communication_share' THEN b.communication_share WHEN 'stall_share' THEN b.stall_share ELSE t.before_value
    END AS before_value,
    CASE m.metric
      WHEN 'communication_share' THEN a.communication_share WHEN 'stall_share' THEN a.stall_share ELSE t.after_value
    END AS after_value,
    m.warn_at, m.fail_at, m.threshold, m.least_count
  FROM run_summary b
  CROSS JOIN run_summary a
  CROSS JOIN metrics m
  LEFT JOIN times t ON t.before = b.run AND t.after = a.run AND t.measure = m.measure
),
grown AS (
  SELECT
    m.before, m.after, m.step_class, m.metric, m.before_step_count, m.after_step_count, m.before_value, m.after_value,
    CASE
      WHEN m.measure IS NULL THEN round(m.after_value - m.before_value, 12)
      ELSE round(m.after_value / nullif(m.before_value, 0) - 1, 12)
    END AS delta,
    m.warn_at, m.fail_at, m.threshold,
    CASE
      WHEN p.text IS NOT NULL THEN p.text
      WHEN m.least_count > least(m.before_step_count, m.after_step_count)
        THEN 'too few steps: ' || CAST(least(m.before_step_count, m.after_step_count) AS VARCHAR)
      WHEN m.before_value IS NULL OR m.after_value IS NULL THEN 'not measured'
      WHEN m.measure IS NOT NULL AND m.before_value = 0 THEN 'no time before'
    END AS reason
  FROM measured m
  LEFT JOIN problems p ON p.before = m.before AND p.after = m.after
)
SELECT
  before, after, step_class, metric, before_step_count, after_step_count, before_value, after_value, delta, threshold,
  CASE WHEN delta >= threshold THEN 'worse' WHEN delta <= -threshold THEN 'better' WHEN delta IS NOT NULL THEN 'same' END
    AS change,
  CASE
    WHEN reason IS NOT NULL THEN 'cannot_tell'
    WHEN delta >= fail_at THEN 'fail'
    WHEN delta >= warn_at THEN 'warn'
    ELSE 'pass'
  END AS verdict,
  reason
FROM grown
ORDER BY before, after, metric, step_class;
