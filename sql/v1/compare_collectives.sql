-- One row per (before, after, step_class, collective): the collectives of one kind in one step of one device in two runs.
-- Self times are those of step_ops: whole picoseconds that add up exactly to communication_self of compare_steps, and
-- the deltas to its delta. Exposed shares are of the whole capture, as in collectives, in every class.
-- Needs: device ops.
-- NULL: collective where nothing tells the kind; delta_pct where it took no time before; impact_pct where no op did;
-- an exposed share of a run without such a collective.
CREATE VIEW compare_collectives (
  -- Handle of the run before.
  before,
  -- Handle of the run after.
  after,
  -- all; light and heavy besides where both runs have steps of two kinds.
  step_class,
  -- Kind of the collective, as HLO names it: all-gather, reduce-scatter ...
  collective,
  -- both, added (only after) or removed (only before).
  presence,
  -- Executions before; start and done of an asynchronous one count each.
  before_executions,
  -- Executions after.
  after_executions,
  -- Self time before, in picoseconds.
  before_ps,
  -- Self time after, in picoseconds.
  after_ps,
  -- after_ps - before_ps, in picoseconds.
  delta_ps,
  -- delta_ps / before_ps, in percent.
  delta_pct,
  -- delta_ps / self time of all ops before, in percent.
  impact_pct,
  -- Time before in which one ran and no compute / window of the run.
  before_exposed_share,
  -- Time after in which one ran and no compute / window of the run.
  after_exposed_share
) AS
WITH
totals AS (
  SELECT run, step_class, collective, sum(executions) AS executions, sum(self_ps) AS self_ps
  FROM step_ops
  WHERE category = 'communication'
  GROUP BY run, step_class, collective
),
sides AS (
  SELECT
    p.before, p.after, p.step_class, p.before_op_self_ps, t.collective, true AS is_before,
    t.executions AS before_executions, 0e0 AS after_executions, t.self_ps AS before_ps, 0 AS after_ps
  FROM compare_pairs p
  JOIN totals t ON t.run = p.before AND t.step_class = p.step_class
  UNION ALL
  SELECT
    p.before, p.after, p.step_class, p.before_op_self_ps, t.collective, false, 0e0, t.executions, 0, t.self_ps
  FROM compare_pairs p
  JOIN totals t ON t.run = p.after AND t.step_class = p.step_class
),
joined AS (
  SELECT
    before, after, step_class, collective, max(before_op_self_ps) AS before_op_self_ps,
    bool_or(is_before) AS is_before, bool_or(NOT is_before) AS is_after,
    sum(before_executions) AS before_executions, sum(after_executions) AS after_executions,
    CAST(sum(before_ps) AS BIGINT) AS before_ps, CAST(sum(after_ps) AS BIGINT) AS after_ps
  FROM sides
  GROUP BY before, after, step_class, collective
)
SELECT
  j.before, j.after, j.step_class, j.collective,
  CASE WHEN NOT j.is_before THEN 'added' WHEN NOT j.is_after THEN 'removed' ELSE 'both' END AS presence,
  j.before_executions, j.after_executions, j.before_ps, j.after_ps, j.after_ps - j.before_ps AS delta_ps,
  100 * CAST(j.after_ps - j.before_ps AS DOUBLE) / nullif(CAST(j.before_ps AS DOUBLE), 0) AS delta_pct,
  100 * CAST(j.after_ps - j.before_ps AS DOUBLE) / nullif(CAST(j.before_op_self_ps AS DOUBLE), 0) AS impact_pct,
  b.exposed_share AS before_exposed_share, a.exposed_share AS after_exposed_share
FROM joined j
LEFT JOIN collectives b ON b.run = j.before AND b.collective IS NOT DISTINCT FROM j.collective
LEFT JOIN collectives a ON a.run = j.after AND a.collective IS NOT DISTINCT FROM j.collective
ORDER BY j.before, j.after, j.step_class, abs(j.after_ps - j.before_ps) DESC, j.collective;
