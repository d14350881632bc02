"""`profdb query`: where the SQL comes from, parameters, limits and settings."""

import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest


def test_sql_comes_from_the_argument_a_file_or_stdin(process: Callable, tmp_path: Path) -> None:
    sql = "SELECT run FROM runs ORDER BY run"
    (tmp_path / "runs.sql").write_text("\ufeff" + sql, encoding="utf-8")
    expected = b"run\ndemo-a\ndemo-b\n"
    for arguments, stdin in [((sql,), b""), (("-f", "runs.sql"), b""), (("-",), sql.encode())]:
        done = process("query", *arguments, "--format", "csv", stdin=stdin)
        assert (done.code, done.out, done.err) == (0, expected, "")


def test_parameters_fill_names_and_are_never_part_of_the_text(profdb: Callable) -> None:
    sql = "SELECT run, $label AS label FROM runs WHERE window_ps > $least"
    done = profdb("query", sql, "-p", "label", "it's; --", "-p", "least", "3000000", "--format", "csv")
    assert (done.code, done.out) == (0, b"run,label\ndemo-a,it's; --\n")


@pytest.mark.parametrize(
    ("limit", "rows", "note"),
    [
        ([], 50, "profdb: note: only the first 50 rows are shown; --limit -1 shows all\n"),
        (["--limit", "3"], 3, "profdb: note: only the first 3 rows are shown; --limit -1 shows all\n"),
        (["--limit", "0"], 0, "profdb: note: only the first 0 rows are shown; --limit -1 shows all\n"),
        (["--limit", "60"], 60, ""),
        (["--limit", "-1"], 60, ""),
    ],
)
def test_tables_are_limited_and_loud(profdb: Callable, limit: list[str], rows: int, note: str) -> None:
    done = profdb("query", "SELECT i FROM range(60) AS t(i)", *limit)
    assert len(done.out.splitlines()) == 2 + rows
    assert (done.code, done.err) == (0, note)


def test_other_formats_are_whole_unless_told(profdb: Callable) -> None:
    query = ("query", "SELECT i FROM range(60) AS t(i)", "--format", "csv")
    assert len(profdb(*query).out.splitlines()) == 61
    done = profdb(*query, "--limit", "2")
    assert done.out == b"i\n0\n1\n"
    assert done.err == "profdb: note: only the first 2 rows are shown; --limit -1 shows all\n"


def test_settings_reach_the_views(profdb: Callable) -> None:
    query = ("query", "SELECT warmup_steps, top FROM params", "--format", "csv")
    assert profdb(*query).out == b"warmup_steps,top\n5,25\n"
    assert profdb(*query, "--set", "warmup_steps=3", "--set", "top=7").out == b"warmup_steps,top\n3,7\n"
    memory = "SELECT 1 AS x FROM range(1)"
    assert profdb("query", memory, "--memory-limit", "500MB", "--views", "v1", "--format", "csv").code == 0


@pytest.mark.parametrize(
    ("arguments", "code", "error"),
    [
        ([], 2, 'no SQL was given\n\nhint: profdb query "SELECT * FROM runs"'),
        (
            ["SELECT 1", "-f", "x.sql"],
            2,
            'SQL was given twice, as an argument and by -f\n\nhint: profdb query "SELECT * FROM runs"',
        ),
        (
            ["-f", "no.sql"],
            3,
            "cannot read no.sql: No such file or directory\n\nhint: -f FILE, or -f - for stdin",
        ),
        (["SELECT $x AS x"], 2, "no value for parameter $x\n\nhint: -p x VALUE"),
        (
            ["SELECT $x AS x", "-p", "x", "1", "-p", "x", "2"],
            2,
            "parameter 'x' was given twice\n\nhint: -p x VALUE, once",
        ),
        (["SELECT 1", "--set", "top"], 2, "--set takes key=value, not 'top'\n\nhint: --set top=VALUE"),
        (
            ["SELECT 1", "--limit", "-2"],
            2,
            "Invalid value '-2' for '--limit': Input should be greater than or equal to -1"
            "\n\nhint: profdb query --help",
        ),
        (["SELECT 1", "--views", "v9"], 2, "no view version 'v9'\n\nhint: --views v1"),
        (
            ["SELECT * FROM rums"],
            3,
            'Catalog Error: Table with name rums does not exist!\nDid you mean "runs"?'
            "\n\nhint: profdb tables",
        ),
        (["SELECT 1", "-w", "none"], 3, "no warehouse at none\n\nhint: profdb ingest PROFILE -w none"),
    ],
)
def test_what_is_wrong_is_said_with_what_mends_it(
    profdb: Callable, arguments: list[str], code: int, error: str
) -> None:
    done = profdb("query", *arguments)
    assert (done.code, done.out, done.err) == (code, b"", f"profdb: error: {error}\n")


@pytest.mark.parametrize("timeout", ["nan", "inf", "-1", "0", "1e9", "5s"])
def test_a_timeout_that_is_no_time_is_refused_with_its_value(profdb: Callable, timeout: str) -> None:
    done = profdb("query", "SELECT 1 AS x", "--timeout", timeout)
    assert done.code == 2
    assert done.err.startswith(f"profdb: error: Invalid value {timeout!r} for '--timeout': Input should be ")


def test_sql_may_begin_with_a_comment(profdb: Callable) -> None:
    sql = "-- the runs = all\n--of them\nSELECT run, $x AS x FROM runs ORDER BY run"
    options = ("-p", "x", "-- no\ncomment", "--format", "csv")
    for arguments in ([sql, *options], [*options, sql], [*options, "--", sql]):
        done = profdb("query", *arguments)
        assert (done.code, done.out, done.err) == (
            0,
            b'run,x\ndemo-a,"-- no\ncomment"\ndemo-b,"-- no\ncomment"\n',
            "",
        )


def test_a_file_that_is_no_text_names_the_byte(profdb: Callable, tmp_path: Path) -> None:
    (tmp_path / "bad.sql").write_bytes(b"SELECT '\xff'")
    done = profdb("query", "-f", "bad.sql")
    assert (done.code, done.err) == (
        3,
        "profdb: error: bad.sql is not UTF-8 text: byte 8\n"
        "\nhint: iconv -f latin1 -t utf-8 bad.sql | profdb query -\n",
    )


def test_a_summary_of_another_tool_is_no_sql_and_no_profile(profdb: Callable, tmp_path: Path) -> None:
    (tmp_path / "summary.json").write_text('{"schema_version": 1, "steps": []}')
    done = profdb("query", "-f", "summary.json")
    assert (done.code, done.err) == (
        3,
        "profdb: error: summary.json holds JSON and no SQL: a summary or report cannot be queried\n"
        "\nhint: profdb ingest LOGDIR, with the profile that it was made from\n",
    )
    done = profdb("ingest", "summary.json", "-w", "new")
    assert (done.code, (tmp_path / "new").exists()) == (3, False)
    assert done.err.startswith(
        "profdb: error: nothing to ingest: summary.json: JSON tells what another tool found in a profile; "
        "ingest the .xplane.pb file of its session\n\nhint: profdb ingest LOGDIR"
    )


def test_a_slow_query_stops_at_its_time(profdb: Callable) -> None:
    started = time.monotonic()
    done = profdb("query", "SELECT count(*) FROM range(100000000), range(100000)", "--timeout", "0.2")
    assert (done.code, done.out) == (3, b"")
    assert done.err == "profdb: error: the query took longer than 0.2 s\n\nhint: --timeout 2\n"
    assert time.monotonic() - started < 10


def test_ctrl_c_ends_a_query_with_130_and_one_line() -> None:
    sql = "SELECT count(*) FROM range(100000000), range(100000)"
    program = (
        # A shell that starts the tests in the background has them ignore the signal.
        "import signal; signal.signal(signal.SIGINT, signal.default_int_handler); "
        f"from profdb.cli.main import run; print('up', flush=True); exit(run(['query', {sql!r}]))"
    )
    running = subprocess.Popen(
        [sys.executable, "-c", program], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert running.stdout is not None
    assert running.stdout.readline() == b"up\n"
    time.sleep(1)
    running.send_signal(signal.SIGINT)
    out, err = running.communicate(timeout=30)
    assert (running.returncode, out, err) == (130, b"", b"profdb: interrupted\n")
