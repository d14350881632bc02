-- One row per (before, after, key): a fact about two runs, same or different; what makes them a bad pair comes first.
-- Keys are columns of runs and run_summary, tag.NAME, and of runs.facts those that a user sets: flag.NAME,
-- version.NAME, job.NAME, host_cpu_count and the options of the capture; incomplete names failed checks. Keys of which neither run tells a value are
-- left out.
-- Needs: nothing; every pair of runs has rows, a run with itself too.
-- NULL: a value that the run does not tell; problem where the key raises none.
CREATE VIEW compare_context (
  -- Handle of the run before.
  before,
  -- Handle of the run after.
  after,
  -- What is compared.
  key,
  -- Value before, as text.
  before_value,
  -- Value after, as text.
  after_value,
  -- Whether both have the same value, or neither has one.
  is_same,
  -- Why the pair is a bad one: unlike (context_rules says so and both values are known), identical (the same bytes on
  -- both sides) or incomplete (checks of capture_quality say that something of a run was not captured).
  problem
) AS
WITH
keyed AS (
  SELECT run, 'platform' AS key, platform AS value FROM runs
  UNION ALL
  SELECT run, 'device_kind', device_kind FROM runs
  UNION ALL
  SELECT run, 'device_count', CAST(device_count AS VARCHAR) FROM runs
  UNION ALL
  SELECT run, 'host_count', CAST(host_count AS VARCHAR) FROM runs
  UNION ALL
  SELECT run, 'process_count', CAST(process_count AS VARCHAR) FROM runs
  UNION ALL
  SELECT run, 'mesh', mesh FROM runs
  UNION ALL
  SELECT run, 'jax_version', jax_version FROM runs
  UNION ALL
  SELECT run, 'jaxlib_version', jaxlib_version FROM runs
  UNION ALL
  SELECT run, 'runtime_version', runtime_version FROM runs
  UNION ALL
  SELECT run, 'git_sha', git_sha FROM runs
  UNION ALL
  SELECT run, 'config_hash', config_hash FROM runs
  UNION ALL
  SELECT run, 'content_sha256', content_sha256 FROM runs
  UNION ALL
  SELECT run, 'extractor_version', CAST(extractor_version AS VARCHAR) FROM runs
  UNION ALL
  SELECT run, 'step_source', step_source FROM runs
  UNION ALL
  SELECT run, 'share_basis', coalesce(share_basis, 'nothing measured') FROM run_summary
  UNION ALL
  SELECT run, 'counted_step_count', CAST(counted_step_count AS VARCHAR) FROM run_summary
  UNION ALL
  SELECT run, 'measured_share', CAST(round(measured_share, 3) AS VARCHAR) FROM run_summary
  UNION ALL
  SELECT run, 'quality', quality || coalesce(': ' || quality_sentence, '') FROM run_summary
  UNION ALL
  -- What was not captured; how ops are attributed (the shares) is no matter of time.
  SELECT run, 'incomplete', array_to_string(list_sort(list(DISTINCT check_name)), ', ')
  FROM capture_quality
  WHERE status = 'fail' AND check_name NOT LIKE '%_share'
  GROUP BY run
  UNION ALL
  SELECT r.run, 'tag.' || t.name, r.tags[t.name]
  FROM runs r
  CROSS JOIN unnest(map_keys(r.tags)) AS t(name)
  UNION ALL
  SELECT r.run, f.name, r.facts[f.name]
  FROM runs r
  CROSS JOIN unnest(map_keys(r.facts)) AS f(name)
  WHERE f.name = 'host_cpu_count'
    OR (
      regexp_matches(f.name, '^(flag|version|job|capture)[.]')
      -- What every capture has anew, or a column above says.
      AND f.name NOT IN (
        'capture.attempt', 'capture.outcome', 'capture.first_step', 'capture.end_step', 'capture.start_seconds',
        'capture.wait_seconds', 'capture.export_seconds', 'capture.overhead_ratio', 'version.jax', 'version.jaxlib'
      )
    )
),
known AS (
  SELECT run, key, value FROM keyed WHERE value IS NOT NULL
),
pairs AS (
  SELECT b.run AS before, a.run AS after
  FROM runs b
  CROSS JOIN runs a
),
sides AS (
  SELECT p.before, p.after, k.key, k.value AS before_value, CAST(NULL AS VARCHAR) AS after_value
  FROM pairs p
  JOIN known k ON k.run = p.before
  UNION ALL
  SELECT p.before, p.after, k.key, NULL, k.value
  FROM pairs p
  JOIN known k ON k.run = p.after
),
joined AS (
  SELECT before, after, key, max(before_value) AS before_value, max(after_value) AS after_value
  FROM sides
  GROUP BY before, after, key
),
judged AS (
  SELECT
    j.before, j.after, j.key, j.before_value, j.after_value,
    j.before_value IS NOT DISTINCT FROM j.after_value AS is_same,
    CASE
      WHEN j.key = 'content_sha256' AND j.before_value = j.after_value THEN 'identical'
      WHEN j.key = 'incomplete' THEN 'incomplete'
      WHEN r.key IS NOT NULL AND j.before_value <> j.after_value THEN 'unlike'
    END AS problem
  FROM joined j
  LEFT JOIN context_rules r ON r.key = j.key
)
SELECT before, after, key, before_value, after_value, is_same, problem
FROM judged
ORDER BY before, after, problem IS NULL, is_same, key;
