-- One row per (run, host, allocator): the highest memory use that an allocator reported during the capture.
-- In use is allocated plus reserved. What no allocation changed during the capture is in the figures all the same:
-- every event tells the allocator's state, so peak_bytes is no sum of events.
-- Needs: host events with MemoryAllocation and MemoryDeallocation (GPU and TPU runtimes record them).
-- NULL: allocator and device where the events do not tell them; what the allocator does not report.
CREATE VIEW memory_peaks (
  -- Handle of the run.
  run,
  -- Host.
  host,
  -- Allocator as the runtime names it, for example GPU_0_bfc; the device where it has no name (TPU).
  allocator,
  -- Device whose memory it is; NULL for memory of the host.
  device,
  -- Allocations during the capture.
  allocation_count,
  -- Deallocations during the capture.
  deallocation_count,
  -- Highest use during the capture, in bytes.
  peak_bytes,
  -- When that was reached first, in picoseconds since the profile start.
  peak_at_ps,
  -- Reserved by the runtime at that time (stacks), part of peak_bytes, in bytes.
  reserved_bytes,
  -- Free at that time, in bytes.
  available_bytes,
  -- peak_bytes / (peak_bytes + available_bytes).
  peak_share,
  -- Fragmentation at that time: (free bytes - largest free block) / free bytes, as the allocator reports it.
  fragmentation_ratio,
  -- Highest use since the process started, as the allocator reports it, in bytes; that of a TPU leaves out the reserved.
  process_peak_bytes
) AS
WITH
allocations AS (
  SELECT
    run, host, name, start_ps,
    args['allocator_name'] AS allocator_name,
    'TPU:' || args['index_on_host'] AS tpu,
    'GPU:' || nullif(regexp_extract(args['allocator_name'], '^(?i:GPU)_([0-9]+)(_.*)?$', 1), '') AS gpu,
    TRY_CAST(args['bytes_allocated'] AS BIGINT) + coalesce(TRY_CAST(args['bytes_reserved'] AS BIGINT), 0) AS used_bytes,
    TRY_CAST(args['bytes_reserved'] AS BIGINT) AS reserved_bytes,
    TRY_CAST(args['bytes_available'] AS BIGINT) AS available_bytes,
    TRY_CAST(args['peak_bytes_in_use'] AS BIGINT) AS process_peak_bytes,
    TRY_CAST(args['fragmentation'] AS DOUBLE) AS fragmentation_ratio
  FROM host_events
  WHERE name IN ('MemoryAllocation', 'MemoryDeallocation')
),
placed AS (
  SELECT
    run, host, name, start_ps, coalesce(allocator_name, tpu) AS allocator,
    coalesce(gpu, CASE WHEN allocator_name IS NULL THEN tpu END) AS device,
    used_bytes, reserved_bytes, available_bytes, process_peak_bytes, fragmentation_ratio
  FROM allocations
),
ranked AS (
  SELECT
    run, host, allocator, device, used_bytes, start_ps, reserved_bytes, available_bytes, fragmentation_ratio,
    count(*) FILTER (WHERE name = 'MemoryAllocation') OVER (PARTITION BY run, host, allocator) AS allocation_count,
    count(*) FILTER (WHERE name = 'MemoryDeallocation') OVER (PARTITION BY run, host, allocator) AS deallocation_count,
    max(process_peak_bytes) OVER (PARTITION BY run, host, allocator) AS process_peak_bytes,
    row_number() OVER (
      PARTITION BY run, host, allocator ORDER BY used_bytes DESC NULLS LAST, start_ps NULLS LAST, fragmentation_ratio
    ) AS rank
  FROM placed
)
SELECT
  run, host, allocator, device, allocation_count, deallocation_count, used_bytes AS peak_bytes,
  CASE WHEN used_bytes IS NOT NULL THEN start_ps END AS peak_at_ps, reserved_bytes, available_bytes,
  CAST(used_bytes AS DOUBLE) / nullif(CAST(used_bytes + available_bytes AS DOUBLE), 0) AS peak_share,
  fragmentation_ratio, process_peak_bytes
FROM ranked
WHERE rank = 1
ORDER BY run, host, peak_bytes DESC NULLS LAST, allocator;
