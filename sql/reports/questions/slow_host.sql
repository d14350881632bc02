-- Which host is slow?
-- Ask: slow host
-- Ask: straggler
-- Ask: one host slower than the others
-- Ask: which host do others wait for
-- Ask: slow device
-- Ask: which device do others wait for
-- Ask: which host is late
-- Title: Hosts
-- Note: Who arrives last in collectives: the wait of the others that it causes, and its own; summed over its devices.
-- Brief: host, device_count, count, last_count, wait_caused_ps, wait_suffered_ps, slowest_device, reason
-- Cannot tell: {reason}.
-- Answer: There is only one host, {only_host}. Of its devices the others wait most for {slowest_device}: {slowest_ps} of the {wait_caused_ps} in all.
-- Answer: {host} makes the others wait most: {wait_caused_ps} in all, last in {last_count} of {count arrival}; its slowest device is {slowest_device}.
WITH ranked AS (
  SELECT
    host, device, reason, count, last_count, wait_caused_ps, wait_suffered_ps,
    row_number() OVER (PARTITION BY host ORDER BY wait_caused_ps DESC NULLS LAST, device) AS rank
  FROM stragglers
  WHERE run = $run
)
SELECT
  host, count(*) AS device_count, CAST(sum(count) AS BIGINT) AS count, CAST(sum(last_count) AS BIGINT) AS last_count,
  CAST(sum(wait_caused_ps) AS BIGINT) AS wait_caused_ps, CAST(sum(wait_suffered_ps) AS BIGINT) AS wait_suffered_ps,
  max(device) FILTER (WHERE rank = 1) AS slowest_device, max(wait_caused_ps) AS slowest_ps,
  CASE WHEN count(*) OVER () = 1 THEN host END AS only_host,
  CASE WHEN count(count) = 0 THEN max(reason) FILTER (WHERE rank = 1) END AS reason
FROM ranked
GROUP BY host
ORDER BY wait_caused_ps DESC NULLS LAST, host
LIMIT (SELECT top FROM params)
