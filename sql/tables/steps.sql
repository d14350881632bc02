-- One row per (run, host, device, step_num): a training step as a device saw it.
-- Step time is duration_ps: from the step's first op to the next step's first op; the last step ends with its last op.
CREATE TABLE steps (
  -- Handle of the run.
  run VARCHAR NOT NULL,
  -- Host.
  host VARCHAR NOT NULL,
  -- Device.
  device VARCHAR NOT NULL,
  -- Number of the step.
  step_num BIGINT NOT NULL,
  -- Name of the marker, for example train; NULL where steps come from modules.
  name VARCHAR,
  -- Start of the step's first op on the device, in picoseconds.
  start_ps BIGINT NOT NULL,
  -- Start-to-start step time, in picoseconds.
  duration_ps BIGINT NOT NULL,
  -- Start of the step marker, in picoseconds; NULL where steps come from modules.
  marker_start_ps BIGINT,
  -- Duration of the step marker, in picoseconds; NULL where steps come from modules.
  marker_duration_ps BIGINT,
  -- First start to last end of the step's main-program executions, in picoseconds.
  module_span_ps BIGINT,
  -- Position of the step since the process started; NULL when unknown.
  ordinal_in_process BIGINT,
  -- Where the step comes from: device, host or module.
  source VARCHAR NOT NULL,
  -- Whether marker and ops lie wholly inside the capture.
  is_whole BOOLEAN NOT NULL,
  -- Whether a compilation ran inside the step's marker; NULL when host events were not captured.
  has_compile BOOLEAN
);
