"""Rows of the table `steps`, from the markers and from the spans of the ops assigned to each step."""

from collections.abc import Iterator
from typing import Any

from .markers import Marker
from .run_state import ModuleRun, RunState, StepSpan, program_name

_SOURCES = {"device": "device", "launch": "host", "time": "host", "module": "module"}


def step_rows(state: RunState) -> Iterator[dict[str, Any]]:
    """One row per device and step. Step time runs from a step's first op to the next step's first op."""
    mains = _main_modules(state)
    by_device: dict[tuple[str, str], list[tuple[int, StepSpan]]] = {}
    for (host, device, step), span in state.spans.items():
        by_device.setdefault((host, device), []).append((step, span))
    for (host, device), spans in by_device.items():
        how = state.how.get((host, device), "none")
        spans.sort(key=lambda item: item[1].first_start)
        markers = _markers(state, host, device, how, mains)
        host_steps = state.host_steps[host]
        for i, (step, span) in enumerate(spans):
            end = spans[i + 1][1].first_start if i + 1 < len(spans) else span.last_end
            marker = markers.get(step)
            modules = mains.get((host, device, step), [])
            from_module = how == "module"
            yield {
                "run": state.run,
                "host": host,
                "device": device,
                "step_num": step,
                "name": marker.name if marker else None,
                "start_ps": span.first_start,
                "duration_ps": end - span.first_start,
                "marker_start_ps": marker.start_ps if marker and not from_module else None,
                "marker_duration_ps": marker.end_ps - marker.start_ps if marker and not from_module else None,
                "module_span_ps": max(m.end_ps for m in modules) - min(m.start_ps for m in modules)
                if modules
                else None,
                "ordinal_in_process": None,
                "source": _SOURCES[how],
                "is_whole": _is_whole(i, spans, marker, state.capture[host], how),
                "has_compile": step in host_steps.compiling if host_steps.markers else None,
            }


def _main_modules(state: RunState) -> dict[tuple[str, str, int], list[ModuleRun]]:
    main = state.main_program()
    found: dict[tuple[str, str, int], list[ModuleRun]] = {}
    for module in state.modules:
        if module.step_num is not None and program_name(module.program) == main:
            found.setdefault((module.host, module.device, module.step_num), []).append(module)
    return found


def _markers(
    state: RunState, host: str, device: str, how: str, mains: dict[tuple[str, str, int], list[ModuleRun]]
) -> dict[int, Marker]:
    if how == "device":
        return state.device_markers[(host, device)]
    if how == "module":
        return {
            step: Marker(step, None, modules[0].start_ps, modules[-1].end_ps)
            for (h, d, step), modules in mains.items()
            if (h, d) == (host, device)
        }
    return state.host_steps[host].markers


def _is_whole(
    position: int,
    spans: list[tuple[int, StepSpan]],
    marker: Marker | None,
    capture: tuple[int, int | None],
    how: str,
) -> bool:
    """Whether the step lies inside the capture: its marker does, and at the edges no op of it is missing.

    A device cuts what it records at the edges of the capture: what touches them is cut. A step at an edge has
    lost ops where it has fewer than every step between the edges.
    """
    start, end = capture
    if marker is None or marker.start_ps < start or (end is not None and marker.end_ps > end):
        return False
    if how in ("device", "module") and (marker.start_ps == start or marker.end_ps == end):
        return False
    if 0 < position < len(spans) - 1:
        return True
    inner = [span.op_count for _, span in spans[1:-1]]
    return not inner or spans[position][1].op_count >= min(inner)
