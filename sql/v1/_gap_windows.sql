-- One row per run: its window over all devices that executed an op, and over all of their streams.
CREATE VIEW _gap_windows AS
WITH streams AS (
  SELECT run, count(*) AS stream_count, count(DISTINCT host || ' ' || device) AS device_count
  FROM (SELECT DISTINCT run, host, device, stream FROM op_events WHERE NOT is_async AND start_ps IS NOT NULL)
  GROUP BY run
)
SELECT
  r.run, CAST(r.window_ps AS DOUBLE) * s.device_count AS devices_ps,
  CAST(r.window_ps AS DOUBLE) * s.stream_count AS streams_ps
FROM runs r
JOIN streams s ON s.run = r.run;
