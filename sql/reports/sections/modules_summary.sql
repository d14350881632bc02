-- Programs
-- Executions of compiled programs; several programs of one name are recompilations.
SELECT module, is_main, device_count, count, total_ps, average_ps, median_ps, total_share, program_count,
       recompile_count
FROM modules_summary
WHERE run = $run
ORDER BY total_ps DESC, module
LIMIT (SELECT top FROM params)
