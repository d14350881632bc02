-- One row per rule that turns a fact of an op into its category and family; the first match by priority wins.
CREATE TABLE category_rules (
  -- Rank of the rule; the lowest that matches wins.
  priority BIGINT NOT NULL,
  -- Fact that the rule looks at: a column of ops, or one derived from several of them.
  field VARCHAR NOT NULL,
  -- Regular expression that the whole fact must match.
  pattern VARCHAR NOT NULL,
  -- Where the op must stand for the rule to hold: any, or its place among the ops that it encloses.
  nesting VARCHAR NOT NULL,
  -- compute, communication, copy, sync or control.
  category VARCHAR NOT NULL,
  -- attention, loss, matmul, convolution, fusion, reduction, elementwise, copy, convert, collective, custom_call or other.
  family VARCHAR NOT NULL
);
