-- Phases of training
-- Forward, backward and recompute, by the framework path of the ops.
-- Brief: phase, op_count, count, self_ps, self_share
SELECT phase, op_count, count, self_ps, self_share
FROM phases
WHERE run = $run
ORDER BY self_ps DESC, phase
