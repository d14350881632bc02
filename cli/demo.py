"""`profdb demo`: the whole main job on this machine, in one command."""

import os
import shlex
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ..sql.errors import InputError
from . import diagnostics, output
from .ingest import tell
from .options import DEFAULT_WAREHOUSE, Format, Warehouse, path_of

if TYPE_CHECKING:
    from ..warehouse.reader import Session

EXAMPLE = """\b
Example:
  profdb demo"""

_SECTIONS = {
    "The run": "SELECT run, platform, host_count, device_count, window_ps FROM runs WHERE run = $run",
    "Its steps": (
        "SELECT step_num, duration_ps, marker_duration_ps, device_count, is_warmup, is_steady "
        "FROM step_time WHERE run = $run"
    ),
    "Its hottest ops": (
        "SELECT name, category, phase, region, regexp_extract(source, '([^/]*)$', 1) AS source, count, "
        "self_ps, self_share FROM hot_ops WHERE run = $run AND rank <= 12"
    ),
    "What to know about the capture": (
        "SELECT check_name, status, sentence, remedy FROM capture_quality WHERE run = $run AND status <> 'ok'"
    ),
}
_BY_PHASE = (
    "SELECT phase, sum(self_share) AS self_share FROM hot_ops WHERE run = $run GROUP BY phase ORDER BY 2 DESC"
)
_SAID = "profdb: error: "


def demo(
    warehouse: Warehouse = DEFAULT_WAREHOUSE,
    logdir: Annotated[
        Path,
        typer.Option(
            metavar="DIR",
            parser=path_of("--logdir"),
            help="Where the profile is written, beside those of earlier demos.",
        ),
    ] = Path("profdb-demo"),
) -> None:
    """Capture a tiny real training run, ingest it and show what came out."""
    from ..sql.engine import Settings
    from ..warehouse.ingest import ingest
    from ..warehouse.reader import open_session

    report = ingest([_capture(logdir)], warehouse, expect_hosts=1)
    tell(report)
    run = report.runs[0].run
    with open_session(warehouse, Settings()) as session:
        for title, sql in _SECTIONS.items():
            _show(session, title, sql, run)
    output.text(_next_commands(_place(warehouse), run))


def _capture(logdir: Path) -> str:
    """Profile in a fresh process, because XLA's flags are read once, and return the session's folder."""
    if find_spec("jax") is None:
        raise InputError(
            "the demo captures with jax, which is not installed", "pip install 'profdb[capture]'"
        )
    diagnostics.summary("capturing 10 training steps of a small MLP on 8 virtual CPU devices")
    command = [sys.executable, "-m", "profdb.capture.demo", str(logdir)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        said = [line for line in done.stderr.splitlines() if line.startswith(_SAID)]
        reason = said[0].removeprefix(_SAID) if said else f"it ended with exit code {done.returncode}"
        raise InputError(f"the demo could not be captured: {reason}", hint=shlex.join(command))
    return done.stdout.strip()


def _show(session: "Session", title: str, sql: str, run: str) -> None:
    table = session.query(sql, {"run": run}).table
    if table.num_rows:
        output.text(f"{title}:\n\n")
        output.rows(table, Format.TABLE, None)
        output.text("\n")


def _place(warehouse: str) -> str:
    """The option that names the warehouse, where a later command would not find it by itself."""
    return "" if warehouse == DEFAULT_WAREHOUSE else f" -w {shlex.quote(warehouse)}"


def _next_commands(place: str, run: str) -> str:
    profdb = _program()
    commands = [
        f"{profdb} summarize{place} {shlex.quote(run)}",
        f"{profdb} report{place} {shlex.quote(run)} --format html -o profdb-demo.html",
        f"{profdb} query{place} {shlex.quote(_BY_PHASE)} -p run {shlex.quote(run)}",
        f"{profdb} tables{place}",
        f"{profdb} schema hot_ops",
        f"{profdb} ingest{place} YOUR_LOGDIR",
    ]
    return "Next:\n\n" + "".join(f"  {command}\n" for command in commands)


def _program() -> str:
    """How this program can be started from here: the demo's environment may not be on the PATH."""
    if shutil.which("profdb"):
        return "profdb"
    if os.path.basename(sys.argv[0]) == "profdb":
        return shlex.quote(os.path.relpath(sys.argv[0]))
    return f"{shlex.quote(sys.executable)} -m profdb"
