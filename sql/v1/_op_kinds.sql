-- One row per (run, op_id): the kind of an op within its family, by kind_rules.
-- A collective is of the kind that op_classes tell.
CREATE VIEW _op_kinds AS
WITH
candidates AS (
  SELECT f.run, f.op_id, c.family, f.field, f.value
  FROM _op_facts f
  JOIN op_classes c ON c.run = f.run AND c.op_id = f.op_id
),
first_match AS (
  SELECT f.run, f.op_id, min(r.priority) AS priority
  FROM candidates f
  JOIN kind_rules r
    ON r.family = f.family AND r.field = f.field AND regexp_matches(f.value, '(?s)^(?:' || r.pattern || ')\z')
  GROUP BY f.run, f.op_id
),
told AS (
  SELECT f.run, f.op_id, coalesce(nullif(r.kind, ''), f.value) AS kind
  FROM first_match m
  JOIN kind_rules r ON r.priority = m.priority
  JOIN candidates f ON f.run = m.run AND f.op_id = m.op_id AND f.field = r.field
)
SELECT
  o.run, o.op_id,
  coalesce(
    t.kind, c.collective, o.custom_call_target, o.wrapped_opcode, o.opcode, o.hlo_category, o.canonical_name
  ) AS kind
FROM ops o
JOIN op_classes c ON c.run = o.run AND c.op_id = o.op_id
LEFT JOIN told t ON t.run = o.run AND t.op_id = o.op_id;
