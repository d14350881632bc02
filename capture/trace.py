"""The one place that talks to jax.profiler, and knows its traps.

JAX has one trace a process. A trace whose export failed stays "already started" for ever. And where somebody
else's session is active, JAX by default starts in silence and fails at the end.
"""

import traceback
from importlib import import_module
from pathlib import Path
from typing import Any

SESSION = "capture"
"""The folder below plugins/profile that JAX exports into."""
_BUSY = ("already been started", "ALREADY_EXISTS", "Another profiling session active")


class BusyError(Exception):
    """Another profiling session is active in this process."""


class TakenError(Exception):
    """The trace was stopped by somebody else."""


def jax() -> Any:
    """jax, imported when first used; untyped, because half of what is called here has no annotations."""
    return import_module("jax")


def start(
    folder: Path, options: dict[str, Any], *, perfetto_link: bool, perfetto_trace: bool
) -> object | None:
    """Start JAX's trace, which will be exported below `folder`, and return what `stop` wants back.

    Raises:
        BusyError: another session is active; it goes on.
    """
    profiler = jax().profiler
    if getattr(profiler.TraceAnnotation, "is_enabled", bool)():
        raise BusyError("somebody else traces")
    wanted = profiler.ProfileOptions()
    for name, value in {**options, "session_id": SESSION, "raise_error_on_start_failure": True}.items():
        setattr(wanted, name, value)
    try:
        profiler.start_trace(
            str(folder),
            create_perfetto_link=perfetto_link,
            create_perfetto_trace=perfetto_trace,
            profiler_options=wanted,
        )
    except RuntimeError as error:
        if any(text in str(error) for text in _BUSY):
            raise BusyError(str(error).split("\n", 1)[0]) from None
        raise
    state = _state()
    return None if state is None else state.profile_session


def stop(handle: object | None) -> None:
    """Stop and export. Raises TakenError where the trace is no longer ours, else what JAX raises."""
    state = _state()
    if handle is not None and state is not None and state.profile_session is not handle:
        raise TakenError("somebody else stopped the trace")
    try:
        jax().profiler.stop_trace()
    except RuntimeError as error:
        if any(text in str(error) for text in _BUSY):
            _forget(handle)
            raise BusyError("somebody else's session was active all the time") from None
        raise


def release(handle: object | None, error: BaseException) -> bool:
    """Make JAX forget a trace whose export failed. False: later traces of this process will fail.

    The session ends with its last reference, so those in the frames of `error` go; the caller drops its own.
    """
    traceback.clear_frames(error.__traceback__)
    return _forget(handle)


def _forget(handle: object | None) -> bool:
    state = _state()
    if state is None or handle is None:
        return False
    with state.lock:
        if state.profile_session is handle:
            state.reset()
    return True


def wait_for_devices() -> None:
    """Wait until all that was launched has run, so that a window has the ops of its last step."""
    for array in jax().live_arrays():
        if not array.is_deleted():
            array.block_until_ready()


def _state() -> Any:
    """JAX's own record of the running trace, which it does not show; None where a version has none."""
    state = getattr(import_module("jax._src.profiler"), "_profile_state", None)
    wanted = ("profile_session", "lock", "reset")
    return state if all(hasattr(state, name) for name in wanted) else None
