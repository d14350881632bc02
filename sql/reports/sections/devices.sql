-- Devices
-- The same parts per device.
-- Report: host, device, share_basis, step_count, window_ps, compute_only_ps, overlapped_ps, comm_exposed_ps, copy_ps, sync_ps, control_ps, idle_ps, busy_share
SELECT host, device, share_basis, step_count, window_ps, busy_ps, compute_only_ps, overlapped_ps, comm_exposed_ps,
       copy_ps, sync_ps, control_ps, idle_ps, busy_share, total_flops
FROM device_breakdown
WHERE run = $run
ORDER BY host, device
