-- One row per source file of a run.
-- The same bytes under two paths are one row with both paths.
CREATE TABLE profile_files (
  -- Handle of the run.
  run VARCHAR NOT NULL,
  -- Profiled process: the host name, with #2, #3 ... when one machine ran several.
  host VARCHAR,
  -- Operating system process id; NULL where the profile does not tell it.
  process_id BIGINT,
  -- Every path under which these bytes were found.
  paths VARCHAR[],
  -- Size of the file in bytes.
  file_bytes BIGINT NOT NULL,
  -- SHA-256 of the file, in hex.
  sha256 VARCHAR NOT NULL,
  -- Events read from the file, without the lines that the producer derived from others.
  event_count BIGINT,
  -- This file's profile start minus the run's, in picoseconds; NULL where unknown.
  host_offset_ps BIGINT
);
