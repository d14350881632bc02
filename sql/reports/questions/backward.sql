-- What is slow in the backward pass?
-- Ask: slow in the backward pass
-- Ask: slow ops in the backward pass
-- Ask: backward
-- Ask: slow backward computation
-- Ask: why is the backward pass slow
-- Ask: backward time
-- Ask: backward ops
-- Title: Hottest ops of the backward pass
-- Note: By self time on all devices over the whole capture; phase_share is of the backward pass.
-- Brief: name, category, region, source, count, self_ps, phase_share, self_share
-- Needs: framework paths
-- Empty: No op with a framework path is of the backward pass.
-- Answer: {name} is the slowest op of the backward pass: {phase_share} of it. The backward pass is {backward_share} of the op self time.
SELECT
  h.name, h.hlo_op, h.module, h.category, h.family, h.region, h.source, h.count, h.average_ps, h.self_ps,
  CAST(h.self_ps AS DOUBLE) / nullif(CAST(p.self_ps AS DOUBLE), 0) AS phase_share, h.self_share,
  p.self_ps AS backward_ps, p.self_share AS backward_share
FROM hot_ops h
JOIN phases p ON p.run = h.run AND p.phase = h.phase
WHERE h.run = $run AND h.phase = 'backward'
ORDER BY h.rank
LIMIT (SELECT top FROM params)
