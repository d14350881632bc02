-- One row per program execution on a device.
CREATE TABLE modules (
  -- Handle of the run.
  run VARCHAR NOT NULL,
  -- Host.
  host VARCHAR NOT NULL,
  -- Device.
  device VARCHAR NOT NULL,
  -- HLO module name, without the program id.
  module VARCHAR NOT NULL,
  -- Id of the compiled program.
  program_id UBIGINT,
  -- Launch: XLA's run_id.
  launch_id VARCHAR,
  -- Step that the execution belongs to; NULL where unassigned.
  step_num BIGINT,
  -- How the step was found: device, launch, time, module or none.
  assignment VARCHAR NOT NULL,
  -- Whether this is the run's main program, the one with most device time; recompiled, it keeps its module name.
  is_main BOOLEAN NOT NULL,
  -- Start in picoseconds.
  start_ps BIGINT NOT NULL,
  -- Duration in picoseconds.
  duration_ps BIGINT NOT NULL
);
