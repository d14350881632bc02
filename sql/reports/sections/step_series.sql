-- Steps
-- Every step that the devices saw.
-- Report: step_num, duration_ps, marker_duration_ps, module_span_ps, device_count, is_whole, has_compile, is_warmup, is_steady
SELECT step_num, source, start_ps, duration_ps, marker_duration_ps, module_span_ps, device_count, is_whole,
       has_compile, is_warmup, is_steady
FROM step_time
WHERE run = $run
ORDER BY step_num
