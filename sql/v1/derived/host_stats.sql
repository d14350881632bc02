-- One row per (run, host, name): the host events of one name, on all threads and over the whole capture.
-- Empty where host events were left out.
CREATE TABLE host_stats (
  -- Handle of the run.
  run VARCHAR NOT NULL,
  -- Host.
  host VARCHAR NOT NULL,
  -- Name of the events.
  name VARCHAR NOT NULL,
  -- Events.
  count BIGINT NOT NULL,
  -- Sum of durations, in picoseconds.
  total_ps BIGINT NOT NULL,
  -- Sum of self times, in picoseconds.
  self_ps BIGINT NOT NULL
);

INSERT INTO host_stats
SELECT
  run, host, name, count(*) AS count, CAST(sum(duration_ps) AS BIGINT) AS total_ps,
  CAST(sum(self_ps) AS BIGINT) AS self_ps
FROM host_events
GROUP BY run, host, name;
