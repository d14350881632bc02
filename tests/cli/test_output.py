"""Where data goes: whole files, the same bytes everywhere, and an end that is always quiet."""

import os
import pty
import select
import stat
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

HUNDRED = "SELECT i, i * 1000 AS duration_ps FROM range(100) AS t(i)"
PROGRAM = [sys.executable, "-m", "profdb"]


@pytest.mark.parametrize("name", ["table", "csv", "json", "markdown", "parquet", "arrow"])
def test_a_file_and_a_redirect_get_the_same_bytes(process: Callable, name: str, tmp_path: Path) -> None:
    query = ("query", HUNDRED, "--format", name)
    to_file = process(*query, "-o", "rows")
    assert (to_file.code, to_file.out) == (0, b"")
    assert (tmp_path / "rows").read_bytes() == process(*query).out


def test_a_file_is_replaced_whole_and_keeps_its_mode_and_its_link(profdb: Callable, tmp_path: Path) -> None:
    target = tmp_path / "rows.csv"
    target.write_text("old")
    target.chmod(0o640)
    (tmp_path / "link.csv").symlink_to(target)
    assert profdb("query", "SELECT 1 AS x", "--format", "csv", "-o", "link.csv").code == 0
    assert target.read_bytes() == b"x\n1\n"
    assert stat.S_IMODE(target.stat().st_mode) == 0o640
    assert (tmp_path / "link.csv").is_symlink()
    assert sorted(os.listdir(tmp_path)) == ["link.csv", "rows.csv"]


def test_a_new_file_has_the_usual_mode(profdb: Callable, tmp_path: Path) -> None:
    mask = os.umask(0o027)
    try:
        profdb("query", "SELECT 1 AS x", "-o", "rows")
    finally:
        os.umask(mask)
    assert stat.S_IMODE((tmp_path / "rows").stat().st_mode) == 0o640


def test_a_failed_command_leaves_the_old_file(profdb: Callable, tmp_path: Path) -> None:
    (tmp_path / "rows.csv").write_text("old")
    assert profdb("query", "SELECT nothing FROM runs", "-o", "rows.csv").code == 3
    assert (tmp_path / "rows.csv").read_text() == "old"


def test_a_missing_folder_is_named_with_the_command_that_makes_it(profdb: Callable) -> None:
    done = profdb("query", "SELECT 1 AS x", "-o", "no/rows.csv")
    assert (done.code, done.out) == (3, b"")
    assert done.err == (
        "profdb: error: cannot write no/rows.csv: No such file or directory\n\nhint: mkdir -p no\n"
    )


def test_a_device_is_written_and_not_replaced(profdb: Callable) -> None:
    assert profdb("query", "SELECT 1 AS x", "-o", os.devnull).code == 0
    assert not Path(os.devnull).is_file()


def test_a_full_disk_is_one_line(process: Callable) -> None:
    with open("/dev/full", "wb") as full:
        done = subprocess.run(
            [*PROGRAM, "query", HUNDRED, "--format", "csv"], stdout=full, stderr=subprocess.PIPE, check=False
        )
    assert done.returncode == 3
    assert done.stderr == b"profdb: error: cannot write to stdout: No space left on device\n"


@pytest.mark.parametrize("arguments", [["query", "FROM range(200000)", "--format", "csv"], ["--help"]])
def test_a_reader_that_leaves_early_ends_the_command_quietly(arguments: list[str]) -> None:
    read_end, write_end = os.pipe()
    os.close(read_end)
    done = subprocess.run([*PROGRAM, *arguments], stdout=write_end, stderr=subprocess.PIPE, check=False)
    os.close(write_end)
    assert (done.returncode, done.stderr) == (0, b"")


def test_a_closed_stdout_is_one_line() -> None:
    done = subprocess.run(
        ["bash", "-c", f'{sys.executable} -m profdb query "SELECT 1 AS x" >&-'],
        stderr=subprocess.PIPE,
        check=False,
    )
    assert (done.returncode, done.stderr) == (3, b"profdb: error: stdout is closed\n\nhint: -o FILE\n")


@pytest.mark.parametrize("name", ["parquet", "arrow"])
def test_binary_formats_refuse_a_terminal(name: str) -> None:
    code, text = _on_terminal("query", "SELECT 1 AS x", "--format", name)
    assert code == 2
    assert text == f"profdb: error: {name} is binary and stdout is a terminal\n\nhint: -o FILE.{name}\n"


def test_a_table_fits_the_terminal_and_says_what_it_left_out() -> None:
    sql = "SELECT repeat('x', 90) AS name, 1 AS one, repeat('y', 50) AS scope"
    code, text = _on_terminal("query", sql)
    assert code == 0
    _, rule, row, note = text.splitlines()
    assert (len(rule), len(row)) == (80, 80)
    assert note == "profdb: note: 2 long cells are shortened; --format csv shows all"


def _on_terminal(*arguments: str) -> tuple[int, str]:
    """Run with stdout and stderr on one terminal of 80 columns: the exit code and what it shows."""
    master, slave = pty.openpty()
    environment = {**os.environ, "COLUMNS": "80"}
    with subprocess.Popen([*PROGRAM, *arguments], stdout=slave, stderr=slave, env=environment) as running:
        os.close(slave)
        shown = b""
        while select.select([master], [], [], 30)[0]:
            try:
                shown += os.read(master, 65536)
            except OSError:  # the other end is closed
                break
    os.close(master)
    return running.returncode, shown.decode().replace("\r\n", "\n")
