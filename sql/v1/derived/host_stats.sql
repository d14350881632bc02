-- One row per (run, host, name): the host events of one name, on all threads and over the whole capture.
-- Empty where host events were left out.
CREATE TABLE host_stats (
  -- Handle of the run.
  run VARCHAR NOT NULL,
  -- Host.
  host VARCHAR NOT NULL,
  -- Name of the events.
  name VARCHAR NOT NULL,
  -- What they are: marker of steps, or by host_rules wait, launch or profiler; NULL for the host's own work.
  role VARCHAR,
  -- Events.
  count BIGINT NOT NULL,
  -- Sum of durations, in picoseconds.
  total_ps BIGINT NOT NULL,
  -- Sum of self times, in picoseconds.
  self_ps BIGINT NOT NULL
);

INSERT INTO host_stats
WITH
totals AS (
  SELECT
    run, host, name, count(*) AS count, CAST(sum(duration_ps) AS BIGINT) AS total_ps,
    CAST(sum(self_ps) AS BIGINT) AS self_ps
  FROM host_events
  GROUP BY run, host, name
),
-- Each distinct name is matched once.
matched AS (
  SELECT n.name, min(r.role) AS role
  FROM (SELECT DISTINCT name FROM totals) n
  JOIN host_rules r ON regexp_matches(n.name, '(?s)^(?:' || r.pattern || ')\z')
  GROUP BY n.name
),
markers AS (
  SELECT DISTINCT run, name FROM steps WHERE name IS NOT NULL AND source <> 'module'
)
SELECT
  t.run, t.host, t.name, CASE WHEN s.name IS NOT NULL THEN 'marker' ELSE m.role END AS role, t.count, t.total_ps,
  t.self_ps
FROM totals t
LEFT JOIN matched m ON m.name = t.name
LEFT JOIN markers s ON s.run = t.run AND s.name = t.name;
