-- One row per (run, host, device): the peaks of the device and who tells them: the producer, else a data sheet.
-- A data sheet is of a chip, so it tells nothing of SparseCores.
CREATE VIEW _device_peaks AS
SELECT
  d.run, d.host, d.device,
  coalesce(d.peak_flops_per_s, p.peak_flops_per_s) AS peak_flops_per_s,
  CASE WHEN d.peak_flops_per_s IS NOT NULL THEN 'producer' ELSE p.source END AS peak_flops_source,
  coalesce(d.peak_hbm_bytes_per_s, p.peak_hbm_bytes_per_s) AS peak_hbm_bytes_per_s,
  CASE WHEN d.peak_hbm_bytes_per_s IS NOT NULL THEN 'producer' ELSE p.source END AS peak_bytes_source
FROM devices d
LEFT JOIN device_peaks p
  ON d.core_kind IN ('tensorcore', 'gpu') AND p.device_kind = lower(d.device_kind);
