-- One row per threshold: a number at which a check changes its status. --set NAME=VALUE overrides value.
CREATE TABLE thresholds (
  -- Name of the threshold.
  name VARCHAR NOT NULL,
  -- The number, in unit.
  value DOUBLE NOT NULL,
  -- Unit of the value: ratio, count, ps or bytes.
  unit VARCHAR NOT NULL,
  -- What happens at the value.
  meaning VARCHAR NOT NULL
);
