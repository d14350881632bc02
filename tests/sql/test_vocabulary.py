import pytest

from profdb.sql.catalog import Column
from profdb.sql.vocabulary import violations

RESERVED = frozenset({"check", "order"})


@pytest.mark.parametrize(
    ("column", "problem"),
    [
        (Column("Run", "VARCHAR", "x"), "column Run: a name is lower-case letters, digits and underscores"),
        (Column("check", "VARCHAR", "x"), "column check: a reserved word of SQL; take another name"),
        (Column("step", "BIGINT", "x"), "column step: the word is step_num"),
        (Column("wait_ms", "BIGINT", "x"), "column wait_ms: the word is _ps"),
        (Column("n_devices", "BIGINT", "x"), "column n_devices: the word is _count at the end"),
        (Column("op_id", "UBIGINT", "x"), "column op_id: is UBIGINT, and must be BIGINT"),
        (Column("gap_ps", "DOUBLE", "In picoseconds."), "column gap_ps: is DOUBLE, and must be BIGINT"),
        (Column("is_whole", "BIGINT", "x"), "column is_whole: is BIGINT, and must be BOOLEAN"),
        (Column("whole", "BOOLEAN", "x"), "column whole: a BOOLEAN starts with is_, has_, uses_"),
        (
            Column("gap_ps", "BIGINT", "Time before the op."),
            "column gap_ps: its comment does not say the unit (picosecond)",
        ),
        (
            Column("copy_share", "DOUBLE", "Share of copies."),
            "column copy_share: its comment does not say the unit (/|\\bover\\b|divided by)",
        ),
    ],
)
def test_a_name_or_unit_that_breaks_the_vocabulary_is_named(column, problem):
    assert list(violations(column, RESERVED)) == [problem]


@pytest.mark.parametrize(
    "column",
    [
        Column("run", "VARCHAR", "Handle of the run."),
        Column("gap_ps", "BIGINT", "Idle time before the op, in picoseconds."),
        Column("peak_flops_per_s", "BIGINT", "Peak floating-point operations per second."),
        Column("copy_share", "DOUBLE", "Copy self time / all op self time."),
        Column("started_at", "TIMESTAMP WITH TIME ZONE", "When the profile started."),
        Column("has_compile", "BOOLEAN", "Whether a compilation ran."),
        Column("device_count", "BIGINT", "Devices."),
    ],
)
def test_names_of_the_vocabulary_pass(column):
    assert list(violations(column, RESERVED)) == []
