-- Waiting for the host
-- Time in which devices did nothing, by what the thread that feeds them did meanwhile.
SELECT host, thread, device_count, idle_ps, host_wait_ps, both_wait_ps, untraced_ps, host_wait_share,
       untraced_share, reason
FROM host_bound
WHERE run = $run
ORDER BY host
