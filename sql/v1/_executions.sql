-- One row per op execution: its device as a number, its op's loads, and the loads of the execution that encloses it.
-- suspended_work and suspended_waiting do not run meanwhile; where a half of a pair encloses it, the transfer does.
CREATE VIEW _executions AS
SELECT
  n.device_number, e.op_id, e.step_num, e.assignment = 'time' AS is_time_assigned, e.is_async, e.pair_id, e.start_ps,
  e.duration_ps, e.self_ps, e.occurrences, o.category, o.is_matrix, o.is_attributed,
  coalesce(e.flops, o.flops) AS flops, coalesce(e.bytes_accessed, o.bytes_accessed) AS bytes_accessed, o.work, o.waiting,
  CASE WHEN p.is_paired THEN 0 ELSE coalesce(p.work, 0) END AS suspended_work,
  CASE WHEN p.is_paired THEN 0 ELSE coalesce(p.waiting, 0) END AS suspended_waiting
FROM op_events e
JOIN _device_numbers n ON n.run = e.run AND n.host = e.host AND n.device = e.device
JOIN _op_loads o ON o.run = e.run AND o.op_id = e.op_id
LEFT JOIN _op_loads p ON p.run = e.run AND p.op_id = e.parent_op_id;
