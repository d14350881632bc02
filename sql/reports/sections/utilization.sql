-- Counters
-- Hardware counters over the window.
SELECT host, device, name, unit, sample_basis, count, min_value, mean_value, max_value
FROM utilization
WHERE run = $run
ORDER BY host, device, name
LIMIT (SELECT top FROM params)
