-- Step time
-- Start to start, median over devices, then the slowest host; over the steps that step_basis names.
-- Form: record
-- Brief: step_basis, counted_step_count, step_median_ps, step_p90_ps, step_mean_ps, step_min_ps, step_max_ps, jitter_ratio
SELECT step_source, step_count, step_basis, counted_step_count, warmup_step_count, compile_step_count,
       cut_step_count, last_step_count, step_median_ps, step_p90_ps, step_mean_ps, step_min_ps, step_max_ps, jitter_ratio
FROM run_summary
WHERE run = $run
