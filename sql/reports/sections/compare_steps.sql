-- Step time
-- Over the counted steps; window and below are means of one step on one device, or of the whole capture without steps.
-- Brief: step_class, measure, before_ps, after_ps, delta_ps, delta_pct
SELECT step_class, measure, before_step_count, after_step_count, before_ps, after_ps, delta_ps, delta_pct
FROM compare_steps
WHERE before = $before AND after = $after
