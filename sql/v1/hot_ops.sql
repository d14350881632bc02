-- One row per (run, op_id): an op and its time over all devices and the whole capture, the hottest first.
-- Async spans do not count, they run beside the core. Compare runs by self_share, not by sums over longer captures.
-- Needs: device ops.
-- NULL: what the capture does not tell of the op; phase and region where it has no scope; flops and bytes also of
-- control ops, which repeat those of the ops inside them.
CREATE VIEW hot_ops (
  -- Handle of the run.
  run,
  -- Position by self time within the run, from 1.
  rank,
  -- Op; joins ops.
  op_id,
  -- Name on the timeline: the kernel on GPU, the HLO instruction elsewhere.
  name,
  -- HLO instruction name.
  hlo_op,
  -- HLO module name.
  module,
  -- compute, communication, copy, sync or control.
  category,
  -- attention, loss, matmul, convolution, fusion, reduction, elementwise, copy, convert, collective, custom_call or other.
  family,
  -- forward, backward, recompute, mixed or other.
  phase,
  -- The user's own scopes of the op, for example layer0/block/mlp; empty outside any.
  region,
  -- Source file and line of the framework op, as file:line.
  source,
  -- Shape of the result, as HLO text.
  shape,
  -- Executions on all devices.
  count,
  -- Sum of durations on all devices, in picoseconds.
  total_ps,
  -- Sum of self times on all devices, in picoseconds.
  self_ps,
  -- Duration of one execution: total_ps / count, in picoseconds.
  average_ps,
  -- Self time of the op / self time of all ops of the run.
  self_share,
  -- Flops of all executions.
  total_flops,
  -- Bytes accessed by all executions, in bytes.
  total_bytes
) AS
SELECT
  t.run,
  row_number() OVER (PARTITION BY t.run ORDER BY t.self_ps DESC, t.op_id) AS rank,
  t.op_id, o.name, o.hlo_op, o.module, t.category, t.family, t.phase, t.region,
  o.source_file || coalesce(':' || CAST(o.source_line AS VARCHAR), '') AS source,
  o.shape, t.count, t.total_ps, t.self_ps,
  CAST(round(CAST(t.total_ps AS DOUBLE) / nullif(t.count, 0)) AS BIGINT) AS average_ps,
  CAST(t.self_ps AS DOUBLE) / nullif(CAST(sum(t.self_ps) OVER (PARTITION BY t.run) AS DOUBLE), 0) AS self_share,
  TRY_CAST(t.flops AS BIGINT) AS total_flops, TRY_CAST(t.bytes AS BIGINT) AS total_bytes
FROM _op_totals t
JOIN ops o ON o.run = t.run AND o.op_id = t.op_id
ORDER BY t.run, rank;
