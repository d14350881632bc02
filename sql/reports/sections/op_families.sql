-- Families of ops
-- Attention, matmul, collective and so on, by self time.
-- Report: family, op_count, count, self_ps, self_share, total_flops, flops_known_share, hottest_name, hottest_share
SELECT family, op_count, count, total_ps, self_ps, self_share, total_flops, flops_known_share, ps_per_flop,
       total_bytes, hottest_name, hottest_share
FROM op_families
WHERE run = $run
ORDER BY self_ps DESC, family
