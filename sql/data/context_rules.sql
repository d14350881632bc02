-- One row per key of compare_context at which a difference makes two runs unlike: their times do not compare.
CREATE TABLE context_rules (
  -- Key, as compare_context names it.
  key VARCHAR NOT NULL,
  -- What differs then.
  meaning VARCHAR NOT NULL
);
