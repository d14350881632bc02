-- Shares
-- Self times are of all ops; the other shares are of the window.
-- Form: record
-- Brief: share_basis, busy_share, compute_share, communication_share, exposed_communication_share, stall_share, mfu_ratio
SELECT share_basis, busy_share, compute_share, communication_share, exposed_communication_share,
       overlapped_communication_share, stall_share, idle_share, mfu_ratio
FROM run_summary
WHERE run = $run
