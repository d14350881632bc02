-- One row per ingested profile: a run, which is the set of its files.
-- NULL: a fact that the profile, its manifest and its layout do not tell.
CREATE TABLE runs (
  -- Handle of the run, unique in the warehouse; joins every other table.
  run VARCHAR NOT NULL,
  -- Run id from the folder layout or the capture manifest.
  run_id VARCHAR,
  -- Profiling session, the folder under plugins/profile.
  session VARCHAR,
  -- When the profile started, to the microsecond.
  started_at TIMESTAMPTZ,
  -- Profile start in nanoseconds since the epoch; every start_ps of the run counts from here.
  profile_start_ns BIGINT,
  -- First op start over all devices, in picoseconds since the profile start.
  window_start_ps BIGINT,
  -- First op start to last op end over all devices, in picoseconds.
  window_ps BIGINT,
  -- Device platform: tpu, gpu or cpu.
  platform VARCHAR,
  -- Device model, as the producer names it.
  device_kind VARCHAR,
  -- Devices on which anything was recorded; a TPU and its SparseCores are one.
  device_count BIGINT,
  -- Distinct machines with a profile.
  host_count BIGINT,
  -- Profiled processes, one per source file.
  process_count BIGINT,
  -- Devices that were to be profiled, as the capture manifest tells.
  expected_device_count BIGINT,
  -- Hosts that were to be profiled, as told by the user or the capture manifest.
  expected_host_count BIGINT,
  -- Processes that were to be profiled, as told by the capture manifest or the profile.
  expected_process_count BIGINT,
  -- Version of jax.
  jax_version VARCHAR,
  -- Version of jaxlib.
  jaxlib_version VARCHAR,
  -- Version text of the device runtime (libtpu, CUDA, ROCm or the CPU client).
  runtime_version VARCHAR,
  -- Commit of the training code.
  git_sha VARCHAR,
  -- Device mesh, as text.
  mesh VARCHAR,
  -- Hash of the training configuration.
  config_hash VARCHAR,
  -- The user's key=value tags.
  tags MAP(VARCHAR, VARCHAR),
  -- Further facts, by the keys in docs/capture.md: flag.*, version.*, capture.*, job.*, host_cpu_count.
  facts MAP(VARCHAR, VARCHAR),
  -- Where the profile was read from.
  source_uri VARCHAR,
  -- SHA-256 over the sorted SHA-256 of the run's files, in hex.
  content_sha256 VARCHAR NOT NULL,
  -- Whether a file or a host is known to be missing.
  is_partial BOOLEAN NOT NULL,
  -- Input format: xplane, or trace_json where no file is an XPlane.
  format VARCHAR NOT NULL,
  -- Where steps come from: device, host or module; NULL where there are none.
  step_source VARCHAR,
  -- Version of profdb that ingested the run.
  profdb_version VARCHAR NOT NULL,
  -- Version of the extractor; a newer one may replace the run without a flag.
  extractor_version BIGINT NOT NULL,
  -- Version of the table schemas.
  schema_version BIGINT NOT NULL,
  -- When the run was ingested.
  ingested_at TIMESTAMPTZ NOT NULL
);
