-- One row per device_kind whose data sheet tells its peaks: what views take where a profile does not tell them.
CREATE TABLE device_peaks (
  -- The device_kind of the chip's devices in lower case; a chip that has several names has a row for each.
  device_kind VARCHAR NOT NULL,
  -- Peak bfloat16 floating-point operations per second of one chip, dense.
  peak_flops_per_s BIGINT NOT NULL,
  -- Peak device-memory bytes per second of one chip.
  peak_hbm_bytes_per_s BIGINT NOT NULL,
  -- Data sheet that tells both.
  source VARCHAR NOT NULL
);
