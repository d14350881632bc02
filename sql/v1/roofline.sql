-- One row per (run, op_id): how fast an op computed and moved bytes, against the peaks of its devices.
-- Over all devices and the whole capture, from the durations of its executions; async spans do not count.
-- bytes that a producer tells are of all memories, so that bytes_per_s can exceed the peak of HBM. Flops from HLO
-- shapes are those of dots and convolutions only, bytes from shapes the least that can be moved (ops.bytes_source).
-- A ROCm profile tells half of the data sheet's bandwidth (MI300X: 2.66 of 5.3 TB/s), which is then the peak here.
-- Needs: flops and bytes of the op, peaks of the device; the latter from the profile or device_peaks.
-- NULL: what is not known, and then bound_by too; reason says which. Peaks where the devices of the op differ in them.
CREATE VIEW roofline (
  -- Handle of the run.
  run,
  -- Position by self time within the run, from 1.
  rank,
  -- Op; joins ops and hot_ops.
  op_id,
  -- Name on the timeline: the kernel on GPU, the HLO instruction elsewhere.
  name,
  -- compute, communication, copy, sync or control.
  category,
  -- Family, as in op_families.
  family,
  -- Executions on all devices.
  count,
  -- Sum of durations on all devices, in picoseconds.
  total_ps,
  -- Sum of self times on all devices, in picoseconds.
  self_ps,
  -- Flops of all executions / total_ps, per second.
  flops_per_s,
  -- Where flops come from: producer or hlo_shapes.
  flops_source,
  -- Bytes accessed by all executions / total_ps, per second.
  bytes_per_s,
  -- Where bytes come from: producer or hlo_shapes.
  bytes_source,
  -- Flops / bytes accessed.
  intensity,
  -- Peak floating-point operations per second of the device.
  peak_flops_per_s,
  -- Who tells that peak: producer, or the name of a data sheet.
  peak_flops_source,
  -- Peak device-memory bytes per second.
  peak_hbm_bytes_per_s,
  -- Who tells that peak: producer, or the name of a data sheet.
  peak_bytes_source,
  -- flops_per_s / peak_flops_per_s.
  peak_flops_share,
  -- bytes_per_s / peak_hbm_bytes_per_s.
  peak_bytes_share,
  -- Which peak limits the op at its intensity: compute or memory.
  bound_by,
  -- Why bound_by is NULL.
  reason
) AS
WITH
peaks AS (
  SELECT
    s.run, s.op_id,
    bool_and(p.peak_flops_per_s IS NOT NULL AND p.peak_hbm_bytes_per_s IS NOT NULL) AS is_known,
    min(p.peak_flops_per_s) AS peak_flops, max(p.peak_flops_per_s) AS most_flops,
    min(p.peak_hbm_bytes_per_s) AS peak_bytes, max(p.peak_hbm_bytes_per_s) AS most_bytes,
    max(p.peak_flops_source) AS flops_source, max(p.peak_bytes_source) AS bytes_source
  FROM op_stats s
  JOIN _device_peaks p ON p.run = s.run AND p.host = s.host AND p.device = s.device
  WHERE s.count > 0
  GROUP BY s.run, s.op_id
),
kernels AS (
  SELECT
    t.run, t.op_id, o.name, t.category, t.family, t.count, t.total_ps, t.self_ps, o.flops_source, o.bytes_source,
    -- Half of an asynchronous op issues it or waits for it.
    regexp_matches(coalesce(o.opcode, o.hlo_category, o.canonical_name), '-(start|update|done)$') AS is_half,
    CAST(t.flops AS DOUBLE) AS flops, CAST(t.bytes AS DOUBLE) AS bytes,
    p.is_known, p.most_flops <> p.peak_flops OR p.most_bytes <> p.peak_bytes AS is_mixed,
    CASE WHEN p.most_flops = p.peak_flops THEN p.peak_flops END AS peak_flops,
    CASE WHEN p.most_flops = p.peak_flops THEN p.flops_source END AS peak_flops_source,
    CASE WHEN p.most_bytes = p.peak_bytes THEN p.peak_bytes END AS peak_bytes,
    CASE WHEN p.most_bytes = p.peak_bytes THEN p.bytes_source END AS peak_bytes_source
  FROM _op_totals t
  JOIN ops o ON o.run = t.run AND o.op_id = t.op_id
  LEFT JOIN peaks p ON p.run = t.run AND p.op_id = t.op_id
),
rated AS (
  SELECT
    run, op_id, name, category, family, count, total_ps, self_ps, flops_source, bytes_source,
    peak_flops, peak_flops_source, peak_bytes, peak_bytes_source,
    CASE WHEN NOT is_half THEN 1e12 * flops / nullif(CAST(total_ps AS DOUBLE), 0) END AS flops_per_s,
    CASE WHEN NOT is_half THEN 1e12 * bytes / nullif(CAST(total_ps AS DOUBLE), 0) END AS bytes_per_s,
    CASE WHEN NOT is_half THEN flops / nullif(bytes, 0) END AS intensity,
    CASE
      WHEN flops / nullif(CAST(peak_flops AS DOUBLE), 0) >= bytes / nullif(CAST(peak_bytes AS DOUBLE), 0)
        THEN 'compute'
      ELSE 'memory'
    END AS bound_by,
    CASE
      WHEN category = 'control' THEN 'its time is that of the ops inside it'
      WHEN category IN ('communication', 'sync') THEN 'it waits for other devices or the host'
      WHEN is_half THEN 'half of an asynchronous op: its time is not that of the work'
      WHEN flops IS NULL AND bytes IS NULL THEN 'flops and bytes are unknown'
      WHEN flops IS NULL THEN 'flops are unknown'
      WHEN bytes IS NULL THEN 'bytes are unknown'
      WHEN flops = 0 AND bytes = 0 THEN 'it computes and moves nothing'
      WHEN NOT coalesce(is_known, false) THEN 'the peaks of its devices are unknown'
      WHEN is_mixed THEN 'its devices have different peaks'
    END AS reason
  FROM kernels
)
SELECT
  run, row_number() OVER (PARTITION BY run ORDER BY self_ps DESC, op_id) AS rank, op_id, name, category, family,
  count, total_ps, self_ps, flops_per_s, flops_source, bytes_per_s, bytes_source, intensity,
  peak_flops AS peak_flops_per_s, peak_flops_source, peak_bytes AS peak_hbm_bytes_per_s, peak_bytes_source,
  flops_per_s / nullif(CAST(peak_flops AS DOUBLE), 0) AS peak_flops_share,
  bytes_per_s / nullif(CAST(peak_bytes AS DOUBLE), 0) AS peak_bytes_share,
  CASE WHEN reason IS NULL THEN bound_by END AS bound_by, reason
FROM rated
ORDER BY run, rank;
