-- Where the numbers come from
-- The software that ran, the one that read the profile, and the hash of the profile's bytes.
-- Form: record
-- Report: run_id, session, source_uri, content_sha256, jax_version, jaxlib_version, runtime_version, git_sha, mesh, config_hash, tags, profdb_version, extractor_version, ingested_at
SELECT run_id, session, source_uri, content_sha256, format, jax_version, jaxlib_version, runtime_version, git_sha,
       mesh, config_hash, tags, facts, profdb_version, extractor_version, schema_version, ingested_at
FROM runs
WHERE run = $run
