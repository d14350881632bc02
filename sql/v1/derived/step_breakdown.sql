-- One row per (run, host, device, step_num), and one with step_num NULL for the whole capture window of the device.
-- The seven parts are unions of intervals and add up exactly to window_ps:
-- compute_only + overlapped + comm_exposed + copy + sync + control + idle.
-- The whole-capture window of every device is the run's window (runs.window_start_ps, runs.window_ps).
CREATE TABLE step_breakdown (
  -- Handle of the run.
  run VARCHAR NOT NULL,
  -- Host.
  host VARCHAR NOT NULL,
  -- Device.
  device VARCHAR NOT NULL,
  -- Step; NULL for the whole capture.
  step_num BIGINT,
  -- Start of the window in picoseconds.
  start_ps BIGINT NOT NULL,
  -- Length of the window in picoseconds.
  window_ps BIGINT NOT NULL,
  -- Compute running and no communication, in picoseconds.
  compute_only_ps BIGINT NOT NULL,
  -- Compute and communication both running, in picoseconds.
  overlapped_ps BIGINT NOT NULL,
  -- Communication running and no compute, in picoseconds.
  comm_exposed_ps BIGINT NOT NULL,
  -- Copies running and neither compute nor communication, in picoseconds.
  copy_ps BIGINT NOT NULL,
  -- Waiting on synchronisation and nothing above, in picoseconds.
  sync_ps BIGINT NOT NULL,
  -- Control flow running and nothing above, in picoseconds.
  control_ps BIGINT NOT NULL,
  -- Nothing running, in picoseconds.
  idle_ps BIGINT NOT NULL,
  -- Self time of compute ops that belong to the window, in picoseconds.
  compute_self_ps BIGINT NOT NULL,
  -- Self time of communication ops, in picoseconds.
  communication_self_ps BIGINT NOT NULL,
  -- Self time of copies, in picoseconds.
  copy_self_ps BIGINT NOT NULL,
  -- Self time of synchronisation ops, in picoseconds.
  sync_self_ps BIGINT NOT NULL,
  -- Self time of control-flow containers, in picoseconds.
  control_self_ps BIGINT NOT NULL
);
