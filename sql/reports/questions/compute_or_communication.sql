-- Is it compute or communication?
-- Ask: compute or communication
-- Ask: compute or communication bound
-- Ask: is compute or communication the bottleneck
-- Ask: dominated by communication
-- Ask: communication share
-- Ask: how much time is communication
-- Ask: communication bound
-- Ask: how much is compute
-- Ask: where does the time go
-- Ask: time breakdown
-- Ask: time breakdown of a step
-- Ask: how busy are devices
-- Ask: busy or idle
-- Title: Where the time went
-- Note: Unions of intervals over all devices; the parts add up to the windows that share_basis names.
-- Brief: part, what, share_basis, per_step_ps, total_ps, window_share
-- Answer: Mostly {what}: {window_share} of the {share_basis}. Of the time in ops, {compute_share} is compute and {communication_share} communication.
-- Answer: Mostly {what}: {window_share} of the {share_basis}.
SELECT
  b.part,
  CASE b.part
    WHEN 'compute_only' THEN 'compute'
    WHEN 'overlapped' THEN 'communication hidden behind compute'
    WHEN 'comm_exposed' THEN 'communication that no compute hides'
    WHEN 'copy' THEN 'copies'
    WHEN 'sync' THEN 'synchronisation'
    WHEN 'control' THEN 'control flow'
    ELSE 'idle devices'
  END AS what,
  b.share_basis, b.total_ps, b.per_step_ps, b.window_share, s.compute_share, s.communication_share
FROM run_breakdown b
JOIN run_summary s ON s.run = b.run
WHERE b.run = $run
ORDER BY b.total_ps DESC, b.part
