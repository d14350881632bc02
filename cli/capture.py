"""`profdb capture`: profile a job from outside, or a program that was never changed."""

import re
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperCommand

from ..capture.options import Preset
from ..sql.errors import InputError, ProfdbError
from . import diagnostics, output
from .ingest import tell
from .options import DEFAULT_WAREHOUSE, Warehouse, path_of

if TYPE_CHECKING:
    from collections.abc import Sequence

EXAMPLE = """\b
Examples:
  profdb capture worker-0:9999 worker-1:9999 --duration 5s --ingest
  profdb capture --after 30s --duration 5s -o logs -- python train.py --steps 100"""

_UNITS = {"ms": 0.001, "s": 1.0, "m": 60.0}
_STEPS = (
    "steps: as the program's StepTraceAnnotation tells them; where it has none, executions of the main "
    "program count as steps on TPU and CPU, and on GPU none are known"
)


class CaptureCommand(TyperCommand):
    """A command whose `--` is followed by a program with its own options."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse what stands before `--`; what follows is in the context's `obj`, else None."""
        ctx.obj = None
        if "--" in args:
            at = args.index("--")
            args, ctx.obj = args[:at], args[at + 1 :]
        return super().parse_args(ctx, args)


def _seconds(text: str) -> float:
    match = re.fullmatch(r"(\d+(?:\.\d+)?)(ms|s|m)", text)
    if match is None:
        raise typer.BadParameter(f"{text!r} is no duration such as 500ms, 5s or 2m")
    return float(match[1]) * _UNITS[match[2]]


def capture(
    *,
    ctx: typer.Context,
    addresses: Annotated[
        list[str] | None,
        typer.Argument(metavar="[ADDRESS]...", help="HOST:PORT of jax.profiler.start_server, of every host."),
    ] = None,
    duration: Annotated[
        float, typer.Option(parser=_seconds, metavar="TIME", help="How long to profile: 500ms, 5s, 2m.")
    ] = "5s",  # type: ignore[assignment]
    after: Annotated[
        float,
        typer.Option(
            parser=_seconds,
            metavar="TIME",
            help="With --: the time from the first compilation to the window.",
        ),
    ] = "10s",  # type: ignore[assignment]
    directory: Annotated[
        Path,
        typer.Option(
            "--output", "-o", metavar="DIR", parser=path_of("-o"), help="Folder that gets plugins/profile/..."
        ),
    ] = "profiles/captured",  # type: ignore[assignment]
    preset: Annotated[str, typer.Option(metavar="NAME", help="light, device or full.")] = "device",
    run_id: Annotated[
        str | None,
        typer.Option("--run-id", metavar="NAME", help="Run id; the name of DIR where none is given."),
    ] = None,
    ingest: Annotated[bool, typer.Option("--ingest", help="Ingest what was captured.")] = False,
    warehouse: Warehouse = DEFAULT_WAREHOUSE,
) -> None:
    """Profile a running job through its profiler ports, or run a program (after --) and profile it."""
    known = _preset(preset)
    program = ctx.obj
    if bool(program) == bool(addresses):
        raise ProfdbError("capture takes addresses, or -- and a program", hint="profdb capture HOST:PORT")
    if program:
        sessions = _program(program, directory, after, duration, known, run_id)
    else:
        sessions = [_remote(addresses or [], directory, duration, known, run_id)]
    if ingest:
        _ingest(sessions, warehouse)
    for session in sessions:
        output.text(f"{session}\n")


def _preset(name: str) -> Preset:
    from typing import get_args

    if name not in get_args(Preset):
        raise ProfdbError(
            f"--preset {name!r} is none of {', '.join(get_args(Preset))}", hint="--preset light"
        )
    return name  # type: ignore[return-value]


def _remote(
    addresses: "Sequence[str]", directory: Path, duration: float, preset: Preset, run_id: str | None
) -> Path:
    from ..capture.remote import RemoteError, capture_remote

    diagnostics.summary(f"profiling {', '.join(addresses)} for {duration:g} s; {_STEPS}")
    try:
        done = capture_remote(addresses, directory, round(duration * 1000), preset=preset, run_id=run_id)
    except RemoteError as error:
        raise InputError(str(error), hint=error.hint) from None
    for address, why in done.missing.items():
        diagnostics.note(f"no profile from {address}: {why}")
    diagnostics.summary(f"profiled {len(done.profiled)} of {len(addresses)} addresses")
    return done.folder


def _program(
    program: list[str], directory: Path, after: float, duration: float, preset: Preset, run_id: str | None
) -> list[Path]:
    from ..capture.launch import outcomes, run_program

    diagnostics.summary(f"profiling {duration:g} s, from {after:g} s after the first compilation; {_STEPS}")
    try:
        done = run_program(program, directory, after=after, duration=duration, preset=preset, run_id=run_id)
    except FileNotFoundError as error:
        raise InputError(f"there is no program {program[0]}", hint=f"which {program[0]}") from error
    for session in done.sessions:
        for line in outcomes(session):
            diagnostics.note(line)
    if done.exit_code:
        raise InputError(f"the program ended with exit code {done.exit_code}", hint=" ".join(program))
    if not done.sessions:
        raise InputError(
            "the program ended without a profile: it used no jax, or ended before its window",
            hint="--after 0s",
        )
    return list(done.sessions)


def _ingest(sessions: list[Path], warehouse: str) -> None:
    from ..warehouse.ingest import ingest

    tell(ingest([str(session) for session in sessions], warehouse))
