-- How much is recomputed?
-- Ask: recompute
-- Ask: recompute time
-- Ask: recompute forward
-- Ask: recompute backward
-- Ask: which region is recomputed
-- Title: Recomputation
-- Note: Self time of ops that compute activations again, on all devices; unknown_share is of ops without a framework path.
-- Brief: recompute_ps, recompute_share, forward_ps, backward_ps, unknown_share, most_region, most_region_ps
-- Answer: {recompute_share} of the op self time computes activations again ({recompute_ps}), most of it in {most_region}; {unknown_share} has no framework path, which would tell.
-- Answer: {recompute_share} of the op self time computes activations again ({recompute_ps}); {unknown_share} has no framework path, which would tell.
-- Cannot tell: no op has a framework path, which tells region and phase.
WITH
sums AS (
  SELECT
    run, bool_or(phase IS NOT NULL) AS is_told,
    CAST(coalesce(sum(self_ps) FILTER (WHERE phase = 'recompute'), 0) AS BIGINT) AS recompute_ps,
    CAST(coalesce(sum(self_ps) FILTER (WHERE phase = 'forward'), 0) AS BIGINT) AS forward_ps,
    CAST(coalesce(sum(self_ps) FILTER (WHERE phase = 'backward'), 0) AS BIGINT) AS backward_ps,
    coalesce(sum(self_share) FILTER (WHERE phase = 'recompute'), 0) AS recompute_share,
    coalesce(sum(self_share) FILTER (WHERE phase IS NULL), 0) AS unknown_share
  FROM phases
  WHERE run = $run
  GROUP BY run
),
deepest AS (
  SELECT region, recompute_ps
  FROM regions
  WHERE run = $run AND recompute_ps > 0 AND region <> ''
  ORDER BY recompute_ps DESC, depth DESC, region
  LIMIT 1
)
SELECT
  CASE WHEN s.is_told THEN s.recompute_ps END AS recompute_ps,
  CASE WHEN s.is_told THEN s.recompute_share END AS recompute_share,
  CASE WHEN s.is_told THEN s.forward_ps END AS forward_ps,
  CASE WHEN s.is_told THEN s.backward_ps END AS backward_ps,
  s.unknown_share, d.region AS most_region, d.recompute_ps AS most_region_ps
FROM sums s
LEFT JOIN deepest d ON true
