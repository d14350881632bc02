-- One row per (run, host, check_name, subject): what the decoder saw about completeness.
-- Nothing here is computed; the view capture_quality turns these rows into verdicts.
CREATE TABLE quality_events (
  -- Handle of the run.
  run VARCHAR NOT NULL,
  -- Host; NULL for the run as a whole.
  host VARCHAR,
  -- Name of the check, for example cut_file, dropped_events, missing_host, no_step_markers.
  check_name VARCHAR NOT NULL,
  -- What it is about: a path, device, line or stat name; NULL for the host as a whole.
  subject VARCHAR,
  -- How many or how much, in the unit that the check names.
  value BIGINT,
  -- The producer's own text, verbatim, or a sentence of ours.
  text VARCHAR
);
