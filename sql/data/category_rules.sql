-- One row per rule that turns facts of an op into a category and family; the first match by priority wins.
-- NULL in a condition: the condition holds for every op.
CREATE TABLE category_rules (
  -- Rank of the rule; the lowest that matches wins.
  priority BIGINT NOT NULL,
  -- HLO opcode; an async wrapper takes the wrapped opcode.
  opcode VARCHAR,
  -- XLA's own category of the op.
  hlo_category VARCHAR,
  -- Regular expression that the name must contain.
  name_pattern VARCHAR,
  -- compute, communication, copy, sync or control.
  category VARCHAR NOT NULL,
  -- attention, loss, matmul, convolution, fusion, reduction, elementwise, copy, convert, collective, custom_call or other.
  family VARCHAR NOT NULL
);
