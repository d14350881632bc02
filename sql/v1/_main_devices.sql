-- One row per (run, host, device): a device that numbers of the whole run count.
-- A SparseCore works beside its TensorCore, so it counts only where the run has nothing else.
CREATE VIEW _main_devices AS
SELECT d.run, d.host, d.device, p.peak_flops_per_s
FROM (
  SELECT run, host, device, core_kind, bool_and(core_kind = 'sparsecore') OVER (PARTITION BY run) AS only_sparse
  FROM devices
  WHERE op_count > 0
) d
JOIN _device_peaks p ON p.run = d.run AND p.host = d.host AND p.device = d.device
WHERE d.only_sparse OR d.core_kind <> 'sparsecore';
