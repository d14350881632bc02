-- One row per (run, op_id): the idle time right before an op, over all streams and the whole capture.
-- A gap is time in which nothing ran on the op's stream, not even a loop around it. A marker (iota, bitcast, tuple,
-- copy-start ...: gap_markers) passes the gap before it on to the op behind it. A gap between two steps belongs to the
-- first op of the later one. Time before a stream's first op and after its last is no gap.
-- A stream may well wait while another one works: idle_ps, by which rows are ranked, is the time in which the whole
-- device did nothing.
-- Needs: device ops on a timeline.
-- NULL: gap_share and idle_share where the window is empty; hlo_op, phase and region as in hot_ops.
CREATE VIEW pre_op_gaps (
  -- Handle of the run.
  run,
  -- Position by idle time of the device, then by gap time, within the run, from 1.
  rank,
  -- Op that came after the gaps; joins ops and hot_ops.
  op_id,
  -- Name on the timeline: the kernel on GPU, the HLO instruction elsewhere.
  name,
  -- HLO instruction name.
  hlo_op,
  -- compute, communication, copy or sync.
  category,
  -- Family, as in op_families.
  family,
  -- forward, backward, recompute, mixed or other.
  phase,
  -- The user's own scopes of the op.
  region,
  -- Executions that had a gap before them.
  count,
  -- Sum of the gaps, in picoseconds.
  total_ps,
  -- Mean gap: total_ps / count, in picoseconds.
  average_ps,
  -- Longest gap, in picoseconds.
  max_ps,
  -- Part of total_ps in gaps between two steps, in picoseconds.
  between_steps_ps,
  -- total_ps / window of the run over all streams that executed an op.
  gap_share,
  -- Part of total_ps in which the whole device did nothing, in picoseconds.
  idle_ps,
  -- idle_ps / window of the run over all devices that executed an op.
  idle_share
) AS
WITH totals AS (
  SELECT
    run, op_id, count(*) AS count, CAST(sum(gap_ps) AS BIGINT) AS total_ps, max(gap_ps) AS max_ps,
    CAST(coalesce(sum(gap_ps) FILTER (WHERE is_between_steps), 0) AS BIGINT) AS between_steps_ps,
    CAST(sum(idle_ps) AS BIGINT) AS idle_ps
  FROM _gaps
  GROUP BY run, op_id
)
SELECT
  t.run,
  row_number() OVER (PARTITION BY t.run ORDER BY t.idle_ps DESC, t.total_ps DESC, t.op_id) AS rank,
  t.op_id, o.name, o.hlo_op, c.category, c.family, c.phase, c.region, t.count, t.total_ps,
  CAST(round(CAST(t.total_ps AS DOUBLE) / nullif(t.count, 0)) AS BIGINT) AS average_ps,
  t.max_ps, t.between_steps_ps,
  CAST(t.total_ps AS DOUBLE) / nullif(w.streams_ps, 0) AS gap_share,
  t.idle_ps, CAST(t.idle_ps AS DOUBLE) / nullif(w.devices_ps, 0) AS idle_share
FROM totals t
JOIN ops o ON o.run = t.run AND o.op_id = t.op_id
JOIN op_classes c ON c.run = t.run AND c.op_id = t.op_id
LEFT JOIN _gap_windows w ON w.run = t.run
ORDER BY t.run, rank;
