-- What was compared
-- All facts of the two runs that one of them tells.
SELECT key, before_value, after_value, is_same, problem
FROM compare_context
WHERE before = $before AND after = $after
ORDER BY problem IS NULL, is_same, key
