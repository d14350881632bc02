-- Roofline
-- How fast the hottest ops compute and move bytes, against the peaks of the device.
-- Report: rank, name, family, count, self_ps, flops_per_s, peak_flops_share, bytes_per_s, peak_bytes_share, intensity, bound_by, reason
SELECT rank, name, category, family, count, total_ps, self_ps, flops_per_s, flops_source, bytes_per_s, bytes_source,
       intensity, peak_flops_per_s, peak_flops_source, peak_hbm_bytes_per_s, peak_bytes_source, peak_flops_share,
       peak_bytes_share, bound_by, reason
FROM roofline
WHERE run = $run AND rank <= (SELECT top FROM params)
ORDER BY rank
