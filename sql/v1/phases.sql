-- One row per (run, phase): the op time of a phase of training, over all devices and the whole capture.
-- Self times add up to the op self time of the run. Async spans do not count, they run beside the core.
-- Needs: framework paths (scopes); without them all time is in the row whose phase is NULL.
-- NULL: phase for the ops that have no framework path; self_share where no op took any time.
CREATE VIEW phases (
  -- Handle of the run.
  run,
  -- forward, backward, recompute, mixed or other; NULL for the ops without a framework path.
  phase,
  -- Distinct ops.
  op_count,
  -- Executions on all devices.
  count,
  -- Sum of self times on all devices, in picoseconds.
  self_ps,
  -- Self time of the phase / self time of all ops of the run.
  self_share
) AS
WITH totals AS (
  SELECT run, phase, count(*) AS op_count, sum(count) AS count, sum(self_ps) AS self_ps
  FROM _op_totals
  GROUP BY run, phase
)
SELECT
  run, phase, op_count, CAST(count AS BIGINT) AS count, CAST(self_ps AS BIGINT) AS self_ps,
  CAST(self_ps AS DOUBLE) / nullif(CAST(sum(self_ps) OVER (PARTITION BY run) AS DOUBLE), 0) AS self_share
FROM totals
ORDER BY run, self_ps DESC, phase;
