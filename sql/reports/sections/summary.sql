-- The run
-- What was captured.
-- Form: record
-- Report: platform, device_kind, device_count, expected_device_count, host_count, expected_host_count, process_count, expected_process_count, started_at, window_ps
-- Brief: platform, device_kind, device_count, host_count, started_at, window_ps, quality
SELECT run, platform, device_kind, device_count, expected_device_count, host_count, expected_host_count,
       process_count, expected_process_count, started_at, window_ps, quality, quality_sentence
FROM run_summary
WHERE run = $run
