-- One row per (run, op_id): what an op means, by the rule relation category_rules and by its scope.
-- Needs the relation _scopes(scope, phase, region), which sql/scopes.py fills for the run's scopes.
CREATE TABLE op_classes (
  -- Handle of the run.
  run VARCHAR NOT NULL,
  -- Op; joins ops.
  op_id BIGINT NOT NULL,
  -- compute, communication, copy, sync or control.
  category VARCHAR NOT NULL,
  -- attention, loss, matmul, convolution, fusion, reduction, elementwise, copy, convert, collective, custom_call or other.
  family VARCHAR NOT NULL,
  -- forward, backward, recompute, mixed or other; NULL where the op has no scope.
  phase VARCHAR,
  -- The user's own scopes of the op, for example layer0/block/mlp; NULL where the op has no scope.
  region VARCHAR,
  -- Kind of a collective, as HLO names it: all-gather, reduce-scatter, send-recv ...; NULL for other families and
  -- where nothing tells it. HLO tells it before the kernel's name does.
  collective VARCHAR
);

INSERT INTO op_classes
WITH
-- Each distinct value is matched once, however many ops have it.
matches AS (
  SELECT v.field, v.value, r.nesting, min(r.priority) AS priority
  FROM (SELECT DISTINCT field, value FROM _op_facts) v
  JOIN category_rules r ON r.field = v.field AND regexp_matches(v.value, '(?s)^(?:' || r.pattern || ')\z')
  GROUP BY v.field, v.value, r.nesting
),
containers AS (
  SELECT DISTINCT run, op_id FROM op_events WHERE NOT is_leaf
),
first_match AS (
  SELECT f.run, f.op_id, min(m.priority) AS priority
  FROM _op_facts f
  JOIN matches m ON m.field = f.field AND m.value = f.value
  LEFT JOIN containers c ON c.run = f.run AND c.op_id = f.op_id
  WHERE m.nesting = 'any' OR c.op_id IS NOT NULL
  GROUP BY f.run, f.op_id
),
collective_names AS (
  SELECT f.run, f.op_id, lower(replace(replace(f.value, '-', ''), '_', '')) AS name
  FROM first_match m
  JOIN category_rules r ON r.priority = m.priority AND r.family = 'collective'
  JOIN _op_facts f ON f.run = m.run AND f.op_id = m.op_id AND f.field = r.field
)
SELECT
  o.run, o.op_id, r.category, r.family, s.phase, s.region,
  CASE
    WHEN k.name LIKE '%raggedalltoall%' THEN 'ragged-all-to-all'
    WHEN k.name LIKE '%alltoall%' THEN 'all-to-all'
    WHEN k.name LIKE '%reducescatter%' THEN 'reduce-scatter'
    WHEN k.name LIKE '%allreduce%' THEN 'all-reduce'
    WHEN k.name LIKE '%allgather%' THEN 'all-gather'
    WHEN k.name LIKE '%collectivepermute%' THEN 'collective-permute'
    WHEN k.name LIKE '%broadcast%' THEN 'collective-broadcast'
    WHEN k.name LIKE '%sendrecv%' THEN 'send-recv'
    WHEN k.name LIKE 'send%' THEN 'send'
    WHEN k.name LIKE 'recv%' THEN 'recv'
  END AS collective
FROM ops o
JOIN first_match m ON m.run = o.run AND m.op_id = o.op_id
JOIN category_rules r ON r.priority = m.priority
LEFT JOIN collective_names k ON k.run = o.run AND k.op_id = o.op_id
LEFT JOIN _scopes s ON s.scope = o.scope;
