-- One row per (before, after, step_class, region): the op time of a region in one step of one device in two runs.
-- Regions are those of the view regions. Own times (before_ps, after_ps) are of the ops right in the region and add up
-- exactly to op_self of compare_steps; inclusive ones count the regions below too, so that a region's inclusive delta is
-- its own delta and the inclusive deltas of the regions right below it. Both are whole picoseconds of step_ops.
-- Needs: framework paths (scopes); without them all time is in the row whose region is NULL.
-- NULL: region, parent and depth for the ops without a framework path; parent of the empty region; delta_pct where it
-- took no time before; impact_pct where no op did.
CREATE VIEW compare_regions (
  -- Handle of the run before.
  before,
  -- Handle of the run after.
  after,
  -- all; light and heavy besides where both runs have steps of two kinds.
  step_class,
  -- The user's own scopes, for example layer0/block/mlp; empty: above all of them; NULL: ops without a framework path.
  region,
  -- The region around it.
  parent,
  -- Scopes in the region: 0 for the empty one.
  depth,
  -- both, added (only after) or removed (only before).
  presence,
  -- Self time of the region's own ops before, in picoseconds.
  before_ps,
  -- The same after, in picoseconds.
  after_ps,
  -- after_ps - before_ps, in picoseconds.
  delta_ps,
  -- delta_ps / before_ps, in percent.
  delta_pct,
  -- delta_ps / self time of all ops before, in percent.
  impact_pct,
  -- Self time of the region and all regions below it before, in picoseconds.
  before_inclusive_ps,
  -- The same after, in picoseconds.
  after_inclusive_ps,
  -- after_inclusive_ps - before_inclusive_ps, in picoseconds.
  inclusive_delta_ps
) AS
WITH
own AS (
  SELECT run, step_class, region, CAST(sum(self_ps) AS BIGINT) AS self_ps
  FROM step_ops
  GROUP BY run, step_class, region
),
-- Each region beside itself and all regions above it, as in the view regions.
around AS (
  SELECT o.run, o.step_class, o.self_ps, o.region, substring(o.region, 1, t.place - 1) AS above
  FROM own o
  CROSS JOIN unnest(generate_series(1, length(o.region) + 1)) AS t(place)
  WHERE substring(o.region || '/', t.place, 1) = '/' AND o.region <> ''
  UNION ALL
  SELECT run, step_class, self_ps, region, CASE WHEN region IS NOT NULL THEN '' END FROM own
),
totals AS (
  SELECT
    a.run, a.step_class, a.above AS region, sum(a.self_ps) AS inclusive_ps,
    coalesce(sum(a.self_ps) FILTER (WHERE a.region IS NOT DISTINCT FROM a.above), 0) AS self_ps
  FROM around a
  GROUP BY a.run, a.step_class, a.above
),
sides AS (
  SELECT
    p.before, p.after, p.step_class, p.before_op_self_ps, t.region, true AS is_before, t.self_ps AS before_ps,
    0 AS after_ps, t.inclusive_ps AS before_inclusive_ps, 0 AS after_inclusive_ps
  FROM compare_pairs p
  JOIN totals t ON t.run = p.before AND t.step_class = p.step_class
  UNION ALL
  SELECT
    p.before, p.after, p.step_class, p.before_op_self_ps, t.region, false, 0, t.self_ps, 0, t.inclusive_ps
  FROM compare_pairs p
  JOIN totals t ON t.run = p.after AND t.step_class = p.step_class
),
joined AS (
  SELECT
    before, after, step_class, region, max(before_op_self_ps) AS before_op_self_ps,
    bool_or(is_before) AS is_before, bool_or(NOT is_before) AS is_after,
    CAST(sum(before_ps) AS BIGINT) AS before_ps, CAST(sum(after_ps) AS BIGINT) AS after_ps,
    CAST(sum(before_inclusive_ps) AS BIGINT) AS before_inclusive_ps,
    CAST(sum(after_inclusive_ps) AS BIGINT) AS after_inclusive_ps
  FROM sides
  GROUP BY before, after, step_class, region
)
SELECT
  before, after, step_class, region,
  CASE WHEN region <> '' THEN regexp_extract(region, '^(.*)/[^/]*$', 1) END AS parent,
  CASE WHEN region = '' THEN 0 ELSE length(region) - length(replace(region, '/', '')) + 1 END AS depth,
  CASE WHEN NOT is_before THEN 'added' WHEN NOT is_after THEN 'removed' ELSE 'both' END AS presence,
  before_ps, after_ps, after_ps - before_ps AS delta_ps,
  100 * CAST(after_ps - before_ps AS DOUBLE) / nullif(CAST(before_ps AS DOUBLE), 0) AS delta_pct,
  100 * CAST(after_ps - before_ps AS DOUBLE) / nullif(CAST(before_op_self_ps AS DOUBLE), 0) AS impact_pct,
  before_inclusive_ps, after_inclusive_ps, after_inclusive_ps - before_inclusive_ps AS inclusive_delta_ps
FROM joined
ORDER BY before, after, step_class, abs(after_ps - before_ps) DESC, region;
