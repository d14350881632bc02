-- One row per HLO opcode that marks a place more than it works: the idle time before it is that before the op behind it.
-- Ops of the category control are markers too.
CREATE TABLE gap_markers (
  -- HLO opcode, XLA's category or name of the op without its number, whichever is known first.
  opcode VARCHAR NOT NULL,
  -- Why it is no payload.
  meaning VARCHAR NOT NULL
);
