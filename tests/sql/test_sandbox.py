import re

import duckdb
import pytest

from profdb.sql import catalog, sandbox
from profdb.sql.engine import Settings, connect, quote_text
from profdb.sql.errors import InputError
from profdb.sql.sandbox import admit

HOSTILE = r"""
SELECT * FROM '{file}'
SELECT * FROM "{file}"
FROM '{file}' LIMIT 1
FROM 'no.csv'
FROM no.parquet
FROM 'https://example.com/x.parquet'
SELECT (SELECT a FROM '{file}')
SELECT 1 WHERE EXISTS (FROM '{file}')
SELECT * FROM (WITH "{file}" AS (SELECT 1) SELECT 1), '{file}'
WITH "{file}" AS (FROM '{file}') FROM "{file}"
WITH a AS (FROM '{file}'), "{file}" AS (SELECT 1) FROM a
SELECT * FROM runs UNION ALL SELECT * FROM '{file}'
DESCRIBE '{file}'
SUMMARIZE '{file}'
SHOW '{file}'
SELECT * FROM (SUMMARIZE '{file}')
SELECT * FROM read_csv('/etc/passwd')
SELECT * FROM read_text('{file}')
SELECT * FROM read_blob('{file}')
SELECT * FROM read_parquet(['{file}'])
SELECT * FROM READ_JSON('{file}')
SELECT * FROM parquet_metadata('{file}')
SELECT * FROM parquet_scan('{file}')
SELECT * FROM glob('/*')
SELECT * FROM sniff_csv('{file}')
SELECT * FROM runs, LATERAL (SELECT * FROM read_text(run))
COPY runs TO '{out}'
COPY (SELECT 1) TO '{out}'
COPY runs FROM '{file}'
WITH x AS (COPY runs TO '{out}') SELECT 1
WITH x AS MATERIALIZED (COPY runs TO '{out}' (FORMAT csv)) SELECT * FROM x
SELECT * FROM (WITH x AS (COPY runs TO '{out}') SELECT 1)
WITH x AS (INSERT INTO params VALUES (1, 2) RETURNING top) SELECT * FROM x
WITH x AS (DELETE FROM params RETURNING top) SELECT * FROM x
WITH x AS (UPDATE params SET top = 1 RETURNING top) SELECT * FROM x
EXPORT DATABASE '{out}'
IMPORT DATABASE '{out}'
ATTACH '{out}'
ATTACH '{out}' AS other (TYPE sqlite)
DETACH memory
USE information_schema
INSTALL httpfs
LOAD httpfs
FORCE INSTALL httpfs FROM community
UPDATE EXTENSIONS
SET threads = 1
SET VARIABLE x = 1
RESET threads
PRAGMA version
PRAGMA database_list
PRAGMA enable_profiling
CALL pragma_version()
CALL enable_logging()
CREATE TABLE t AS SELECT 1
CREATE TEMP TABLE t (a INT)
CREATE VIEW v AS SELECT 1
CREATE OR REPLACE VIEW runs AS SELECT 1
CREATE MACRO f(a) AS a
CREATE SECRET s (TYPE s3)
CREATE SEQUENCE s
CREATE TYPE mood AS ENUM ('a')
DROP VIEW runs
ALTER TABLE params ADD COLUMN x INT
COMMENT ON TABLE params IS 'x'
INSERT INTO params VALUES (1, 2)
DELETE FROM params
UPDATE params SET top = 1
TRUNCATE params
MERGE INTO params USING runs ON true WHEN MATCHED THEN DELETE
BEGIN
COMMIT
CHECKPOINT
VACUUM
ANALYZE
PREPARE p AS SELECT 1
EXECUTE p
DEALLOCATE p
EXPLAIN SELECT 1
EXPLAIN ANALYZE SELECT 1
SELECT 1; SELECT 2
SELECT 1; DROP TABLE params
SELECT 1;;DELETE FROM params
;
-- only a comment
SELECT getenv('HOME')
SELECT GetEnv('HOME')
SELECT 'HOME'.getenv()
SELECT list_transform(['HOME'], lambda x: getenv(x))
SELECT [getenv(x) FOR x IN ['HOME']]
SELECT run FROM runs ORDER BY getenv('HOME')
SELECT run FROM runs LIMIT (SELECT length(getenv('HOME')))
SELECT sum(1) FILTER (WHERE getenv('HOME') = 'x') FROM runs
SELECT current_setting('allowed_paths')
SELECT main.current_setting('allowed_paths')
SELECT system.main.current_setting('temp_directory')
SELECT getvariable('x')
SELECT set_config('threads', '1', false)
SELECT nextval('s')
SELECT currval('s')
SELECT setval('s', 1)
SELECT setseed(0.5)
SELECT write_log('x')
SELECT sleep_ms(1000)
SELECT pg_sleep(1)
SELECT current_query()
SELECT txid_current()
SELECT json_serialize_plan('SELECT * FROM read_text(''{file}'')')
SELECT * FROM json_execute_serialized_sql(json_serialize_sql('SELECT 1'))
SELECT * FROM query('SELECT 1')
SELECT * FROM query_table('runs')
SELECT * FROM query_table(['runs', '{file}'])
SELECT * FROM duckdb_settings()
SELECT * FROM duckdb_secrets()
SELECT * FROM duckdb_views()
SELECT * FROM duckdb_tables
SELECT * FROM pragma_database_list
SELECT * FROM pragma_table_info('runs')
SELECT * FROM pragma_storage_info('params')
SELECT * FROM sqlite_master
SELECT * FROM pg_catalog.pg_settings
SELECT * FROM pg_settings
SELECT * FROM information_schema.tables
SELECT * FROM system.main.duckdb_columns
SELECT * FROM other.main.runs
SELECT * FROM temp.runs
SELECT * FROM arrow_scan(1, 2, 3)
SELECT * FROM pandas_scan(1)
SELECT * FROM python_map_function(1)
SELECT * FROM test_all_types()
SELECT * FROM a_python_list
SELECT to_aggregate_state('x'::BLOB)
SHOW DATABASES
SHOW ALL TABLES
SHOW TABLES FROM other
SHOW VARIABLES
SHOW '"tables"'
"""

ANALYTIC = r"""
SELECT 1
SELECT * FROM runs
FROM runs
FROM runs SELECT run
TABLE runs
SELECT r.run, d.device FROM runs AS r JOIN devices AS d USING (run)
SELECT * FROM main.runs
SELECT * FROM memory.main.RUNS
SELECT * FROM "runs";
SELECT run FROM runs -- with a comment; and a semicolon
SELECT run /* 'x' */ FROM runs WHERE run = 'a;b'
SELECT count(*), count(DISTINCT run) FROM runs
SELECT platform, sum(window_ps) AS s FROM runs GROUP BY 1 HAVING sum(window_ps) > 0 ORDER BY s DESC LIMIT 3
SELECT platform, sum(window_ps) FROM runs GROUP BY ALL ORDER BY ALL
SELECT platform, device_kind, count(*) FROM runs GROUP BY CUBE (platform, device_kind)
SELECT platform, device_kind, count(*) FROM runs GROUP BY GROUPING SETS ((platform), (device_kind), ())
SELECT platform, count(*) FROM runs GROUP BY ROLLUP (platform)
SELECT run, row_number() OVER (PARTITION BY platform ORDER BY window_ps) FROM runs
SELECT run, lag(window_ps) OVER w, lead(window_ps) OVER w FROM runs WINDOW w AS (ORDER BY run)
SELECT run, sum(window_ps) OVER (ORDER BY run ROWS BETWEEN 2 PRECEDING AND CURRENT ROW) FROM runs
SELECT run, sum(window_ps) OVER (ORDER BY window_ps RANGE UNBOUNDED PRECEDING EXCLUDE TIES) FROM runs
SELECT run FROM runs QUALIFY row_number() OVER (PARTITION BY platform ORDER BY window_ps DESC) = 1
SELECT sum(window_ps) FILTER (WHERE platform = 'tpu') FROM runs
SELECT count(*) FILTER (WHERE platform = 'tpu') OVER (PARTITION BY run) FROM runs
SELECT median(window_ps), quantile_cont(window_ps, 0.9), mode(platform), stddev(window_ps) FROM runs
SELECT max_by(run, window_ps), arg_min(run, window_ps), any_value(run) FROM runs
SELECT approx_count_distinct(run), histogram(platform) FROM runs
SELECT string_agg(run, ', ' ORDER BY run), list(run ORDER BY run DESC) FROM runs
SELECT DISTINCT platform FROM runs
SELECT DISTINCT ON (platform) platform, run FROM runs ORDER BY platform, run
WITH a AS (SELECT run FROM runs), b AS (SELECT run FROM a) SELECT * FROM b
WITH runs AS (SELECT run FROM runs) SELECT * FROM runs
WITH a AS MATERIALIZED (SELECT 1 AS x) SELECT * FROM a AS p, a AS q
WITH a(x) AS (VALUES (1), (2)) SELECT x FROM A
SELECT * FROM (WITH a AS (SELECT 1 AS x) SELECT x FROM a)
WITH a AS (SELECT 1 AS x) SELECT (SELECT max(x) FROM a)
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5) SELECT sum(i) FROM n
SELECT * FROM runs WHERE run IN (SELECT run FROM devices)
SELECT * FROM runs r WHERE EXISTS (SELECT 1 FROM devices d WHERE d.run = r.run)
SELECT * FROM runs WHERE window_ps >= ALL (SELECT window_ps FROM runs)
SELECT * FROM runs SEMI JOIN devices USING (run)
SELECT * FROM runs ANTI JOIN devices USING (run)
SELECT * FROM runs LEFT JOIN devices ON runs.run = devices.run
SELECT * FROM runs FULL JOIN devices USING (run)
SELECT * FROM runs NATURAL JOIN devices
SELECT * FROM runs CROSS JOIN params
SELECT * FROM steps a ASOF JOIN steps b ON a.run = b.run AND a.start_ps >= b.start_ps
SELECT * FROM runs POSITIONAL JOIN devices
SELECT * FROM runs r, LATERAL (SELECT r.window_ps + 1 AS w) t
SELECT * FROM ops CROSS JOIN unnest(operands) AS t(operand)
SELECT unnest(operands) FROM ops
SELECT * FROM unnest([1, 2, 3]) AS t(x)
SELECT * FROM range(10)
SELECT * FROM range(0, 10, 2) AS t(x)
SELECT * FROM generate_series(1, 3) AS t(x)
SELECT unnest(range(3))
VALUES (1, 'a'), (2, 'b')
SELECT * FROM (VALUES (1, 'a')) AS t(x, y)
SELECT 1 UNION SELECT 2
SELECT 1 UNION ALL SELECT 2 ORDER BY 1 LIMIT 1 OFFSET 1
SELECT 1 AS a UNION BY NAME SELECT 2 AS b
SELECT 1 INTERSECT SELECT 1
SELECT 1 EXCEPT ALL SELECT 2
SELECT {'x': 1, 'y': 'a'}.x
SELECT struct_pack(x := 1).x
SELECT tags['team'], map_keys(tags), facts['host_cpu_count'] FROM runs
SELECT MAP {'a': 1}['a']
SELECT operands[1], operands[1:2], operands[-1] FROM ops
SELECT [x + 1 FOR x IN [1, 2, 3] IF x > 1]
SELECT list_transform([1, 2], lambda x: x * 2), list_filter([1, 2], lambda x: x > 1)
SELECT list_reduce([1, 2, 3], lambda a, b: a + b), list_sort(list(DISTINCT run)) FROM runs
SELECT list_aggregate([1, 2], 'sum'), list_contains([1], 1), flatten([[1], [2]])
SELECT CASE WHEN window_ps > 1 THEN 'long' ELSE 'short' END, CASE platform WHEN 'tpu' THEN 1 END FROM runs
SELECT CAST(window_ps AS DOUBLE), window_ps::VARCHAR, TRY_CAST('x' AS INTEGER) FROM runs
SELECT coalesce(window_ps, 0), nullif(window_ps, 0), ifnull(run, ''), greatest(1, 2) FROM runs
SELECT run LIKE 'a%', run ILIKE 'A%', run SIMILAR TO 'a.*', run GLOB 'a*', run NOT LIKE 'b' FROM runs
SELECT regexp_extract(run, '(a)', 1), regexp_replace(run, 'a', 'b', 'g'), regexp_matches(run, 'a') FROM runs
SELECT run || '-' || platform, upper(run), split_part(run, '/', 1), substring(run, 1, 2), run[1:2] FROM runs
SELECT printf('%d', 1), format('{{}}', 2), concat_ws('/', 'a', 'b'), lpad('1', 3, '0')
SELECT date_trunc('day', started_at), started_at + INTERVAL 1 DAY, extract(year FROM started_at) FROM runs
SELECT started_at AT TIME ZONE 'Europe/Paris', epoch_us(started_at), strftime(started_at, '%Y') FROM runs
SELECT now() - started_at, current_date, time_bucket(INTERVAL 1 HOUR, started_at) FROM runs
SELECT * FROM runs WHERE window_ps BETWEEN 1 AND 2 AND platform IS NOT NULL AND NOT is_partial OR run IN ('a')
SELECT * FROM runs WHERE platform IS DISTINCT FROM device_kind
SELECT * EXCLUDE (run) FROM runs
SELECT * REPLACE (upper(run) AS run) FROM runs
SELECT * RENAME (run AS handle) FROM runs
SELECT COLUMNS('.*_ps') FROM runs
SELECT min(COLUMNS(* EXCLUDE (tags, facts))) FROM runs
SELECT run AS a, a || 'x' AS b FROM runs
SELECT #1 FROM runs
SELECT run FROM runs ORDER BY run COLLATE nocase NULLS LAST
SELECT * FROM runs USING SAMPLE 10 ROWS
SELECT * FROM runs TABLESAMPLE 10%
SELECT * FROM runs LIMIT 10%
SELECT random(), uuid(), hash('x'), md5('x')
SELECT to_json({'a': 1}), json_extract('{{"a": 1}}', '$.a'), '{{"a": 1}}'::JSON -> 'a'
SELECT $run, $other
SELECT * FROM runs WHERE run = ?
PIVOT runs ON platform IN ('tpu', 'gpu') USING count(*) GROUP BY device_kind
UNPIVOT (SELECT 1 AS a, 2 AS b) ON a, b INTO NAME n VALUE v
SELECT * FROM (SELECT 1 AS a, 2 AS b) UNPIVOT (v FOR n IN (a, b))
DESCRIBE runs
DESCRIBE SELECT run FROM runs
SELECT column_name FROM (DESCRIBE runs)
SUMMARIZE runs
SUMMARIZE SELECT window_ps FROM runs
SHOW TABLES
SHOW runs
SELECT name FROM (SHOW TABLES)
SELECT try(1 / 0), 7 // 2, 7 % 2, 2 ** 3, 1 & 3, 1 << 2, ~1, @(-1)
SELECT error('too few steps') WHERE false
"""


EXAMPLE = "profdb query 'SELECT run, started_at FROM runs'"


@pytest.fixture(scope="module")
def con():
    return connect({}, Settings())


@pytest.fixture(scope="module")
def places(tmp_path_factory):
    """A real file to read and a place to write."""
    folder = tmp_path_factory.mktemp("hostile")
    file = folder / "secret.parquet"
    with duckdb.connect() as con:
        con.execute(f"COPY (SELECT 1 AS a) TO {quote_text(str(file))}")
    return {"file": str(file), "out": str(folder / "out")}


def lines(text):
    return text.strip().splitlines()


def test_there_are_enough_statements():
    assert len(lines(HOSTILE)) >= 60
    assert len(lines(ANALYTIC)) >= 60


@pytest.mark.parametrize("template", lines(HOSTILE))
def test_hostile_statements_are_refused(template, con, places):
    a_python_list = [1]  # must not become a table
    assert a_python_list
    with pytest.raises(InputError) as caught:
        admit(con, template.format(**places))
    assert caught.value.message


def test_allowed_files_are_refused_too(places):
    con = connect({"runs": [places["file"]]}, Settings())
    for sql in ("FROM '{file}'", "FROM read_parquet('{file}')", "WITH x AS (COPY params TO '{file}') FROM x"):
        with pytest.raises(InputError):
            admit(con, sql.format(**places))


@pytest.mark.parametrize("template", lines(ANALYTIC))
def test_analytic_statements_are_admitted_and_run(template, con):
    sql = template.replace("{{", "{").replace("}}", "}")
    admit(con, sql)
    if "?" not in sql and "$run" not in sql:
        con.execute(sql).fetchall()


@pytest.mark.parametrize(
    ("sql", "message", "hint"),
    [
        (
            "SELECT * FROM step",
            'Catalog Error: Table with name step does not exist!\nDid you mean "steps"?',
            "profdb tables",
        ),
        ("FROM 'x.parquet'", "'x.parquet' is not a table or view of the warehouse", "profdb tables"),
        ("FROM sqlite_master", "'sqlite_master' is not a table or view of the warehouse", "profdb tables"),
        (
            "SELECT 1 FORM runs",
            'Parser Error: syntax error at or near "runs"\n\nLINE 1: SELECT 1 FORM runs\n'
            "                      ^^^^",
            EXAMPLE,
        ),
        ("SELECT getenv('HOME')", "function getenv() is not allowed in a query", "profdb schema"),
        ("SELECT * FROM read_csv('x')", "table function read_csv() is not allowed", "profdb tables"),
        (
            "WITH x AS (COPY runs TO 'f') SELECT 1",
            "COPY is not allowed inside a query",
            EXAMPLE,
        ),
        (
            "EXPLAIN SELECT 1",
            "EXPLAIN is not allowed; a query is one SELECT, DESCRIBE, SHOW TABLES or SUMMARIZE",
            EXAMPLE,
        ),
        ("SELECT 1; SELECT 2", "2 statements; a query is one SELECT", "profdb query, once for each"),
        ("  ", "no SQL statement", EXAMPLE),
        ("SHOW DATABASES", "of the SHOW statements only SHOW TABLES is allowed", "profdb tables"),
        (
            "PIVOT runs ON platform USING count(*)",
            "PIVOT needs its values here",
            "PIVOT t ON c IN ('a', 'b') USING sum(x), or sum(x) FILTER (WHERE c = 'a')",
        ),
        (
            "SELECT 1\0",
            "the statement holds a NUL character or is not valid Unicode",
            "save it as UTF-8 text and give it by -f FILE",
        ),
        (
            "SELECT '\udcff'",
            "the statement holds a NUL character or is not valid Unicode",
            "save it as UTF-8 text and give it by -f FILE",
        ),
        ("SELECT " + "+".join(["1"] * 900), "the statement is nested too deeply", EXAMPLE),
    ],
)
def test_refusals_say_what_and_what_to_try(sql, message, hint, con):
    with pytest.raises(InputError) as caught:
        admit(con, sql)
    assert (caught.value.message, caught.value.hint) == (message, hint)


@pytest.mark.parametrize(
    ("sql", "typed"),
    [
        ("install httpfs", "INSTALL"),
        ("/* or LOAD */ force install httpfs", "FORCE"),
        ("load httpfs", "LOAD"),
        ("RESET threads", "RESET"),
        ("USE main", "USE"),
        ("begin", "BEGIN"),
        ("CHECKPOINT", "CHECKPOINT"),
        ("UPDATE EXTENSIONS", "UPDATE"),
        ("WITH x AS (SELECT 1) INSERT INTO params FROM x", "INSERT"),
    ],
)
def test_a_refusal_names_what_was_typed(sql, typed, con):
    with pytest.raises(InputError, match=f"^{typed} is not allowed; "):
        admit(con, sql)


def test_show_tables_leaves_helpers_out(con):
    public = sorted(name for name, relation in catalog.relations().items() if relation.kind != "helper")
    for sql in ("SHOW TABLES", "show tables;", "-- all\nSHOW TABLES"):
        found = con.sql(admit(con, sql))
        assert found.columns == ["name"]
        assert [name for (name,) in found.fetchall()] == public


# Functions of this DuckDB that are volatile or read something beside their arguments, and are harmless.
HARMLESS = """
+ - age ago century current_catalog current_database current_date current_localtime current_localtimestamp
current_role current_schema current_schemas current_user date_diff date_part date_sub date_trunc datediff
datepart datesub datetrunc day dayname dayofmonth dayofweek dayofyear decade era error gen_random_uuid
generate_series get_current_time get_current_timestamp hour isodow isoyear julian last_day make_timestamptz
microsecond millennium millisecond minute month monthname now quarter random range second session_user
strftime time_bucket timezone timezone_hour timezone_minute today transaction_timestamp user uuid uuidv4
uuidv7
vector_type week weekday weekofyear year yearweek
"""


def test_every_volatile_function_of_this_duckdb_is_known():
    """A new DuckDB may bring functions with side effects: they must be denied or judged harmless here."""
    con = duckdb.connect()
    sql = (
        "SELECT DISTINCT function_name FROM duckdb_functions() "
        "WHERE function_type IN ('scalar', 'aggregate') AND (stability != 'CONSISTENT' OR has_side_effects)"
    )
    volatile = {name for (name,) in con.execute(sql).fetchall()}
    known = set(HARMLESS.split()) | sandbox._DENIED_FUNCTIONS
    assert sorted(volatile - known) == []


def test_functions_with_telling_names_are_refused(con):
    """Names that read, run or wait: refused whatever DuckDB says about their stability."""
    telling = re.compile(r"(^|_)(env|file|glob|log|query|read|secret|seed|setting|sleep|sql|variable)(_|$)")
    harmless = {"log", "parse_duckdb_log_message"}  # the logarithm; a parser of text
    sql = "SELECT DISTINCT function_name FROM duckdb_functions() WHERE function_type IN ('scalar', 'macro')"
    names = [name for (name,) in con.execute(sql).fetchall() if telling.search(name)]
    assert "current_setting" in names
    for name in sorted(set(names) - harmless):
        with pytest.raises(InputError, match=f"function {name}\\(\\) is not allowed"):
            admit(con, f"SELECT {name}('x')")
