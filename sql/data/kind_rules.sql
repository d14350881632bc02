-- One row per rule that tells the kind of an op within its family from one of its facts; the first match by priority
-- wins. What the kind is where no rule matches, op_kinds tells.
CREATE TABLE kind_rules (
  -- Rank of the rule; the lowest that matches wins.
  priority BIGINT NOT NULL,
  -- Family of the op, as category_rules tell it.
  family VARCHAR NOT NULL,
  -- Fact of the op, as in category_rules.
  field VARCHAR NOT NULL,
  -- Regular expression (RE2) that the whole value must match.
  pattern VARCHAR NOT NULL,
  -- Kind of the op; empty: the value itself.
  kind VARCHAR
);
