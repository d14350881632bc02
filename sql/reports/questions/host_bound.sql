-- Do devices wait for the host?
-- Ask: do devices wait for the host
-- Ask: host bound
-- Ask: input bound
-- Ask: input pipeline bottleneck
-- Ask: waiting for input
-- Ask: slow input
-- Ask: is the host the bottleneck
-- Title: Waiting for the host
-- Note: Time in which devices did nothing, by what the thread that feeds them did meanwhile.
-- Brief: host, thread, device_count, idle_ps, host_wait_ps, both_wait_ps, untraced_ps, host_wait_share, untraced_share, reason
-- Answer: Devices wait for their host {host} for {host_wait_share} of the window ({host_wait_ps}); for {untraced_share} more nothing tells what it did.
-- Cannot tell: {reason}; devices are idle for {idle_ps}.
SELECT
  host, thread, device_count, idle_ps, host_wait_ps, both_wait_ps, untraced_ps, host_wait_share, untraced_share,
  reason
FROM host_bound
WHERE run = $run
ORDER BY host_wait_share DESC NULLS LAST, host
LIMIT (SELECT top FROM params)
