-- One row per host thread event that is not a device op execution.
-- Empty when ingested with --no-host-events, with a quality row that says so.
CREATE TABLE host_events (
  -- Handle of the run.
  run VARCHAR NOT NULL,
  -- Host.
  host VARCHAR NOT NULL,
  -- Thread: the line's name, with its id where the name alone is not unique.
  thread VARCHAR NOT NULL,
  -- Name of the event.
  name VARCHAR NOT NULL,
  -- Start in picoseconds; NULL for an aggregated event.
  start_ps BIGINT,
  -- Duration in picoseconds.
  duration_ps BIGINT NOT NULL,
  -- Time in which no later-started event of the thread was running, in picoseconds.
  self_ps BIGINT NOT NULL,
  -- Step whose marker encloses the event on its thread; NULL outside any.
  step_num BIGINT,
  -- The event's stats, as text.
  args MAP(VARCHAR, VARCHAR)
);
