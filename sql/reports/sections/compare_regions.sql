-- Regions of the model
-- By self time of the region's own ops; inclusive counts the regions below too.
-- Brief: step_class, region, presence, before_ps, after_ps, delta_ps, delta_pct, impact_pct, inclusive_delta_ps
SELECT step_class, region, parent, depth, presence, before_ps, after_ps, delta_ps, delta_pct, impact_pct,
       before_inclusive_ps, after_inclusive_ps, inclusive_delta_ps
FROM compare_regions
WHERE before = $before AND after = $after
  AND (step_class <> 'all') = (
    SELECT bool_or(step_class <> 'all') FROM compare_pairs WHERE before = $before AND after = $after
  )
QUALIFY row_number() OVER (PARTITION BY step_class, delta_ps > 0 ORDER BY abs(delta_ps) DESC, region)
  <= (SELECT top FROM params)
ORDER BY step_class, delta_ps DESC, region
