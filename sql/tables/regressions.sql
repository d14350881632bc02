-- One row per (tracked_at, before, after, step_class, metric): a verdict of profdb track, as it was given.
-- The numbers are those of track_checks then; low, high and verdict count what the single steps said. Rows stay when a
-- run is deleted or replaced; the content hashes tell which profiles they were about.
CREATE TABLE regressions (
  -- When the pair was tracked; the same in all rows of one verdict.
  tracked_at TIMESTAMPTZ NOT NULL,
  -- The user's word for what was tracked, for example a branch; NULL where none was given.
  label VARCHAR,
  -- Handle of the run before.
  before VARCHAR NOT NULL,
  -- Handle of the run after.
  after VARCHAR NOT NULL,
  -- SHA-256 of the profile before, as in runs.
  before_sha256 VARCHAR NOT NULL,
  -- SHA-256 of the profile after.
  after_sha256 VARCHAR NOT NULL,
  -- all; light and heavy instead where both runs have steps of two kinds.
  step_class VARCHAR NOT NULL,
  -- step_median, step_p90, communication_share or stall_share.
  metric VARCHAR NOT NULL,
  -- Counted steps before.
  before_step_count BIGINT NOT NULL,
  -- Counted steps after.
  after_step_count BIGINT NOT NULL,
  -- Value before: a time in picoseconds, or a share from 0 to 1.
  before_value DOUBLE,
  -- Value after.
  after_value DOUBLE,
  -- How much it grew: a time by after_value / before_value - 1, a share by after_value - before_value.
  delta DOUBLE,
  -- Least delta that agrees with the single steps; NULL for shares and where evidence was not asked.
  low DOUBLE,
  -- Largest delta that agrees with the single steps.
  high DOUBLE,
  -- The least delta that is no longer a pass.
  threshold DOUBLE,
  -- worse or better where the delta is as large as the threshold either way, else same.
  change VARCHAR,
  -- pass, warn, fail or cannot_tell.
  verdict VARCHAR NOT NULL,
  -- Why nothing could be told, or why a fail became a warning.
  reason VARCHAR,
  -- Version of the views.
  view_version VARCHAR NOT NULL,
  -- Version of profdb that gave the verdict.
  profdb_version VARCHAR NOT NULL
);
