-- One row per counter sample.
CREATE TABLE counters (
  -- Handle of the run.
  run VARCHAR NOT NULL,
  -- Host.
  host VARCHAR NOT NULL,
  -- Device; NULL for a counter of the host.
  device VARCHAR,
  -- Name of the counter.
  name VARCHAR NOT NULL,
  -- When it was sampled, in picoseconds since the profile start.
  at_ps BIGINT NOT NULL,
  -- Value of the sample, in unit.
  value DOUBLE,
  -- Unit as the producer names it.
  unit VARCHAR
);
