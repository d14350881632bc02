-- Regions of the model
-- By the user's own scopes; inclusive of the regions below, the largest first.
-- Empty: No op is inside a scope of the user: jax.named_scope names a region, and HLO protos in the profile carry it.
-- Brief: region, inclusive_ps, exclusive_ps, forward_ps, backward_ps, recompute_ps, inclusive_share
SELECT region, parent, depth, op_count, inclusive_ps, exclusive_ps, forward_ps, backward_ps, recompute_ps,
       other_ps, inclusive_share, exclusive_share, recompute_share
FROM regions
WHERE run = $run AND region <> ''
ORDER BY inclusive_ps DESC, region
LIMIT (SELECT top FROM params)
