-- Gaps by region
-- The same gaps by the region of the op behind them, with the op that ran before.
-- Report: canonical_name, region, count, average_ps, max_ps, between_steps_ps, idle_ps, idle_share, previous_name, previous_region
SELECT canonical_name, region, op_count, count, total_ps, average_ps, max_ps, between_steps_ps, gap_share, idle_ps,
       idle_share, previous_name, previous_region
FROM gap_regions
WHERE run = $run
ORDER BY idle_ps DESC, total_ps DESC, canonical_name, region
LIMIT (SELECT top FROM params)
