-- What the host did meanwhile
-- Its events while devices waited for it, the longest first.
SELECT host, rank, name, host_wait_ps, host_wait_share
FROM host_bound_frames
WHERE run = $run
ORDER BY host, rank
LIMIT (SELECT top FROM params)
