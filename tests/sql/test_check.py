import pytest

from profdb.sql import catalog
from profdb.sql.check import find_problems

LAPS = """\
-- One row per lap.
CREATE TABLE laps (
  -- Handle of the run.
  run VARCHAR NOT NULL,
  -- Time of the lap, in picoseconds.
  duration_ps BIGINT NOT NULL
);
"""
VIEW = """\
-- One row per run: its laps.
-- Needs: laps.
-- NULL: never.
CREATE VIEW run_laps (
  -- Handle of the run.
  run,
  -- Longest lap, in picoseconds.
  longest_ps
) AS
SELECT run, max(duration_ps) AS longest_ps
FROM laps
GROUP BY run;
"""
DERIVED = """\
-- One row per run.
CREATE TABLE lap_stats (
  -- Handle of the run.
  run VARCHAR NOT NULL,
  -- Laps.
  lap_count BIGINT NOT NULL
);
INSERT INTO lap_stats
SELECT run, count(*) AS lap_count FROM laps GROUP BY run;
"""
HELPER = """\
-- One row per lap.
CREATE VIEW _long AS
SELECT run FROM laps WHERE duration_ps > 5;
"""


def problems(*texts):
    """What the checker says of these files over the table laps."""
    found = {}
    for text in (LAPS, *texts):
        kind = "view" if "CREATE VIEW" in text else "derived"
        relation = catalog.parse(text, "table" if text is LAPS else kind, "x.sql")
        found[relation.name] = relation
    return find_problems(found)


def test_every_relation_of_profdb_keeps_the_rules():
    for version in catalog.versions():
        assert find_problems(catalog.relations(version)) == []


def test_good_files_have_no_problems():
    assert problems(VIEW, DERIVED, HELPER) == []


@pytest.mark.parametrize(
    ("text", "old", "new", "problem"),
    [
        (
            VIEW,
            "One row per run: its laps.",
            "Laps.",
            "the header comment must start with the grain: One row per ...",
        ),
        (VIEW, "-- Needs: laps.\n", "", "the header comment has no line that starts with Needs:"),
        (VIEW, "-- NULL: never.\n", "", "the header comment has no line that starts with NULL:"),
        (VIEW, "  -- Handle of the run.\n", "", "column run has no comment"),
        (
            VIEW,
            "GROUP BY run;",
            "GROUP BY run;\nDROP VIEW run_laps;",
            "2 statements; a file creates one relation",
        ),
        (
            VIEW,
            "max(duration_ps) AS longest_ps\n",
            "max(duration_ps) AS longest_ps, count(*) AS lap_count\n",
            "2 columns are listed, the SELECT gives 3: run, longest_ps, lap_count",
        ),
        (
            VIEW,
            "max(duration_ps) AS longest_ps",
            "max(duration_ps) AS shortest_ps",
            "column 2 is listed as longest_ps, the SELECT calls it shortest_ps",
        ),
        (VIEW, "run, max(duration_ps) AS longest_ps", "*", "SELECT *: name the columns"),
        (
            VIEW,
            "max(duration_ps) AS",
            "CAST(max(len(run)) AS BIGINT) AS",
            "len(): write length(text) or array_length(list)",
        ),
        (
            VIEW,
            "max(duration_ps) AS",
            "sum(duration_ps) AS",
            "column longest_ps is HUGEINT, which Parquet or Spark rounds: cast it to BIGINT or DOUBLE",
        ),
        (
            VIEW,
            "Longest lap, in picoseconds.",
            "Longest lap.",
            "column longest_ps: its comment does not say the unit (picosecond)",
        ),
        (
            VIEW,
            "FROM laps",
            "FROM lap",
            'does not bind: Catalog Error: Table with name lap does not exist!\nDid you mean "laps"?',
        ),
        (
            HELPER,
            "One row per lap.",
            "Long laps.",
            "the header comment must start with the grain: One row per ...",
        ),
        (DERIVED, "INSERT INTO lap_stats\nSELECT", "-- SELECT", "no INSERT that fills the table"),
        (
            DERIVED,
            "FROM laps",
            "FROM lap",
            "the INSERT does not bind: Catalog Error: Table with name lap does not",
        ),
        (
            DERIVED,
            "SELECT run, count(*) AS lap_count",
            "SELECT run AS lap_count, count(*) AS run",
            "column 1 is listed as run, the SELECT calls it lap_count",
        ),
        (
            DERIVED,
            "count(*) AS lap_count",
            "sum(duration_ps) AS lap_count",
            "the INSERT gives lap_count as HUGEINT, and the column is BIGINT: cast it",
        ),
        (DERIVED, "FROM laps", "FROM laps, laps AS l", "a comma between tables: write CROSS JOIN"),
    ],
)
def test_each_rule_can_fail(text, old, new, problem):
    assert old in text
    found = problems(text.replace(old, new))
    name = catalog.parse(text, "view", "x").name
    assert any(line.startswith(f"{name}.sql: {problem}") for line in found), found


def test_a_view_without_a_column_list_is_a_problem():
    header = "-- One row per lap.\n-- Needs: laps.\n-- NULL: never.\n"
    assert problems(header + "CREATE VIEW all_laps AS\nSELECT run FROM laps;\n") == [
        "all_laps.sql: no column list"
    ]


@pytest.mark.parametrize(
    ("reader", "problem"),
    [
        (
            HELPER.replace("FROM laps WHERE duration_ps > 5", "FROM run_laps"),
            "_long.sql: a helper relation may not read run_laps, which is a view",
        ),
        (
            DERIVED.replace("FROM laps", "FROM run_laps"),
            "lap_stats.sql: a derived relation may not read run_laps, which is a view",
        ),
    ],
)
def test_an_upward_reference_is_a_problem(reader, problem):
    assert problem in problems(VIEW, reader)


def test_a_view_may_read_a_view():
    reader = VIEW.replace("run_laps", "best_laps").replace(
        "max(duration_ps) AS longest_ps\nFROM laps", "max(longest_ps) AS longest_ps\nFROM run_laps"
    )
    assert problems(VIEW, reader) == []


def test_a_cycle_is_a_problem():
    helper = HELPER.replace("FROM laps WHERE duration_ps > 5", "FROM lap_stats")
    derived = DERIVED.replace("FROM laps", "FROM _long")
    assert "cycle: _long -> lap_stats -> _long" in problems(helper, derived)


def test_what_reads_a_broken_view_is_not_reported_again():
    broken = VIEW.replace("FROM laps", "FROM lap")
    reader = HELPER.replace("FROM laps WHERE duration_ps > 5", "FROM run_laps")
    found = problems(broken, reader)
    assert [line.partition(": ")[0] for line in found if "does not bind" in line] == ["run_laps.sql"]


def test_rules_and_their_data_have_the_same_columns():
    rules = catalog.rules()["category_rules"]
    other = catalog.parse(rules.sql.replace("  priority BIGINT", "  rank BIGINT"), "rules", "x.sql")
    [problem, *_] = find_problems({"category_rules": other})
    assert problem.startswith(
        "category_rules.sql: the columns are not those of category_rules.csv: priority, "
    )
