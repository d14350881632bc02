-- Families of ops
-- By self time of the ops; impact is of the self time of all ops before.
-- Brief: step_class, family, presence, before_ps, after_ps, delta_ps, delta_pct, impact_pct
SELECT step_class, family, presence, before_op_count, after_op_count, before_ps, after_ps, delta_ps, delta_pct, impact_pct
FROM compare_families
WHERE before = $before AND after = $after
  AND (step_class <> 'all') = (
    SELECT bool_or(step_class <> 'all') FROM compare_pairs WHERE before = $before AND after = $after
  )
QUALIFY row_number() OVER (PARTITION BY step_class, delta_ps > 0 ORDER BY abs(delta_ps) DESC, family)
  <= (SELECT top FROM params)
ORDER BY step_class, delta_ps DESC, family
