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
  region VARCHAR
);
