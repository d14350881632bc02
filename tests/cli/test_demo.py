"""`profdb demo`, for real and twice: what it prints, and that the commands that it proposes work."""

import json
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from profdb.cli.demo import _SECTIONS


def _section(text: str, title: str) -> list[str]:
    """The lines of the table under a title: header, rule and rows."""
    return text.partition(f"{title}:\n\n")[2].partition("\n\n")[0].splitlines()


def test_the_whole_main_job_in_one_command_and_again(process: Callable, tmp_path: Path) -> None:
    first, second = (_demo(process) for _ in range(2))
    runs = [row["run"] for row in json.loads(process("runs", "-w", "w", "--format", "json").out)]
    assert [_section(text, "The run")[2].split()[0] for text in (second, first)] == runs
    assert len({*runs}) == 2

    steps = [line.split() for line in _section(second, "Its steps")[2:]]
    assert [step[0] for step in steps] == [str(number) for number in range(10)]
    assert [step[-1] for step in steps] == ["false"] * 5 + ["true"] * 4 + ["false"]
    header, _, *hottest = _section(second, "Its hottest ops")
    assert re.split(" +", header) == ["name", "category", "phase", "region", "source", "count", *SELF]
    assert len(hottest) == 12
    assert any(re.search(r"compute +\w+ +layer[0-3]/block/mlp +demo.py:\d+ +80 ", line) for line in hottest)
    _try_the_proposed_commands(second.partition("Next:\n\n")[2].splitlines(), tmp_path)


SELF = ("self_ps", "self_share")


def _demo(process: Callable) -> str:
    done = process("demo", "-w", "w")
    assert done.code == 0, done.err
    first, *_, last = done.err.splitlines()
    assert first == "profdb: capturing 10 training steps of a small MLP on 8 virtual CPU devices"
    assert re.match(r"profdb: ingested 1 run, 1 host, 8 devices, [\d,]+ events in [\d.]+ s", last)
    return done.out.decode()


def _try_the_proposed_commands(lines: list[str], folder: Path) -> None:
    *commands, ingest = (line.strip() for line in lines)
    assert ingest.endswith(" ingest -w w YOUR_LOGDIR")
    answers = []
    for command in commands:
        bash = ["bash", "-c", command]
        done = subprocess.run(bash, cwd=folder, capture_output=True, text=True, check=False)
        assert (done.returncode, done.stderr) == (0, ""), command
        answers.append(done.stdout)
    assert "Quality of the capture" in answers[0]
    assert (folder / "profdb-demo.html").read_text().startswith("<!doctype html>")
    phases = {line.split()[0] for line in answers[2].splitlines()[2:]}
    assert phases >= {"forward", "backward", "recompute"}
    assert "self_share" in answers[-1]


@pytest.mark.parametrize("title", list(_SECTIONS))
def test_every_section_is_one_admissible_query(profdb: Callable, title: str) -> None:
    done = profdb("query", _SECTIONS[title], "-p", "run", "demo-a", "--format", "csv")
    assert (done.code, done.err) == (0, "")


def test_without_jax_the_hint_is_the_extra() -> None:
    no_jax = "import sys; sys.modules['jax'] = None; from profdb.cli.main import run; exit(run(['demo']))"
    done = subprocess.run([sys.executable, "-c", no_jax], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (3, "")
    assert done.stderr == (
        "profdb: error: the demo captures with jax, which is not installed\n"
        "\nhint: pip install 'profdb[capture]'\n"
    )


def test_a_capture_that_fails_is_one_line(profdb: Callable, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    done = profdb("demo", "-w", "w", "--logdir", "file")
    assert (done.code, done.out) == (3, b"")
    _, error, blank, hint = done.err.splitlines()
    assert error.startswith("profdb: error: the demo could not be captured: cannot capture into file: ")
    assert (blank, hint) == ("", f"hint: {sys.executable} -m profdb.capture.demo file")
    assert not (tmp_path / "w").exists()
