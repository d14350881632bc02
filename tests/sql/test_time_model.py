"""The examples of docs/time-model.md are what the SQL answers."""

import itertools
import re
from pathlib import Path

import pytest

from profdb.sql.scopes import phase, region

TEXT = (Path(__file__).parents[2] / "docs" / "time-model.md").read_text(encoding="utf-8")
TIMELINES = re.findall(r"```timeline\n(.*?)```", TEXT, re.DOTALL)
PATHS = re.findall(r"^\| `(jit.+)` \| (\w+) \| (?:`(.*)`|\*\(empty\)\*) \|$", TEXT, re.MULTILINE)
OPS = {
    "c": "fusion",
    "d": "dot",
    "G": "all-gather",
    "R": "reduce-scatter",
    "S": "all-gather-start",
    "D": "all-gather-done",
    "p": "copy",
    "w": "while",
    "k": "call",
}
PAIR = "SDA"


def executions(drawing):
    """(letter, start, end) of each run of one letter."""
    at = 0
    for letter, group in itertools.groupby(drawing):
        end = at + len(list(group))
        if letter != ".":
            yield letter, at, end
        at = end


def draw(tiny, lines):
    """Write the streams into the run: a line of the same stream is inside the one above where it fits."""
    streams = {}
    for line in lines:
        name, drawing = re.fullmatch(r"(\S.*?) {2,}(\S+)", line).groups()
        tiny.window_end = len(drawing)
        if name == "steps":
            for number, start, end in executions(drawing):
                tiny.step(int(number), start, end)
        else:
            streams.setdefault(name, []).extend(executions(drawing))
    steps = tiny.con.execute("SELECT step_num, start_ps, start_ps + duration_ps FROM steps").fetchall()
    tiny.window(0, tiny.window_end)
    for name, found in streams.items():
        for letter, start, end in found:
            around = [e for e in found if e[1] <= start and end <= e[2] and e != (letter, start, end)]
            later = [e for e in found if e[1] > start and e[1] < end]
            op_id = known_op(tiny, letter, any(e[2] <= end for e in later))
            tiny.event(
                op_id,
                start,
                end,
                stream=name,
                parent=known_op(tiny, around[0][0], True) if around else None,
                self_ps=0 if letter == "A" else end - start - sum(min(e[2], end) - e[1] for e in later),
                is_leaf=not any(e[2] <= end for e in later),
                is_async=letter == "A",
                pair_id=0 if letter in PAIR else None,
                step_num=next((step for step, first, last in steps if first <= start < last), None),
            )


def known_op(tiny, letter, encloses):
    """The op of a letter; one in which ops ran is another op than one in which none did."""
    op_id = 1000 * encloses + ord(letter)
    if not tiny.con.execute("SELECT 1 FROM ops WHERE op_id = ?", [op_id]).fetchall():
        opcode = OPS["S"] if letter == "A" else OPS.get(letter)
        tiny.op(op_id, opcode=opcode, name="Event Sync" if letter == "y" else f"{opcode}.1")
    return op_id


def told(line):
    """The row that a line `= step 0: window 6, ...` tells: what it leaves out is 0."""
    which, values = re.fullmatch(r"= (?:step (\d+)|capture): (.*)", line).groups()
    row = {}
    for value in values.split(", "):
        name, number = value.rsplit(" ", 1)
        row[f"{name.removeprefix('self ')}_self_ps" if name.startswith("self ") else f"{name}_ps"] = int(
            number
        )
    return {"step_num": which and int(which)} | row


@pytest.mark.parametrize("timeline", TIMELINES)
def test_timelines(tiny, timeline):
    lines = timeline.splitlines()
    draw(tiny, [line for line in lines if not line.startswith("=")])
    tiny.rolled_up()
    rows = tiny.con.execute(
        "SELECT * EXCLUDE (run, host, device, start_ps, unattributed_self_ps, unknown_flops_self_ps, "
        "total_flops) FROM step_breakdown"
    )
    names = [column[0] for column in rows.description]
    found = [dict(zip(names, row, strict=True)) for row in rows.fetchall()]
    shown = [{k: v for k, v in row.items() if v or k == "step_num"} for row in found]
    in_order = sorted(shown, key=lambda row: (row["step_num"] is None, row["step_num"]))
    assert in_order == [told(line) for line in lines if line.startswith("=")]


@pytest.mark.parametrize(("path", "expected_phase", "expected_region"), PATHS)
def test_paths(path, expected_phase, expected_region):
    assert (phase(path), region(path)) == (expected_phase, expected_region)


def test_the_page_has_an_example_for_each_platform_and_rule():
    assert (len(TIMELINES), len(PATHS)) == (12, 6)
