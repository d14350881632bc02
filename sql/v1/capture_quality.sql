-- One row per (run, host, check_name, subject): a check of how far the numbers of a run can be trusted.
-- Rows of quality_events keep their text; shares and counts are judged by thresholds, which --set NAME=VALUE overrides.
-- Needs: nothing; every run has rows.
-- NULL: host for the run as a whole; subject where the check is about the host or run itself; value where it is
-- unknown or not a number; remedy where there is none.
CREATE VIEW capture_quality (
  -- Handle of the run.
  run,
  -- Host; NULL for the run as a whole.
  host,
  -- Name of the check.
  check_name,
  -- What it is about: a path, device, stream or stat name; NULL for the host or run as a whole.
  subject,
  -- ok, warn, fail, or unknown where the capture does not tell.
  status,
  -- How many or how much: a count, or a ratio where check_name ends in share.
  value,
  -- What was found, as a sentence.
  sentence,
  -- What to do about it: a command, a flag or a line of code.
  remedy
) AS
WITH
measures AS (
  SELECT run, host, check_name, value, reason FROM _quality_measures
  UNION ALL
  SELECT
    run, NULL, 'no_steady_steps', CASE WHEN bool_or(is_steady) THEN 0e0 ELSE 1e0 END, NULL
  FROM step_time
  GROUP BY run
),
judged AS (
  SELECT
    m.run, m.host, m.check_name, CAST(NULL AS VARCHAR) AS subject, m.value, m.reason AS text,
    CASE
      WHEN m.value IS NULL THEN 'unknown'
      WHEN m.value >= f.value THEN 'fail'
      WHEN m.value >= w.value THEN 'warn'
      ELSE 'ok'
    END AS status
  FROM measures m
  LEFT JOIN thresholds w ON w.name = m.check_name || '_warn'
  LEFT JOIN thresholds f ON f.name = m.check_name || '_fail'
),
noted AS (
  SELECT
    e.run, e.host, e.check_name, e.subject, CAST(e.value AS DOUBLE) AS value, e.text,
    coalesce(k.status, 'warn') AS status
  FROM quality_events e
  LEFT JOIN _quality_checks k ON k.check_name = e.check_name
  LEFT JOIN runs r ON r.run = e.run
  -- The measure says the same, from the run's own numbers.
  WHERE e.check_name <> 'missing_host' OR r.expected_host_count IS NULL
),
found AS (
  SELECT run, host, check_name, subject, status, value, text FROM noted
  UNION ALL
  SELECT run, host, check_name, subject, status, value, text FROM judged
),
worded AS (
  SELECT
    f.run, f.host, f.check_name, f.subject, f.status, f.value, f.text, k.remedy,
    CASE WHEN f.status = 'ok' THEN coalesce(k.ok_sentence, k.sentence) ELSE k.sentence END AS sentence,
    CASE
      WHEN k.unit = 'ratio' THEN CAST(round(100 * f.value, 1) AS VARCHAR) || ' %'
      WHEN k.unit = 'number' THEN CAST(round(f.value, 1) AS VARCHAR)
      ELSE CAST(CAST(round(f.value) AS BIGINT) AS VARCHAR)
    END AS value_text
  FROM found f
  LEFT JOIN _quality_checks k ON k.check_name = f.check_name
)
SELECT
  run, host, check_name, subject, status, value,
  CASE
    WHEN status = 'unknown' AND value IS NULL THEN text
    WHEN sentence IS NULL THEN coalesce(text, check_name)
    ELSE replace(
      replace(
        replace(sentence, '{value}', coalesce(value_text, 'an unknown number')),
        '{subject}', coalesce(subject, 'the profile')
      ),
      '{text}', coalesce(text, 'no reason is given')
    )
  END AS sentence,
  CASE WHEN status <> 'ok' THEN remedy END AS remedy
FROM worded;
