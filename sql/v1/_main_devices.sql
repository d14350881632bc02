-- One row per (run, host, device): a device that numbers of the whole run count.
-- A SparseCore works beside its TensorCore, so it counts only where the run has nothing else.
CREATE VIEW _main_devices AS
SELECT run, host, device, peak_flops_per_s
FROM (
  SELECT
    run, host, device, peak_flops_per_s, core_kind,
    bool_and(core_kind = 'sparsecore') OVER (PARTITION BY run) AS only_sparse
  FROM devices
  WHERE op_count > 0
)
WHERE only_sparse OR core_kind <> 'sparsecore';
