-- What differs
-- Facts of the two runs; unlike, identical and incomplete mean that the times below are no fair comparison.
-- Empty: Nothing that is known of the runs differs.
-- Brief: key, before_value, after_value, problem
SELECT key, before_value, after_value, problem
FROM compare_context
WHERE before = $before AND after = $after AND (NOT is_same OR problem IS NOT NULL)
ORDER BY problem IS NULL, key
