-- Where the time went
-- Parts of one step on one device; they add up to its window, and the deltas to its delta.
-- Brief: step_class, part, before_ps, after_ps, delta_ps, delta_pct, impact_pct
SELECT step_class, part, before_ps, after_ps, delta_ps, delta_pct, impact_pct
FROM compare_breakdown
WHERE before = $before AND after = $after
  AND (step_class <> 'all') = (
    SELECT bool_or(step_class <> 'all') FROM compare_pairs WHERE before = $before AND after = $after
  )
ORDER BY step_class, abs(delta_ps) DESC, part
