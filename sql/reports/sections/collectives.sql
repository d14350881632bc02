-- Collectives
-- By kind, over all devices; exposed is the time in which no compute runs beside them.
-- Brief: collective, count, total_ps, exposed_ps, overlapped_ps, exposed_share, mesh_axis
-- Report: collective, count, average_ps, span_ps, exposed_ps, overlapped_ps, exposed_share, bytes_per_s, group_device_count, mesh_axis
-- Empty: No collective was recorded.
SELECT collective, op_count, device_count, count, total_ps, average_ps, span_ps, exposed_ps, overlapped_ps,
       window_share, exposed_share, total_bytes, bytes_per_s, replica_groups, group_device_count, mesh_axis
FROM collectives
WHERE run = $run
ORDER BY span_ps DESC, collective
