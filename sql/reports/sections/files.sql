-- Files
-- The files that the run was read from, one a profiled process.
-- Report: host, process_id, paths, file_bytes, event_count, sha256
SELECT host, process_id, paths, file_bytes, event_count, host_offset_ps, sha256
FROM profile_files
WHERE run = $run
ORDER BY host, process_id, sha256
