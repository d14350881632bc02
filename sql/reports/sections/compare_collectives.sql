-- Collectives
-- By self time; exposed shares are of the whole capture.
-- Brief: step_class, collective, presence, before_executions, after_executions, before_ps, after_ps, delta_ps, delta_pct, impact_pct, before_exposed_share, after_exposed_share
SELECT step_class, collective, presence, before_executions, after_executions, before_ps, after_ps, delta_ps, delta_pct, impact_pct,
       before_exposed_share, after_exposed_share
FROM compare_collectives
WHERE before = $before AND after = $after
  AND (step_class <> 'all') = (
    SELECT bool_or(step_class <> 'all') FROM compare_pairs WHERE before = $before AND after = $after
  )
QUALIFY row_number() OVER (PARTITION BY step_class, delta_ps > 0 ORDER BY abs(delta_ps) DESC, collective)
  <= (SELECT top FROM params)
ORDER BY step_class, delta_ps DESC, collective
