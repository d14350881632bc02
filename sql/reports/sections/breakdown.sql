-- Where the time went
-- Unions of intervals over all devices; the seven parts add up to the window.
-- Brief: part, share_basis, per_step_ps, total_ps, window_share
SELECT part, share_basis, total_ps, per_step_ps, window_share
FROM run_breakdown
WHERE run = $run
ORDER BY total_ps DESC, part
