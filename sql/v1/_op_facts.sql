-- One row per (run, op_id, field): a fact of an op that category_rules match.
-- wrapped_opcode is of an async wrapper. fused_opcode is the heaviest instruction of a fusion or its root: what the
-- fusion is for, not all that it does. hlo_op and name are without numeric suffix, so that clones are matched once.
CREATE VIEW _op_facts AS
SELECT run, op_id, 'opcode' AS field, opcode AS value FROM ops WHERE opcode IS NOT NULL
UNION ALL
SELECT run, op_id, CASE WHEN opcode = 'fusion' THEN 'fused_opcode' ELSE 'wrapped_opcode' END, wrapped_opcode
FROM ops WHERE wrapped_opcode IS NOT NULL
UNION ALL
SELECT run, op_id, 'hlo_category', hlo_category FROM ops WHERE hlo_category IS NOT NULL
UNION ALL
SELECT run, op_id, 'custom_call_target', custom_call_target FROM ops WHERE custom_call_target IS NOT NULL
UNION ALL
SELECT run, op_id, 'uses_ici', CAST(uses_ici AS VARCHAR) FROM ops WHERE uses_ici IS NOT NULL
UNION ALL
SELECT run, op_id, 'hlo_op', regexp_replace(hlo_op, '([._][0-9]+|[.]clone|[.]remat[0-9]*)+$', '', 'g')
FROM ops WHERE hlo_op IS NOT NULL
UNION ALL
SELECT run, op_id, 'name', regexp_replace(name, '([._][0-9]+|[.]clone|[.]remat[0-9]*|[.]kd)+$', '', 'g') FROM ops
UNION ALL
SELECT run, op_id, 'primitive', regexp_extract(scope, '([^/:()[]+)([[].*)?(:[^/:]*)?$', 1)
FROM ops WHERE scope IS NOT NULL;
