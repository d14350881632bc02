-- One row per rule that tells the category and family of an op from one of its facts; the first match by priority wins.
-- HLO facts come before kernel names, and the last rule matches every op.
CREATE TABLE category_rules (
  -- Rank of the rule; the lowest that matches wins.
  priority BIGINT NOT NULL,
  -- Fact of the op: opcode, wrapped_opcode (of an async wrapper), fused_opcode (of a fusion), hlo_category,
  -- custom_call_target, uses_ici, hlo_op, name (both without numeric suffix) or primitive (the end of the scope).
  field VARCHAR NOT NULL,
  -- Regular expression (RE2) that the whole value must match.
  pattern VARCHAR NOT NULL,
  -- any; container: only for an op in which other ops of its stream ran.
  nesting VARCHAR NOT NULL,
  -- compute, communication, copy, sync or control.
  category VARCHAR NOT NULL,
  -- attention, loss, matmul, convolution, fusion, reduction, elementwise, copy, convert, collective, custom_call or other.
  family VARCHAR NOT NULL
);
