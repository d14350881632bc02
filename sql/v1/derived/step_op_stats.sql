-- One row per (run, step_num, op_id): what an op did in one step, on all devices that numbers of the run count.
-- SparseCores count only where there is nothing else, as in run_summary. Async rows (is_async) and executions in no
-- step do not count; per step, the self times of a category add up to those of step_breakdown.
CREATE TABLE step_op_stats (
  -- Handle of the run.
  run VARCHAR NOT NULL,
  -- Step.
  step_num BIGINT NOT NULL,
  -- Op; joins ops and op_classes.
  op_id BIGINT NOT NULL,
  -- Executions, aggregated ones included.
  count BIGINT NOT NULL,
  -- Sum of self times, in picoseconds.
  self_ps BIGINT NOT NULL
);

INSERT INTO step_op_stats
SELECT
  e.run, e.step_num, e.op_id, CAST(sum(e.occurrences) AS BIGINT) AS count, CAST(sum(e.self_ps) AS BIGINT) AS self_ps
FROM op_events e
JOIN _main_devices d ON d.run = e.run AND d.host = e.host AND d.device = e.device
WHERE e.step_num IS NOT NULL AND NOT e.is_async
GROUP BY e.run, e.step_num, e.op_id;
