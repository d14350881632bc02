-- One row per (run, step_class, op_id): what an op does in one step of one device, the mean over the counted windows.
-- Windows are those of step_class_breakdown. Self times are whole picoseconds and add up exactly to its op_self_ps: each
-- is what the running total per window grows by, rounded, in the order of op_id.
-- Needs: device ops.
-- NULL: phase and region where the op has no scope; collective where it is none.
CREATE VIEW step_ops (
  -- Handle of the run.
  run,
  -- all; light and heavy besides where the run's steps are of two kinds.
  step_class,
  -- Op; joins ops.
  op_id,
  -- compute, communication, copy, sync or control.
  category,
  -- attention, loss, matmul, convolution, fusion, reduction, elementwise, copy, convert, collective, custom_call or other.
  family,
  -- forward, backward, recompute, mixed or other.
  phase,
  -- The user's own scopes of the op, for example layer0/block/mlp; empty outside any.
  region,
  -- Kind of a collective.
  collective,
  -- Executions in one window.
  executions,
  -- Self time in one window, in picoseconds.
  self_ps
) AS
WITH
totals AS (
  SELECT s.run, c.step_class, s.op_id, false AS is_capture, sum(s.count) AS count, sum(s.self_ps) AS self_ps
  FROM step_op_stats s
  JOIN counted_steps c ON c.run = s.run AND c.step_num = s.step_num
  GROUP BY s.run, c.step_class, s.op_id
  UNION ALL
  SELECT s.run, 'all', s.op_id, true, sum(s.count), sum(s.self_ps)
  FROM op_stats s
  JOIN _main_devices d ON d.run = s.run AND d.host = s.host AND d.device = s.device
  WHERE s.count > 0
  GROUP BY s.run, s.op_id
),
running AS (
  SELECT
    t.run, t.step_class, t.op_id,
    CAST(t.count AS DOUBLE) / nullif(b.window_count, 0) AS executions,
    CAST(round(CAST(sum(t.self_ps) OVER so_far AS DOUBLE) / nullif(b.window_count, 0)) AS BIGINT) AS running_ps
  FROM totals t
  JOIN step_class_breakdown b
    ON b.run = t.run AND b.step_class = t.step_class AND (b.share_basis = 'capture') = t.is_capture
  WINDOW so_far AS (PARTITION BY t.run, t.step_class ORDER BY t.op_id ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW)
)
SELECT
  r.run, r.step_class, r.op_id, c.category, c.family, c.phase, c.region, c.collective, r.executions,
  r.running_ps - coalesce(lag(r.running_ps) OVER (PARTITION BY r.run, r.step_class ORDER BY r.op_id), 0) AS self_ps
FROM running r
JOIN op_classes c ON c.run = r.run AND c.op_id = r.op_id
ORDER BY r.run, r.step_class, self_ps DESC, r.op_id;
