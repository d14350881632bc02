-- Hottest ops
-- By self time on all devices over the whole capture.
-- Brief: name, category, phase, region, count, self_ps, self_share
-- Report: rank, name, category, family, phase, region, source, count, average_ps, self_ps, self_share
SELECT rank, name, hlo_op, module, category, family, phase, region, source, shape, count, total_ps, self_ps,
       average_ps, self_share, total_flops, total_bytes
FROM hot_ops
WHERE run = $run AND rank <= (SELECT top FROM params)
ORDER BY rank
