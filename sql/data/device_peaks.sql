-- One row per kind of chip whose data sheet tells its peaks: what views take where a profile does not tell them.
CREATE TABLE device_peaks (
  -- Regular expression (RE2) that the whole device_kind must match; each kind matches one at most.
  pattern VARCHAR NOT NULL,
  -- Peak bfloat16 floating-point operations per second of one chip, dense.
  peak_flops_per_s BIGINT NOT NULL,
  -- Peak device-memory bytes per second of one chip.
  peak_hbm_bytes_per_s BIGINT NOT NULL,
  -- Data sheet that tells both.
  source VARCHAR NOT NULL
);
