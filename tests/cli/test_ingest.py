"""`profdb ingest` over a real capture: what it answers, what it says, and its exit code."""

import json
import os
import pty
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest


@pytest.fixture
def profile(cpu_capture: Path) -> Path:
    return next(cpu_capture.glob("*.xplane.pb"))


def test_a_log_dir_becomes_a_run_and_then_is_known(profdb: Callable, cpu_capture: Path) -> None:
    logdir = str(cpu_capture.parents[2])
    first = profdb("ingest", logdir, "-w", "w", "--format", "json")
    (row,) = json.loads(first.out)
    assert first.code == 0
    assert (row["status"], row["host_count"], row["device_count"]) == ("ingested", 1, 8)
    assert row["source_bytes"] == next(cpu_capture.glob("*.xplane.pb")).stat().st_size
    assert row["event_count"] > 4000
    summary = rf"profdb: ingested 1 run, 1 host, 8 devices, {row['event_count']:,} events in [\d.]+ s"
    assert re.fullmatch(rf"{summary} \([\d.]+ MB in, [\d.]+ [KM]B stored\)\n", first.err)

    again = profdb("ingest", logdir, "-w", "w", "--format", "json")
    (known,) = json.loads(again.out)
    assert again.code == 0
    assert (known["run"], known["status"], known["event_count"]) == (row["run"], "unchanged", None)
    assert re.fullmatch("profdb: nothing new: 1 run is in the warehouse already\n", again.err)


def test_name_tags_and_expected_hosts_reach_the_run(profdb: Callable, profile: Path) -> None:
    options = ("--run", "mine", "--tag", "branch=main", "--tag", "note=a=b", "--expect-hosts", "2")
    assert profdb("ingest", str(profile), "-w", "w", *options).code == 0
    (row,) = json.loads(profdb("runs", "-w", "w", "--format", "json").out)
    assert row["run"] == "mine"
    assert row["tags"] == {"branch": "main", "note": "a=b"}
    assert row["is_partial"] is True


def test_host_events_can_be_left_out(profdb: Callable, profile: Path) -> None:
    assert profdb("ingest", str(profile), "-w", "w", "--no-host-events").code == 0
    rows = {row["name"]: row for row in json.loads(profdb("tables", "-w", "w", "--format", "json").out)}
    assert (rows["host_events"]["row_count"], rows["steps"]["row_count"]) == (0, 80)


def test_a_taken_handle_needs_replace(profdb: Callable, profile: Path, tmp_path: Path) -> None:
    other = tmp_path / "other.xplane.pb"
    other.write_bytes(profile.read_bytes() + b"\x1a\x00")  # one more, empty error text of the producer
    assert profdb("ingest", str(profile), "-w", "w", "--run", "mine").code == 0
    done = profdb("ingest", str(other), "-w", "w", "--run", "mine")
    assert (done.code, done.out) == (3, b"")
    assert done.err.startswith(
        "profdb: error: run mine is in the warehouse already, from other bytes\n\nhint: --replace"
    )
    done = profdb("ingest", str(other), "-w", "w", "--run", "mine", "--replace", "--format", "json")
    assert (done.code, json.loads(done.out)[0]["status"]) == (0, "replaced")


def test_what_cannot_be_read_is_an_error_line_and_3_and_the_rest_is_ingested(
    profdb: Callable, profile: Path, tmp_path: Path
) -> None:
    bad = tmp_path / "bad.xplane.pb"
    bad.write_bytes(b"not a profile, 20 B.")
    done = profdb("ingest", str(profile), str(bad), "-w", "w", "--format", "json")
    assert (done.code, [row["status"] for row in json.loads(done.out)]) == (3, ["ingested"])
    error, _, hint, summary = done.err.splitlines()
    assert error.startswith("profdb: error: ")
    assert "bad.xplane.pb" in error
    assert hint.startswith("hint: ")
    assert summary.startswith("profdb: ingested 1 run, ")


def test_a_source_that_is_not_there_is_an_error_line_and_3_and_the_rest_is_ingested(
    profdb: Callable, profile: Path, tmp_path: Path
) -> None:
    done = profdb("ingest", str(profile), "typo/*", "gone.xplane.pb", "-w", "w", "--format", "json")
    assert (done.code, [row["status"] for row in json.loads(done.out)]) == (3, ["ingested"])
    assert done.err.startswith(
        f"profdb: error: no such file or folder: typo/*\n\nhint: ls {tmp_path}\n"
        f"profdb: error: no such file or folder: gone.xplane.pb\n\nhint: ls {tmp_path}\n"
        "profdb: ingested 1 run, "
    )


@pytest.mark.parametrize("command", [["ingest", "{profile}"], ["query", "SELECT 1 AS x"], ["runs"]])
@pytest.mark.parametrize("place", ["", "  ", "s3://", "\udcff"])
def test_a_warehouse_that_names_no_place_is_2(
    profdb: Callable, profile: Path, tmp_path: Path, command: list[str], place: str
) -> None:
    done = profdb(*(part.format(profile=profile) for part in command), "-w", place)
    why = "is not UTF-8 text" if place == "\udcff" else "names no place"
    assert (done.code, done.err) == (2, f"profdb: error: the warehouse {place!r} {why}\n\nhint: -w DIR\n")
    assert list(tmp_path.iterdir()) == []


def test_nothing_to_ingest_is_3(profdb: Callable, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    done = profdb("ingest", "empty", "-w", "w")
    assert (done.code, done.out) == (3, b"")
    assert done.err.startswith("profdb: error: nothing to ingest: empty")
    assert not (tmp_path / "w").exists()


def _read_terminal(master: int) -> str:
    """What a process writes to its terminal, to the end; a terminal gives a few thousand bytes at a time."""
    shown = b""
    while True:
        try:
            shown += os.read(master, 1 << 16)
        except OSError:  # EIO: the other end is closed
            os.close(master)
            return shown.decode()


def test_progress_is_drawn_only_on_a_terminal(profile: Path) -> None:
    command = [sys.executable, "-m", "profdb", "ingest", str(profile), "-w", "w", "--format", "csv"]
    master, slave = pty.openpty()
    environment = {**os.environ, "TERM": "xterm", "COLUMNS": "80"}
    running = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=slave, env=environment)
    os.close(slave)
    shown = _read_terminal(master)
    out, _ = running.communicate()
    assert running.returncode == 0
    assert "━" in shown
    erase_the_bar = "\x1b[1A\x1b[2K"
    assert shown.splitlines()[-1].startswith(f"{erase_the_bar}profdb: ingested 1 run, ")
    assert out.decode().splitlines()[0] == (
        "run,status,host_count,device_count,event_count,source_bytes,stored_bytes,seconds"
    )
