-- One row: the settings that views read. --set NAME=VALUE overrides a column.
CREATE TABLE params (
  -- Steps at the start of a process that count as warm-up.
  warmup_steps BIGINT NOT NULL DEFAULT 5,
  -- Rows that a ranking keeps.
  top BIGINT NOT NULL DEFAULT 25
);
