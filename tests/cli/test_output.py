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
from xspace import event, line, plane, space

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


OTHERWISE = "\n\nhint: -o FILE, in a folder of yours"
UNWRITABLE = {
    "no/x": "cannot write no/x: No such file or directory\n\nhint: mkdir -p no",
    "a b/c/x": "cannot write a b/c/x: No such file or directory\n\nhint: mkdir -p 'a b/c'",
    ".": f"cannot write .: Is a directory{OTHERWISE}",
    "file/x": f"cannot write file/x: Not a directory{OTHERWISE}",
    "a\0b": f"cannot write a\\x00b: embedded null byte{OTHERWISE}",
    "": "-o '' names nothing\n\nhint: -o NAME",
}


@pytest.mark.parametrize("path", UNWRITABLE)
@pytest.mark.parametrize("command", [["ingest", "h.xplane.pb", "-w", "w"], ["query", "SELECT 1 / 'x'"]])
def test_a_file_that_cannot_be_written_stops_a_command_before_it_does_anything(
    profdb: Callable, tmp_path: Path, command: list[str], path: str
) -> None:
    (tmp_path / "file").touch()
    (tmp_path / "h.xplane.pb").write_bytes(space(plane("/device:GPU:0", line("Stream #1", event("k", 0, 5)))))
    before = sorted(tmp_path.iterdir())
    done = profdb(*command, "-o", path)
    assert (done.out, done.err) == (b"", f"profdb: error: {UNWRITABLE[path]}\n")
    assert done.code == (3 if path else 2)
    assert sorted(tmp_path.iterdir()) == before


def test_a_dash_is_stdout(profdb: Callable, tmp_path: Path) -> None:
    done = profdb("query", "SELECT 1 AS x", "--format", "csv", "-o", "-")
    assert (done.code, done.out, done.err) == (0, b"x\n1\n", "")
    assert list(tmp_path.iterdir()) == []


def test_a_long_name_is_a_name(profdb: Callable, tmp_path: Path) -> None:
    assert profdb("query", "SELECT 1 AS x", "-o", "x" * 255).code == 0
    assert len(list(tmp_path.iterdir())) == 1


def test_a_device_is_written_and_not_replaced(profdb: Callable) -> None:
    assert profdb("query", "SELECT 1 AS x", "-o", os.devnull).code == 0
    assert not Path(os.devnull).is_file()


def test_a_full_disk_is_one_line(process: Callable) -> None:
    with open("/dev/full", "wb") as full:
        done = subprocess.run(
            [*PROGRAM, "query", HUNDRED, "--format", "csv"], stdout=full, stderr=subprocess.PIPE, check=False
        )
    assert done.returncode == 3
    assert done.stderr == b"profdb: error: cannot write to stdout: No space left on device\n\nhint: -o FILE\n"


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


def test_a_binary_format_on_a_terminal_stops_an_ingest_before_it_does_anything(tmp_path: Path) -> None:
    (tmp_path / "h.xplane.pb").write_bytes(space(plane("/device:GPU:0", line("Stream #1", event("k", 0, 5)))))
    code, _ = _on_terminal("ingest", "h.xplane.pb", "-w", "w", "--format", "parquet")
    assert (code, [path.name for path in tmp_path.iterdir()]) == (2, ["h.xplane.pb"])


def test_a_table_fits_the_terminal_and_says_what_it_left_out() -> None:
    sql = "SELECT repeat('x', 90) AS name, 1 AS one, repeat('y', 50) AS scope"
    code, text = _on_terminal("query", sql)
    assert code == 0
    _, rule, row, note = text.splitlines()
    assert (len(rule), len(row)) == (80, 80)
    assert note == "profdb: note: 2 long cells are shortened; --format csv shows all"


def test_columns_that_a_terminal_has_no_room_for_are_named() -> None:
    _, text = _on_terminal("query", "SELECT repeat('r', 70) AS run, 1 AS one, 'abcdefghij' AS a, 'b' AS b")
    header, _, row, note = text.splitlines()
    assert (header.split(), row.split()) == (["run", "one"], ["r" * 70, "1"])
    assert note == "profdb: note: 2 columns do not fit: a, b; --format csv shows all"


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
