-- One row per (run, host): the thread that feeds the devices of a host.
-- It is the thread with the step markers; without markers the one that spent most time launching programs.
CREATE VIEW _dispatch_threads AS
WITH
threads AS (
  SELECT
    e.run, e.host, e.thread,
    coalesce(sum(e.self_ps) FILTER (WHERE e.step_num IS NOT NULL), 0) AS marked_ps,
    coalesce(sum(e.duration_ps) FILTER (WHERE r.role = 'launch'), 0) AS launch_ps
  FROM host_events e
  LEFT JOIN _host_roles r ON r.run = e.run AND r.name = e.name
  GROUP BY e.run, e.host, e.thread
)
SELECT run, host, thread
FROM threads
WHERE marked_ps > 0 OR launch_ps > 0
QUALIFY row_number() OVER (PARTITION BY run, host ORDER BY marked_ps DESC, launch_ps DESC, thread) = 1;
