-- Ops
-- By self time; ops of other programs pair within their phase and region, as matched_by says.
-- Brief: step_class, name, presence, phase, region, before_executions, after_executions, before_ps, after_ps, delta_ps, delta_pct, impact_pct
SELECT step_class, name, before_name, presence, matched_by, category, family, phase, region, before_executions,
       after_executions, before_ps, after_ps, delta_ps, delta_pct, impact_pct, before_op_id, after_op_id
FROM compare_ops
WHERE before = $before AND after = $after
  AND (step_class <> 'all') = (
    SELECT bool_or(step_class <> 'all') FROM compare_pairs WHERE before = $before AND after = $after
  )
QUALIFY row_number() OVER (PARTITION BY step_class, delta_ps > 0 ORDER BY abs(delta_ps) DESC, name, before_op_id, after_op_id)
  <= (SELECT top FROM params)
ORDER BY step_class, delta_ps DESC, name, before_op_id, after_op_id
