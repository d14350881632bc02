-- One row per (run, op, region): the idle time right before ops of one name in one region of the model.
-- As pre_op_gaps, with the op taken by canonical_name, so that its clones in a region are one row.
-- Needs: device ops on a timeline; framework paths for the regions.
-- NULL: region where the op has no framework path; previous_name and previous_region where no payload op came before,
-- previous_region also where that op has no framework path; the shares where the window is empty.
CREATE VIEW gap_regions (
  -- Handle of the run.
  run,
  -- Name of the op that came after the gaps, without its number.
  canonical_name,
  -- The user's own scopes of that op; empty outside any.
  region,
  -- Distinct ops.
  op_count,
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
  idle_share,
  -- The op before the gap, without its number: the one with most of total_ps.
  previous_name,
  -- The region of that op.
  previous_region
) AS
WITH
neighbours AS (
  SELECT
    run, op_id, previous_op_id, count(*) AS count, sum(gap_ps) AS gap_ps, max(gap_ps) AS max_ps,
    sum(idle_ps) AS idle_ps, coalesce(sum(gap_ps) FILTER (WHERE is_between_steps), 0) AS between_steps_ps
  FROM _gaps
  GROUP BY run, op_id, previous_op_id
),
named AS (
  SELECT
    n.run, n.op_id, o.canonical_name, c.region, p.canonical_name AS previous_name, k.region AS previous_region,
    n.count, n.gap_ps, n.max_ps, n.idle_ps, n.between_steps_ps,
    sum(n.gap_ps) OVER (
      PARTITION BY n.run, o.canonical_name, c.region, p.canonical_name, k.region
    ) AS previous_ps
  FROM neighbours n
  JOIN ops o ON o.run = n.run AND o.op_id = n.op_id
  JOIN op_classes c ON c.run = n.run AND c.op_id = n.op_id
  LEFT JOIN ops p ON p.run = n.run AND p.op_id = n.previous_op_id
  LEFT JOIN op_classes k ON k.run = n.run AND k.op_id = n.previous_op_id
),
ranked AS (
  SELECT
    run, op_id, canonical_name, region, previous_name, previous_region, count, gap_ps, max_ps, idle_ps,
    between_steps_ps,
    row_number() OVER (
      PARTITION BY run, canonical_name, region ORDER BY previous_ps DESC, previous_name, previous_region
    ) AS place
  FROM named
),
totals AS (
  SELECT
    run, canonical_name, region, count(DISTINCT op_id) AS op_count, CAST(sum(count) AS BIGINT) AS count,
    CAST(sum(gap_ps) AS BIGINT) AS total_ps, max(max_ps) AS max_ps,
    CAST(sum(between_steps_ps) AS BIGINT) AS between_steps_ps, CAST(sum(idle_ps) AS BIGINT) AS idle_ps,
    max(previous_name) FILTER (WHERE place = 1) AS previous_name,
    max(previous_region) FILTER (WHERE place = 1) AS previous_region
  FROM ranked
  GROUP BY run, canonical_name, region
)
SELECT
  t.run, t.canonical_name, t.region, t.op_count, t.count, t.total_ps,
  CAST(round(CAST(t.total_ps AS DOUBLE) / nullif(t.count, 0)) AS BIGINT) AS average_ps,
  t.max_ps, t.between_steps_ps,
  CAST(t.total_ps AS DOUBLE) / nullif(w.streams_ps, 0) AS gap_share,
  t.idle_ps, CAST(t.idle_ps AS DOUBLE) / nullif(w.devices_ps, 0) AS idle_share,
  t.previous_name, t.previous_region
FROM totals t
LEFT JOIN _gap_windows w ON w.run = t.run
ORDER BY t.run, t.idle_ps DESC, t.total_ps DESC, t.canonical_name, t.region;
