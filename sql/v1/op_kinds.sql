-- One row per (run, family, kind): the time of one kind of op within its family, over all devices and the whole capture.
-- Kinds come from kind_rules: splash, flash, fused, paged and ring attention; loop, input, output and custom fusions,
-- else fusions by the opcode that they are for. A collective has the kind that op_classes tells, a custom call its
-- target, any other op its HLO opcode, else XLA's category, else its name without the number.
-- Needs: device ops; opcodes and targets need a producer that tells them, or HLO protos.
-- NULL: self_share where no op took any time.
CREATE VIEW op_kinds (
  -- Handle of the run.
  run,
  -- Family, as in op_families.
  family,
  -- Kind of op within the family.
  kind,
  -- Distinct ops.
  op_count,
  -- Executions on all devices.
  count,
  -- Sum of durations on all devices, in picoseconds.
  total_ps,
  -- Sum of self times on all devices, in picoseconds.
  self_ps,
  -- Self time of the kind / self time of all ops of the run.
  self_share
) AS
WITH kinds AS (
  SELECT
    t.run, t.family, k.kind, count(*) AS op_count, sum(t.count) AS count, sum(t.total_ps) AS total_ps,
    sum(t.self_ps) AS self_ps
  FROM _op_totals t
  JOIN _op_kinds k ON k.run = t.run AND k.op_id = t.op_id
  GROUP BY t.run, t.family, k.kind
)
SELECT
  run, family, kind, op_count, CAST(count AS BIGINT) AS count, CAST(total_ps AS BIGINT) AS total_ps,
  CAST(self_ps AS BIGINT) AS self_ps,
  CAST(self_ps AS DOUBLE) / nullif(CAST(sum(self_ps) OVER (PARTITION BY run) AS DOUBLE), 0) AS self_share
FROM kinds
ORDER BY run, self_ps DESC, family, kind;
