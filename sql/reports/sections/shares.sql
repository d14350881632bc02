-- Shares
-- Of the windows that share_basis names, which are measured_share of the capture; self times are of all ops.
-- Form: record
-- Brief: share_basis, measured_share, busy_share, compute_share, communication_share, exposed_communication_share, copy_share, stall_share, host_wait_share, mfu_ratio
SELECT share_basis, measured_share, busy_share, compute_share, communication_share, exposed_communication_share,
       overlapped_communication_share, copy_share, stall_share, idle_share, host_wait_share, mfu_ratio
FROM run_summary
WHERE run = $run
