-- One row per (run, region): the op time of a region of the model and of all regions below it, over all devices and
-- the whole capture. Every region above another is a row too; the empty region, at depth 0, is above all.
-- exclusive_ps adds up to the op self time of the run. Async spans do not count, they run beside the core.
-- Needs: framework paths (scopes); without them all time is in the row whose region is NULL.
-- NULL: region, depth and parent for the ops that have no framework path; parent of the empty region; the shares where
-- no op took any time.
CREATE VIEW regions (
  -- Handle of the run.
  run,
  -- The user's own scopes, for example layer0/block/mlp; empty: above all of them; NULL: ops without a framework path.
  region,
  -- The region around it.
  parent,
  -- Scopes in the region: 0 for the empty one.
  depth,
  -- Distinct ops of the region and all regions below it.
  op_count,
  -- Self time of the region and all regions below it, in picoseconds.
  inclusive_ps,
  -- Self time of the region's own ops, in picoseconds.
  exclusive_ps,
  -- Part of inclusive_ps in the forward pass, in picoseconds.
  forward_ps,
  -- Part of inclusive_ps in the backward pass, in picoseconds.
  backward_ps,
  -- Part of inclusive_ps spent on computing activations again, in picoseconds.
  recompute_ps,
  -- The rest of inclusive_ps (phases mixed, other and unknown), in picoseconds.
  other_ps,
  -- inclusive_ps / self time of all ops of the run.
  inclusive_share,
  -- exclusive_ps / self time of all ops of the run.
  exclusive_share,
  -- recompute_ps / inclusive_ps.
  recompute_share
) AS
WITH
own AS (
  SELECT
    run, region, count(*) AS op_count, sum(self_ps) AS self_ps,
    coalesce(sum(self_ps) FILTER (WHERE phase = 'forward'), 0) AS forward_ps,
    coalesce(sum(self_ps) FILTER (WHERE phase = 'backward'), 0) AS backward_ps,
    coalesce(sum(self_ps) FILTER (WHERE phase = 'recompute'), 0) AS recompute_ps
  FROM _op_totals
  GROUP BY run, region
),
-- Each region beside itself and all regions above it: its text up to each of its slashes, and the empty one.
around AS (
  SELECT run, region, substring(region, 1, place - 1) AS above
  FROM own
  CROSS JOIN unnest(generate_series(1, length(region) + 1)) AS t(place)
  WHERE substring(region || '/', place, 1) = '/' AND region <> ''
  UNION ALL
  SELECT run, region, CASE WHEN region IS NOT NULL THEN '' END FROM own
),
inclusive AS (
  SELECT
    a.run, a.above AS region, sum(o.op_count) AS op_count, sum(o.self_ps) AS inclusive_ps,
    coalesce(sum(o.self_ps) FILTER (WHERE o.region IS NOT DISTINCT FROM a.above), 0) AS exclusive_ps,
    sum(o.forward_ps) AS forward_ps, sum(o.backward_ps) AS backward_ps, sum(o.recompute_ps) AS recompute_ps
  FROM around a
  JOIN own o ON o.run = a.run AND o.region IS NOT DISTINCT FROM a.region
  GROUP BY a.run, a.above
)
SELECT
  run, region,
  CASE WHEN region <> '' THEN regexp_extract(region, '^(.*)/[^/]*$', 1) END AS parent,
  CASE WHEN region = '' THEN 0 ELSE length(region) - length(replace(region, '/', '')) + 1 END AS depth,
  CAST(op_count AS BIGINT) AS op_count,
  CAST(inclusive_ps AS BIGINT) AS inclusive_ps, CAST(exclusive_ps AS BIGINT) AS exclusive_ps,
  CAST(forward_ps AS BIGINT) AS forward_ps, CAST(backward_ps AS BIGINT) AS backward_ps,
  CAST(recompute_ps AS BIGINT) AS recompute_ps,
  CAST(inclusive_ps - forward_ps - backward_ps - recompute_ps AS BIGINT) AS other_ps,
  CAST(inclusive_ps AS DOUBLE) / nullif(CAST(sum(exclusive_ps) OVER (PARTITION BY run) AS DOUBLE), 0)
    AS inclusive_share,
  CAST(exclusive_ps AS DOUBLE) / nullif(CAST(sum(exclusive_ps) OVER (PARTITION BY run) AS DOUBLE), 0)
    AS exclusive_share,
  CAST(recompute_ps AS DOUBLE) / nullif(CAST(inclusive_ps AS DOUBLE), 0) AS recompute_share
FROM inclusive
ORDER BY run, inclusive_ps DESC, region;
