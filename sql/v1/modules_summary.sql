-- One row per (run, module): the programs of one name, over all devices and the whole capture, the longest first.
-- Two programs of one name are a recompilation, or two functions that share the name. An execution that the edge of
-- the capture cuts counts with the time that was captured; steps tell which ones are whole.
-- Needs: program executions: a modules line (TPU) or launch ids (CPU); captures of GPUs have none.
-- NULL: program_count and recompile_count where no execution tells its program; total_share where no time was recorded.
CREATE VIEW modules_summary (
  -- Handle of the run.
  run,
  -- HLO module name, without the program id.
  module,
  -- Whether it is the run's main program, the one with most device time.
  is_main,
  -- Devices that executed it.
  device_count,
  -- Executions on all devices.
  count,
  -- Sum of their durations, in picoseconds.
  total_ps,
  -- Mean duration of an execution, in picoseconds.
  average_ps,
  -- Median duration of an execution, in picoseconds.
  median_ps,
  -- total_ps / sum of the durations of all program executions of the run.
  total_share,
  -- Distinct compiled programs of the name, on the host that has most.
  program_count,
  -- Programs of the name beyond the first: program_count - 1.
  recompile_count
) AS
WITH
by_host AS (
  SELECT run, host, module, count(DISTINCT program_id) AS program_count
  FROM modules
  GROUP BY run, host, module
),
programs AS (
  SELECT run, module, nullif(max(program_count), 0) AS program_count
  FROM by_host
  GROUP BY run, module
),
totals AS (
  SELECT
    run, module, bool_or(is_main) AS is_main, count(DISTINCT host || ' ' || device) AS device_count,
    count(*) AS count, CAST(sum(duration_ps) AS BIGINT) AS total_ps, avg(duration_ps) AS average_ps,
    median(duration_ps) AS median_ps
  FROM modules
  GROUP BY run, module
)
SELECT
  t.run, t.module, t.is_main, t.device_count, t.count, t.total_ps,
  CAST(round(t.average_ps) AS BIGINT) AS average_ps, CAST(round(t.median_ps) AS BIGINT) AS median_ps,
  CAST(t.total_ps AS DOUBLE) / nullif(CAST(sum(t.total_ps) OVER (PARTITION BY t.run) AS DOUBLE), 0) AS total_share,
  p.program_count, p.program_count - 1 AS recompile_count
FROM totals t
JOIN programs p ON p.run = t.run AND p.module = t.module
ORDER BY t.run, total_ps DESC, module;
