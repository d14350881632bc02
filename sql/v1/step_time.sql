-- One row per (run, step_num): the step time that is reported and gated, in steps that the devices saw.
-- Step time is start-to-start: median over the devices of a host, then the slowest host.
-- SparseCores count only where no TensorCore has steps.
-- Needs: step annotations, a Steps line or program executions that tell the steps.
-- NULL: duration_ps never; marker_duration_ps where steps come from modules; module_span_ps where no program
-- execution was recorded; has_compile where host events were not captured; step_basis where the step does not count.
CREATE VIEW step_time (
  -- Handle of the run.
  run,
  -- Number of the step.
  step_num,
  -- Where the step comes from: device, host or module.
  source,
  -- Start of the step on the device that began it first, in picoseconds.
  start_ps,
  -- Step time: first op to the next step's first op, median over devices, maximum over hosts, in picoseconds.
  duration_ps,
  -- Duration of the step marker, median over devices, maximum over hosts, in picoseconds.
  marker_duration_ps,
  -- First start to last end of the main program, median over devices, maximum over hosts, in picoseconds.
  module_span_ps,
  -- Devices that executed the step.
  device_count,
  -- Whether every device has the step wholly inside the capture.
  is_whole,
  -- Whether a compilation ran inside the step on any host.
  has_compile,
  -- Whether the step is among the first params.warmup_steps of its process; false where steps come from modules.
  is_warmup,
  -- Whether the step is whole, not warm-up, without compilation and not the last: what statistics are made of.
  is_steady,
  -- Why statistics count the step: steady, or whole where no step of the run is steady; NULL where they do not.
  step_basis
) AS
WITH
labelled AS (
  SELECT
    run, host, device, step_num, source, start_ps, duration_ps, marker_duration_ps, module_span_ps,
    is_whole, has_compile, ordinal_in_process,
    device LIKE '%/SC:%' AS is_sparse, bool_and(device LIKE '%/SC:%') OVER (PARTITION BY run) AS only_sparse
  FROM steps
),
core_steps AS (
  SELECT
    run, host, device, step_num, source, start_ps, duration_ps, marker_duration_ps, module_span_ps,
    is_whole, has_compile, ordinal_in_process
  FROM labelled
  WHERE only_sparse OR NOT is_sparse
),
by_host AS (
  SELECT
    run, host, step_num, max(source) AS source, min(start_ps) AS start_ps, count(*) AS device_count,
    median(duration_ps) AS duration_ps, median(marker_duration_ps) AS marker_duration_ps,
    median(module_span_ps) AS module_span_ps,
    bool_and(is_whole) AS is_whole, bool_or(has_compile) AS has_compile,
    min(coalesce(ordinal_in_process, step_num)) AS ordinal
  FROM core_steps
  GROUP BY run, host, step_num
),
by_run AS (
  SELECT
    run, step_num, max(source) AS source, min(start_ps) AS start_ps,
    CAST(sum(device_count) AS BIGINT) AS device_count,
    CAST(round(max(duration_ps)) AS BIGINT) AS duration_ps,
    CAST(round(max(marker_duration_ps)) AS BIGINT) AS marker_duration_ps,
    CAST(round(max(module_span_ps)) AS BIGINT) AS module_span_ps,
    bool_and(is_whole) AS is_whole, bool_or(has_compile) AS has_compile,
    min(ordinal) AS ordinal
  FROM by_host
  GROUP BY run, step_num
),
ordered AS (
  SELECT
    b.run, b.step_num, b.source, b.start_ps, b.duration_ps, b.marker_duration_ps, b.module_span_ps,
    b.device_count, b.is_whole, b.has_compile,
    b.source <> 'module' AND b.ordinal < p.warmup_steps AS is_warmup,
    row_number() OVER (PARTITION BY b.run ORDER BY b.start_ps DESC, b.step_num DESC) = 1 AS is_last
  FROM by_run b
  CROSS JOIN params p
),
judged AS (
  SELECT
    run, step_num, source, start_ps, duration_ps, marker_duration_ps, module_span_ps, device_count,
    is_whole, has_compile, is_warmup, is_whole AND NOT is_last AS is_countable,
    is_whole AND NOT is_warmup AND NOT coalesce(has_compile, false) AND NOT is_last AS is_steady
  FROM ordered
)
SELECT
  run, step_num, source, start_ps, duration_ps, marker_duration_ps, module_span_ps, device_count,
  is_whole, has_compile, is_warmup, is_steady,
  CASE
    WHEN is_steady THEN 'steady'
    WHEN is_countable AND NOT bool_or(is_steady) OVER (PARTITION BY run) THEN 'whole'
  END AS step_basis
FROM judged
ORDER BY run, step_num;
