-- One row per (run, host, device, step_num): a window that step_breakdown measures; step_num NULL is the whole capture.
-- The whole capture is the run's window, on every device that executed an op.
CREATE VIEW _windows AS
SELECT run, host, device, step_num, start_ps, duration_ps AS window_ps FROM steps
UNION ALL
SELECT d.run, d.host, d.device, NULL, r.window_start_ps, r.window_ps
FROM devices d
JOIN runs r ON r.run = d.run
WHERE d.op_count > 0 AND r.window_ps IS NOT NULL;
