-- One row per (run, host, device): a core that can execute ops.
-- Devices whose plane was captured but recorded nothing are rows too (op_count 0).
CREATE TABLE devices (
  -- Handle of the run.
  run VARCHAR NOT NULL,
  -- Host that the device is attached to.
  host VARCHAR NOT NULL,
  -- Device: TPU:0, TPU:0/SC:0 (SparseCore), GPU:3, CPU:5.
  device VARCHAR NOT NULL,
  -- Number of the device on its host.
  ordinal BIGINT,
  -- Kind of core: tensorcore, sparsecore, gpu, cpu or custom.
  core_kind VARCHAR NOT NULL,
  -- Name of the plane in the profile.
  plane_name VARCHAR,
  -- Device model, as the producer names it.
  device_kind VARCHAR,
  -- Vendor, as the producer names it.
  vendor VARCHAR,
  -- Peak floating-point operations per second.
  peak_flops_per_s BIGINT,
  -- Peak device-memory bytes per second.
  peak_hbm_bytes_per_s BIGINT,
  -- Device memory in bytes.
  memory_bytes BIGINT,
  -- Op executions recorded on the device.
  op_count BIGINT NOT NULL,
  -- The plane's own stats, as text.
  stats MAP(VARCHAR, VARCHAR)
);
