"""The command tree: help, usage errors, and the one handler behind every command."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from profdb import __version__


def test_help_names_every_exit_code(profdb: Callable) -> None:
    done = profdb("--help")
    assert (done.code, done.err) == (0, "")
    assert done.out.decode().endswith(
        "  Exit codes:\n"
        "    0   ok\n"
        "    1   regression found, or a check failed\n"
        "    2   wrong usage\n"
        "    3   bad or missing input\n"
        "    4   cannot tell: not enough data\n"
        "    70  a defect in profdb\n"
        "    130 interrupted\n"
    )


@pytest.mark.parametrize(
    "command",
    [["ingest"], ["query"], ["runs"], ["tables"], ["schema"], ["demo"], ["sql", "list"], ["sql", "show"]],
)
def test_every_command_shows_an_example(profdb: Callable, command: list[str]) -> None:
    done = profdb(*command, "--help")
    assert (done.code, done.err) == (0, "")
    assert f"profdb {' '.join(command)}" in done.out.decode().partition("  Example")[2]


@pytest.mark.parametrize("group", [[], ["sql"]])
def test_a_bare_call_prints_help_on_stderr(profdb: Callable, group: list[str]) -> None:
    done = profdb(*group)
    assert (done.code, done.out) == (2, b"")
    assert done.err == profdb(*group, "--help").out.decode()


def test_version(profdb: Callable) -> None:
    done = profdb("--version")
    assert (done.code, done.out, done.err) == (0, f"profdb {__version__}\n".encode(), "")


BAD = "Invalid value"
FORMATS = "'table', 'csv', 'tsv', 'json', 'jsonl', 'markdown', 'parquet', 'arrow'"


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        (["quer"], "No such command 'quer'. Did you mean 'query'?\n\nhint: profdb --help"),
        (["query", "--xyz"], "No such option: --xyz\n\nhint: profdb query --help"),
        (["ingest"], "Missing argument 'SOURCE'\n\nhint: profdb ingest --help"),
        (["sql", "show"], "Missing argument 'NAME'\n\nhint: profdb sql show --help"),
        (["query", "SELECT 1", "-p", "x"], "Option '-p' requires 2 arguments\n\nhint: profdb query --help"),
        (["sql", "show", "ops", "-o"], "Option '-o' requires an argument\n\nhint: profdb sql show --help"),
        (
            ["runs", "--format", "xml"],
            f"{BAD} for '--format': 'xml' is not one of {FORMATS}\n\nhint: profdb runs --help",
        ),
        (
            ["ingest", "x", "--expect-hosts", "99999999999999999999"],
            f"{BAD} '99999999999999999999' for '--expect-hosts': Input should be less than or equal to "
            "1000000000000\n\nhint: profdb ingest --help",
        ),
        (
            ["ingest", "x", "--expect-hosts", "0"],
            f"{BAD} '0' for '--expect-hosts': Input should be greater than or equal to 1\n\nhint: "
            "profdb ingest --help",
        ),
        (
            ["query", "-- no statement"],
            'No such option: -- no statement\n\nhint: profdb query -- "SQL", or profdb query -f FILE',
        ),
        (
            ["ingest", "x", "--tag", "a=\udcff"],
            "--tag 'a=\\udcff' is not UTF-8 text\n\nhint: --tag TEXT, in UTF-8",
        ),
        (
            ["query", "SELECT $x AS x", "-p", "x", "\udcff"],
            "-p 'x \\udcff' is not UTF-8 text\n\nhint: -p TEXT, in UTF-8",
        ),
        (["query", "-f", ""], "-f '' names nothing\n\nhint: -f NAME"),
        (["demo", "--logdir", ""], "--logdir '' names nothing\n\nhint: --logdir NAME"),
        (
            ["ingest", "x", "--tag", "a=1", "--tag", "a=2"],
            "--tag a was given twice: '1' and '2'\n\nhint: --tag a=VALUE, once",
        ),
        (
            ["query", "SELECT 1", "--set", "top=1", "--set", "top=2"],
            "--set top was given twice: '1' and '2'\n\nhint: --set top=VALUE, once",
        ),
    ],
)
def test_wrong_usage_is_two_lines_and_2(profdb: Callable, arguments: list[str], error: str) -> None:
    done = profdb(*arguments)
    assert (done.code, done.out, done.err) == (2, b"", f"profdb: error: {error}\n")


def test_an_unreadable_warehouse_is_one_line(profdb: Callable, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("not a folder")
    done = profdb("runs", "-w", "file")
    assert (done.code, done.out) == (3, b"")
    assert done.err.startswith("profdb: error: ")
    assert "Traceback" not in done.err


def test_hostile_text_in_an_error_cannot_reach_the_terminal(profdb: Callable) -> None:
    done = profdb("schema", "\x1b[31mops\u202e")
    assert done.code == 3
    assert done.err == (
        "profdb: error: there is no table or view '\\x1b[31mops\\u202e'\n\nhint: profdb tables\n"
    )


ODD = "a\n\x1b[31mb"


@pytest.mark.parametrize(
    "arguments",
    [
        ["ingest", ODD],
        ["ingest", "w*", "--run", f"{ODD}\n "],
        ["query", "SELECT 1 AS x", "-w", ODD],
        ["query", "SELECT 1 AS x", "-o", f"{ODD}/rows"],
        ["query", "-f", ODD],
        ["query", "SELECT 1 AS x", "--views", ODD],
        ["query", "SELECT 1 AS x", "--set", ODD],
        ["query", "SELECT 1 AS x", "--memory-limit", ODD],
        ["query", "SELECT 1 AS x", "--limit", ODD],
        ["query", "SELECT 1 AS x", "-p", ODD, "1"],
        ["query", "SELECT 1 AS x", f"--{ODD}"],
        ["runs", ODD],
        ["schema", ODD],
        [ODD],
    ],
)
def test_what_a_user_typed_never_splits_the_line_of_an_error(profdb: Callable, arguments: list[str]) -> None:
    done = profdb(*arguments)
    assert done.code in {2, 3}
    error, blank, hint = done.err.splitlines()
    assert error.startswith("profdb: error: ")
    assert blank == ""
    assert hint.startswith("hint: ")
    assert "\x1b" not in done.err


@pytest.mark.parametrize("module", ["profdb.cli.main", "typer", "profdb.sql.errors"])
def test_ctrl_c_during_the_imports_is_130_and_one_line(module: str) -> None:
    program = f"""
import os, runpy, signal, sys
class Interrupting:
    def find_spec(self, name, path=None, target=None):
        if name == {module!r}:
            os.kill(os.getpid(), signal.SIGINT)
sys.meta_path.insert(0, Interrupting())
signal.signal(signal.SIGINT, signal.default_int_handler)
sys.argv = ["profdb", "--version"]
runpy.run_module("profdb", run_name="__main__")
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "profdb: interrupted\n")


@pytest.mark.parametrize("codec", ["C", "de_DE.UTF-8"])
def test_the_locale_changes_no_byte(process: Callable, codec: str) -> None:
    done = process("query", "SELECT 'Zürich' AS name, 1.5::DOUBLE AS x", LC_ALL=codec)
    assert done.out.decode() == "name      x\n------  ---\nZürich  1.5\n"


def test_a_defect_is_one_line_and_70_and_the_traceback_is_for_who_asks() -> None:
    broken = (
        "import sys; sys.modules['pyarrow'] = None; from profdb.cli.main import run; exit(run(['schema']))"
    )
    done = subprocess.run([sys.executable, "-c", broken], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (70, "")
    error, blank, hint = done.stderr.splitlines()
    assert error.startswith("profdb: error: profdb itself failed: ModuleNotFoundError: ")
    assert (blank, hint) == ("", "hint: PROFDB_TRACEBACK=1 before the command shows where")
    environment = {**os.environ, "PROFDB_TRACEBACK": "1"}
    command = [sys.executable, "-c", broken]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.stderr.startswith("Traceback ")
