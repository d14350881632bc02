-- Kinds of ops
-- The kinds within a family: flash from splash attention, loop from output fusions, all-gather from all-reduce.
SELECT family, kind, op_count, count, total_ps, self_ps, self_share
FROM op_kinds
WHERE run = $run
ORDER BY self_ps DESC, family, kind
