import pytest
import sqlglot

from profdb.sql import portable


@pytest.mark.parametrize(
    ("sql", "message"),
    [
        ("SELECT * FROM t", "SELECT *: name the columns"),
        ("SELECT t.* FROM t", "SELECT *: name the columns"),
        ("SELECT * EXCLUDE (a) FROM t", "SELECT *: name the columns"),
        ("SELECT * REPLACE (1 AS a) FROM t", "SELECT *: name the columns"),
        ("FROM t", "SELECT *: name the columns"),
        ("SELECT COLUMNS('x') FROM t", "COLUMNS(): name the columns"),
        ("SELECT a, count(*) FROM t GROUP BY ALL", "GROUP BY ALL: name the columns"),
        ("SELECT a, count(*) FROM t GROUP BY 1", "GROUP BY by position: name the columns"),
        (
            "SELECT t.a FROM t ASOF JOIN u ON t.a >= u.a",
            "ASOF JOIN: write ON a.start <= b.t AND b.t < a.start + a.dur",
        ),
        ("SELECT t.a FROM t POSITIONAL JOIN u", "POSITIONAL JOIN: join on columns"),
        ("SELECT x FROM t PIVOT (sum(a) FOR b IN ('x'))", "PIVOT: write sum(x) FILTER (WHERE c = 'a')"),
        ("SELECT x FROM t UNPIVOT (v FOR n IN (a))", "PIVOT: write sum(x) FILTER (WHERE c = 'a')"),
        ("SELECT 1 AS a UNION BY NAME SELECT 2 AS a", "UNION BY NAME: write the columns in one order"),
        (
            "WITH RECURSIVE r AS (SELECT 1 AS a) SELECT a FROM r",
            "WITH RECURSIVE: join or use window functions",
        ),
        ("SELECT [x FOR x IN l] FROM t", "list comprehension: CROSS JOIN unnest(x) AS t(c)"),
        ("SELECT l[1:2] FROM t", "slice: write substring(x, start, length), or x[i] for one element"),
        (
            "SELECT list(a ORDER BY b) FROM t",
            "ordered list(): write list_sort(list(DISTINCT x)), or max_by(x, y) for one element",
        ),
        (
            "SELECT array_agg(a ORDER BY b) FROM t",
            "ordered list(): write list_sort(list(DISTINCT x)), or max_by(x, y) for one element",
        ),
        (
            "SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY a) FROM t",
            "WITHIN GROUP: write quantile_cont(x, p)",
        ),
        ("SELECT arg_max(a, b, 3) FROM t", "arg_max(x, y, n): write QUALIFY row_number() OVER (...) <= n"),
        ("SELECT min_by(a, b, 3) FROM t", "arg_max(x, y, n): write QUALIFY row_number() OVER (...) <= n"),
        (
            "SELECT regexp_replace(a, 'x', 'y') FROM t",
            "regexp_replace without 'g': add 'g', or use regexp_extract(x, re, 1)",
        ),
        ("SELECT log(a) FROM t", "log(x): write ln(x) or log10(x)"),
        (
            "SELECT CAST(avg(a) AS BIGINT) FROM t",
            "a float cast to an integer: write CAST(round(x) AS BIGINT)",
        ),
        ("SELECT (a * 1.5)::BIGINT FROM t", "a float cast to an integer: write CAST(round(x) AS BIGINT)"),
        (
            "SELECT CAST(CAST(a AS DOUBLE) * b AS INTEGER) FROM t",
            "a float cast to an integer: write CAST(round(x) AS BIGINT)",
        ),
        (
            "SELECT a / 2.5 FROM t",
            "a decimal literal in a division: write CAST(2.5 AS DOUBLE) or 2.5e0",
        ),
        (
            "SELECT 1.0 * a / nullif(b, 0) FROM t",
            "a decimal literal in a division: write CAST(2.5 AS DOUBLE) or 2.5e0",
        ),
        ("SELECT a / b FROM t", "a divisor that may be 0: write nullif(x, 0)"),
        ("SELECT a // (b + 1) FROM t", "a divisor that may be 0: write nullif(x, 0)"),
        ("SELECT a % b FROM t", "a divisor that may be 0: write nullif(x, 0)"),
        ("SELECT d + INTERVAL 1 DAY FROM t", "date plus interval: compute with epoch integers"),
        (
            "SELECT coalesce(a, b) AS c, c + 1 AS d FROM t",
            "an alias used beside its definition: use WITH, or qualify the name if a table has that column",
        ),
        (
            "SELECT a + 1 AS b FROM t WHERE b > 1",
            "an alias used beside its definition: use WITH, or qualify the name if a table has that column",
        ),
        ("SELECT a FROM 'x.parquet'", "a file or table function: views read tables only"),
        ("SELECT a FROM range(3) AS g(a)", "a file or table function: views read tables only"),
        ("SELECT a FROM read_parquet('x')", "a file or table function: views read tables only"),
        ("SELECT t.a FROM t, u", "a comma between tables: write CROSS JOIN"),
    ],
)
def test_a_banned_construct_is_named_with_its_replacement(sql, message):
    assert message in portable.violations(sqlglot.parse_one(sql, read="duckdb"))


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT a, count(*) AS n FROM t GROUP BY a HAVING count(*) > 1 ORDER BY n",
        "SELECT run, a FROM t QUALIFY row_number() OVER (PARTITION BY run ORDER BY a) <= 3",
        "SELECT sum(a) FILTER (WHERE b = 'x') AS s, median(a) AS m, max_by(a, b) AS x FROM t",
        "SELECT a, lag(a) OVER (ORDER BY a ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) AS b FROM t",
        "SELECT list_sort(list(DISTINCT a)) AS l, count(DISTINCT a) AS n FROM t",
        "SELECT t.a, x.c FROM t CROSS JOIN unnest(t.l) AS x(c)",
        "SELECT s.field, m['k'] AS v, l[1] AS e FROM t",
        "SELECT regexp_extract(a, '(x)', 1) AS b, regexp_replace(a, 'x', '', 'g') AS c FROM t",
        "SELECT CAST(a AS DOUBLE) / nullif(b, 0) AS r, a / CAST(1000 AS DOUBLE) AS k, a % 7 AS m FROM t",
        "SELECT CAST(round(quantile_cont(a, 0.9)) AS BIGINT) AS p90, CAST(sum(a) AS BIGINT) AS s FROM t",
        "SELECT t.a FROM t SEMI JOIN u ON t.a = u.a ANTI JOIN v ON t.a = v.a",
        "SELECT t.a FROM t JOIN u USING (a) LEFT JOIN v ON v.a = t.a CROSS JOIN params",
        "SELECT date_trunc('day', d) AS day, ln(a) AS l, log10(a) AS k FROM t",
        "SELECT coalesce(a, 0) AS a, a + 1 AS b FROM t",
        "SELECT x.a + 1 AS b, x.b AS c FROM x",
        "WITH p AS (SELECT a + 1 AS b FROM t) SELECT b, b + 1 AS c FROM p",
    ],
)
def test_the_portable_subset_passes(sql):
    assert portable.violations(sqlglot.parse_one(sql, read="duckdb")) == []
