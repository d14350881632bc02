-- Stragglers
-- Who arrives last in collectives: the wait that it causes and suffers.
-- Report: host, device, status, count, last_count, last_share, wait_caused_ps, wait_suffered_ps, wait_share, reason
SELECT host, device, status, reason, count, last_count, last_share, wait_caused_ps, wait_suffered_ps,
       wait_share
FROM stragglers
WHERE run = $run
ORDER BY wait_caused_ps DESC NULLS LAST, host, device
LIMIT (SELECT top FROM params)
