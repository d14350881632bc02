-- One row per (run, finding): a cause of lost time that the numbers show, the costliest first.
-- Rules only: a measure reaches the threshold of the same name (thresholds.finding_...), which --set overrides. A run
-- in which none does has the one row no_dominant_bottleneck; poor_capture comes first and does not stand for a cause.
-- Needs: device ops; what a rule needs and the capture lacks keeps that rule silent.
-- NULL: value and threshold of poor_capture and no_dominant_bottleneck.
CREATE VIEW findings (
  -- Handle of the run.
  run,
  -- Position within the run, from 1.
  rank,
  -- poor_capture, communication_heavy, exposed_collectives, copy_heavy, stalled, host_bound, hot_op,
  -- gap_before_op, step_jitter, recompute_heavy, memory_bound_ops or no_dominant_bottleneck.
  finding,
  -- The measure that fired: a share of the window or of op self time, as the evidence says; P90 / median for jitter.
  value,
  -- The threshold that it reached.
  threshold,
  -- What shows it, as a sentence with the number.
  evidence,
  -- What to try.
  try_next,
  -- View that holds the evidence.
  evidence_view
) AS
WITH
-- Read once: the view costs more than all rules together.
summaries AS (
  SELECT
    run, share_basis, communication_share, copy_share, exposed_communication_share, stall_share, busy_share, quality,
    quality_sentence
  FROM run_summary
),
exposed AS (
  SELECT run, collective
  FROM collectives
  QUALIFY row_number() OVER (PARTITION BY run ORDER BY exposed_ps DESC, collective) = 1
),
-- The hottest op of each category.
hottest AS (
  SELECT run, category, name, self_share
  FROM hot_ops
  QUALIFY row_number() OVER (PARTITION BY run, category ORDER BY rank) = 1
),
recomputing AS (
  SELECT run, region
  FROM regions
  WHERE recompute_ps > 0 AND region <> ''
  QUALIFY row_number() OVER (PARTITION BY run ORDER BY recompute_ps DESC, depth DESC, region) = 1
),
memory_bound AS (
  SELECT r.run, sum(h.self_share) AS share, min_by(r.name, h.rank) AS name
  FROM roofline r
  JOIN hot_ops h ON h.run = r.run AND h.op_id = r.op_id
  WHERE r.bound_by = 'memory'
  GROUP BY r.run
),
jitter AS (
  SELECT
    c.run, CAST(max(CAST(c.p90_ps AS DOUBLE) / nullif(CAST(c.median_ps AS DOUBLE), 0)) AS DOUBLE) AS ratio
  FROM step_classes c
  JOIN thresholds t ON t.name = 'finding_step_jitter_count' AND c.step_count >= t.value
  GROUP BY c.run
),
waiting AS (
  SELECT b.run, b.host_wait_share AS share, f.name
  FROM host_bound b
  LEFT JOIN host_bound_frames f ON f.run = b.run AND f.host = b.host AND f.rank = 1
  QUALIFY row_number() OVER (PARTITION BY b.run ORDER BY b.host_wait_share DESC NULLS LAST, b.host) = 1
),
measures AS (
  SELECT
    s.run, 'communication_heavy' AS finding, s.communication_share AS value, h.name AS subject, s.share_basis AS basis
  FROM summaries s
  LEFT JOIN hottest h ON h.run = s.run AND h.category = 'communication'
  UNION ALL
  SELECT s.run, 'copy_heavy', s.copy_share, h.name, s.share_basis
  FROM summaries s
  LEFT JOIN hottest h ON h.run = s.run AND h.category = 'copy'
  UNION ALL
  SELECT s.run, 'exposed_collectives', s.exposed_communication_share, e.collective, s.share_basis
  FROM summaries s
  LEFT JOIN exposed e ON e.run = s.run
  UNION ALL
  SELECT run, 'stalled', stall_share, NULL, share_basis FROM summaries
  UNION ALL
  SELECT run, 'host_bound', share, name, 'capture' FROM waiting
  UNION ALL
  -- Copies and communication have findings of their own, and half of a transfer waits more than it works.
  SELECT run, 'hot_op', self_share, name, 'capture' FROM hottest WHERE category = 'compute'
  UNION ALL
  SELECT run, 'gap_before_op', idle_share, name, 'capture' FROM pre_op_gaps WHERE rank = 1
  UNION ALL
  SELECT run, 'step_jitter', ratio, NULL, NULL FROM jitter
  UNION ALL
  SELECT p.run, 'recompute_heavy', p.self_share, r.region, 'capture'
  FROM phases p
  LEFT JOIN recomputing r ON r.run = p.run
  WHERE p.phase = 'recompute'
  UNION ALL
  SELECT run, 'memory_bound_ops', share, name, 'capture' FROM memory_bound
),
fired AS (
  SELECT m.run, m.finding, m.value, t.value AS threshold, m.subject, m.basis
  FROM measures m
  JOIN thresholds t ON t.name = 'finding_' || m.finding
  WHERE m.value >= t.value
),
found AS (
  SELECT run, finding, value, threshold, subject, basis, 1 AS place FROM fired
  UNION ALL
  SELECT run, 'poor_capture', NULL, NULL, quality_sentence, NULL, 0 FROM summaries WHERE quality = 'fail'
  UNION ALL
  SELECT s.run, 'no_dominant_bottleneck', NULL, NULL, NULL, NULL, 1
  FROM summaries s
  ANTI JOIN fired f ON f.run = s.run
  WHERE s.busy_share IS NOT NULL
)
SELECT
  f.run,
  row_number() OVER (PARTITION BY f.run ORDER BY f.place, f.value DESC, f.finding) AS rank,
  f.finding, f.value, f.threshold,
  replace(
    replace(
      replace(t.evidence, '{value}', coalesce(CAST(round(100 * f.value, 1) AS VARCHAR) || ' %', '')),
      '{basis}', coalesce(f.basis, '')
    ),
    -- A kernel's name can be longer than a sentence.
    '{subject}',
    CASE WHEN length(f.subject) > 80 THEN substring(f.subject, 1, 77) || '...' ELSE coalesce(f.subject, '') END
  ) AS evidence,
  t.try_next, t.evidence_view
FROM found f
JOIN _finding_texts t ON t.finding = f.finding
ORDER BY f.run, rank;
