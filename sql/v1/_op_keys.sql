-- One row per (run, op_id): an op that ran, with the texts by which ops of two runs pair.
-- All hold phase and region: ops pair only within these. hlo_key is NULL where the HLO op is unknown.
CREATE VIEW _op_keys AS
WITH
ran AS (
  SELECT DISTINCT run, op_id FROM op_stats WHERE count > 0
),
facts AS (
  SELECT
    r.run, r.op_id, o.hlo_op, o.canonical_name || ' ' || coalesce(o.shape, '') AS kernel, c.family,
    coalesce(c.phase, '') || ' ' || coalesce('/' || c.region, '') AS place,
    -- The order of HLO names: fusion.2 before fusion.10.
    length(coalesce(o.hlo_op, o.name)) AS name_length, coalesce(o.hlo_op, o.name) AS ordered_name
  FROM ran r
  JOIN ops o ON o.run = r.run AND o.op_id = r.op_id
  JOIN op_classes c ON c.run = r.run AND c.op_id = r.op_id
)
SELECT
  run, op_id, place || ' ' || kernel || ' ' || coalesce(hlo_op, '') AS name_key, place || ' ' || kernel AS shape_key,
  place || ' ' || hlo_op AS hlo_key, place || ' ' || family AS family_key, name_length, ordered_name
FROM facts;
