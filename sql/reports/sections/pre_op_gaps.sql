-- Gaps before ops
-- Time in which nothing ran on the op's stream right before it; idle_ps is where the whole device did nothing.
-- Report: rank, name, category, family, phase, region, count, average_ps, max_ps, total_ps, between_steps_ps, idle_ps, idle_share
SELECT rank, name, hlo_op, category, family, phase, region, count, total_ps, average_ps, max_ps, between_steps_ps,
       gap_share, idle_ps, idle_share
FROM pre_op_gaps
WHERE run = $run AND rank <= (SELECT top FROM params)
ORDER BY rank
