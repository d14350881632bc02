-- One row per (before, after, before_op_id, after_op_id): an op of two runs; one id is NULL where the other run lacks it.
-- Every op of either run is in one row. Ops pair within their phase and region only, by the first of these that both have,
-- several of one kind in the order of their HLO names:
--   op_id: the same program.
--   name: HLO op, kernel and shape, of another compilation.
--   shape: kernel and shape; the HLO op has another number.
--   hlo_op: the kernel has another name, or the op another shape.
--   family: an op of the same family in the place of another.
-- Each round numbers the ops of each run that share a key and are not paired yet; as many pair as both runs have. All
-- partitions begin with the two runs, so that a filter on these reaches the tables.
CREATE VIEW _matched_ops AS
WITH
ops_of_pairs AS (
  SELECT
    k.run AS before, r.run AS after, false AS is_after, k.op_id, k.name_key, k.shape_key, k.hlo_key, k.family_key,
    k.name_length, k.ordered_name
  FROM _op_keys k
  CROSS JOIN runs r
  UNION ALL
  SELECT
    r.run, k.run, true, k.op_id, k.name_key, k.shape_key, k.hlo_key, k.family_key, k.name_length, k.ordered_name
  FROM _op_keys k
  CROSS JOIN runs r
),
by_op_id AS (
  SELECT
    before, after, is_after, op_id, name_key, shape_key, hlo_key, family_key, name_length, ordered_name,
    CASE WHEN count(*) OVER (PARTITION BY before, after, op_id) = 2 THEN 'op_id' END AS matched_by,
    CAST(op_id AS VARCHAR) AS match_key, 1 AS nth
  FROM ops_of_pairs
),
name_counts AS (
  SELECT
    before, after, is_after, op_id, name_key, shape_key, hlo_key, family_key, name_length, ordered_name, matched_by,
    match_key, nth,
    row_number() OVER (
      PARTITION BY before, after, name_key, matched_by IS NULL, is_after ORDER BY name_length, ordered_name, op_id
    ) AS place,
    count(*) FILTER (WHERE NOT is_after) OVER same_key AS before_count,
    count(*) FILTER (WHERE is_after) OVER same_key AS after_count
  FROM by_op_id
  WINDOW same_key AS (PARTITION BY before, after, name_key, matched_by IS NULL)
),
by_name AS (
  SELECT
    before, after, is_after, op_id, name_key, shape_key, hlo_key, family_key, name_length, ordered_name,
    CASE WHEN is_new THEN 'name' ELSE matched_by END AS matched_by,
    CASE WHEN is_new THEN name_key ELSE match_key END AS match_key, CASE WHEN is_new THEN place ELSE nth END AS nth
  FROM (
    SELECT
      before, after, is_after, op_id, name_key, shape_key, hlo_key, family_key, name_length, ordered_name, matched_by,
      match_key, nth, place,
      matched_by IS NULL AND name_key IS NOT NULL AND place <= least(before_count, after_count) AS is_new
    FROM name_counts
  )
),
shape_counts AS (
  SELECT
    before, after, is_after, op_id, name_key, shape_key, hlo_key, family_key, name_length, ordered_name, matched_by,
    match_key, nth,
    row_number() OVER (
      PARTITION BY before, after, shape_key, matched_by IS NULL, is_after ORDER BY name_length, ordered_name, op_id
    ) AS place,
    count(*) FILTER (WHERE NOT is_after) OVER same_key AS before_count,
    count(*) FILTER (WHERE is_after) OVER same_key AS after_count
  FROM by_name
  WINDOW same_key AS (PARTITION BY before, after, shape_key, matched_by IS NULL)
),
by_shape AS (
  SELECT
    before, after, is_after, op_id, name_key, shape_key, hlo_key, family_key, name_length, ordered_name,
    CASE WHEN is_new THEN 'shape' ELSE matched_by END AS matched_by,
    CASE WHEN is_new THEN shape_key ELSE match_key END AS match_key, CASE WHEN is_new THEN place ELSE nth END AS nth
  FROM (
    SELECT
      before, after, is_after, op_id, name_key, shape_key, hlo_key, family_key, name_length, ordered_name, matched_by,
      match_key, nth, place,
      matched_by IS NULL AND shape_key IS NOT NULL AND place <= least(before_count, after_count) AS is_new
    FROM shape_counts
  )
),
hlo_op_counts AS (
  SELECT
    before, after, is_after, op_id, name_key, shape_key, hlo_key, family_key, name_length, ordered_name, matched_by,
    match_key, nth,
    row_number() OVER (
      PARTITION BY before, after, hlo_key, matched_by IS NULL, is_after ORDER BY name_length, ordered_name, op_id
    ) AS place,
    count(*) FILTER (WHERE NOT is_after) OVER same_key AS before_count,
    count(*) FILTER (WHERE is_after) OVER same_key AS after_count
  FROM by_shape
  WINDOW same_key AS (PARTITION BY before, after, hlo_key, matched_by IS NULL)
),
by_hlo_op AS (
  SELECT
    before, after, is_after, op_id, name_key, shape_key, hlo_key, family_key, name_length, ordered_name,
    CASE WHEN is_new THEN 'hlo_op' ELSE matched_by END AS matched_by,
    CASE WHEN is_new THEN hlo_key ELSE match_key END AS match_key, CASE WHEN is_new THEN place ELSE nth END AS nth
  FROM (
    SELECT
      before, after, is_after, op_id, name_key, shape_key, hlo_key, family_key, name_length, ordered_name, matched_by,
      match_key, nth, place,
      matched_by IS NULL AND hlo_key IS NOT NULL AND place <= least(before_count, after_count) AS is_new
    FROM hlo_op_counts
  )
),
family_counts AS (
  SELECT
    before, after, is_after, op_id, name_key, shape_key, hlo_key, family_key, name_length, ordered_name, matched_by,
    match_key, nth,
    row_number() OVER (
      PARTITION BY before, after, family_key, matched_by IS NULL, is_after ORDER BY name_length, ordered_name, op_id
    ) AS place,
    count(*) FILTER (WHERE NOT is_after) OVER same_key AS before_count,
    count(*) FILTER (WHERE is_after) OVER same_key AS after_count
  FROM by_hlo_op
  WINDOW same_key AS (PARTITION BY before, after, family_key, matched_by IS NULL)
),
by_family AS (
  SELECT
    before, after, is_after, op_id, name_key, shape_key, hlo_key, family_key, name_length, ordered_name,
    CASE WHEN is_new THEN 'family' ELSE matched_by END AS matched_by,
    CASE WHEN is_new THEN family_key ELSE match_key END AS match_key, CASE WHEN is_new THEN place ELSE nth END AS nth
  FROM (
    SELECT
      before, after, is_after, op_id, name_key, shape_key, hlo_key, family_key, name_length, ordered_name, matched_by,
      match_key, nth, place,
      matched_by IS NULL AND family_key IS NOT NULL AND place <= least(before_count, after_count) AS is_new
    FROM family_counts
  )
)
SELECT
  before, after, max(op_id) FILTER (WHERE NOT is_after) AS before_op_id,
  max(op_id) FILTER (WHERE is_after) AS after_op_id, matched_by
FROM by_family
GROUP BY before, after, matched_by, match_key, nth, CASE WHEN matched_by IS NULL THEN is_after END;
