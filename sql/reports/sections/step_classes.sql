-- Kinds of steps
-- Light and heavy steps apart, where there are two kinds.
-- Brief: step_class, step_count, median_ps, p90_ps, duration_share, period_step_count, representative_step_num
SELECT step_class, step_basis, step_count, step_share, duration_share, median_ps, p90_ps, mean_ps, min_ps, max_ps,
       period_step_count, representative_step_num
FROM step_classes
WHERE run = $run
ORDER BY median_ps
