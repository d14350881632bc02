-- Shares per track
-- Self time of device streams and host threads, over all of them.
-- Form: record
SELECT self_ps, track_compute_share, track_communication_share, track_host_share, track_stall_share,
       track_other_share
FROM track_shares
WHERE run = $run
ORDER BY run
