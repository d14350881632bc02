"""What a framework path means: the phase of training it ran in, and the user's own scopes.

A path is what JAX writes into HLO metadata, for example
`jit(step)/transpose(jvp(layer0))/block/jvp(layer0)/block/checkpoint/rematted_computation/mlp/tanh`.
Both functions are pure and total: they answer for any text.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator

# name(x) where x is a function that was compiled as one unit: no scope of the user's.
_FUNCTIONS = frozenset({"jit", "pjit", "pmap", "xmap"})
# name(x) where x is the scope that a transformation went through.
_TRANSFORMATIONS = frozenset({"jvp", "transpose", "vmap", "remat", "checkpoint"})
_CHECKPOINTS = frozenset({"checkpoint", "remat", "remat2", "rematted_computation"})
# Components of JAX's own that open a nested program, whose paths start anew.
_NESTED = frozenset(
    {
        "body",
        "closed_call",
        "cond",
        "core_call",
        "custom_jvp_call",
        "custom_jvp_call_jaxpr",
        "custom_vjp_call",
        "custom_vjp_call_jaxpr",
        "jit",
        "named_call",
        "pjit",
        "shard_map",
        "while",
        "xla_call",
        "xla_pmap",
    }
)
_BRANCH = re.compile(r"branch_\d+_fun")
_WRAPPED = re.compile(r"(\w+)\((.*)\)", re.DOTALL)
_BACKWARD = re.compile(r"transpose\((?:\w+\()*jvp\(")
_OPENING, _CLOSING = "([{", ")]}"


def phase(scope: str) -> str:
    """forward, backward, recompute, mixed (a merged op of several) or other."""
    phases = {_phase_of_path(path) for path in _paths(scope)}
    return phases.pop() if len(phases) == 1 else "mixed"


def region(scope: str) -> str | None:
    """The user's own scopes joined by `/`: equal in forward, backward and recompute.

    A merged op has the longest region that holds all its parts. "" is an op outside any scope of the
    user's; None is a text that holds no path.
    """
    regions = [_region_of_path(path) for path in _paths(scope) if path]
    if not regions:
        return None
    levels = itertools.takewhile(lambda names: len(set(names)) == 1, zip(*regions, strict=False))
    return "/".join(names[0] for names in levels)


def _paths(scope: str) -> list[str]:
    """The framework paths in the text: one, or those of a merged op, each with the common head."""
    text = scope.strip()
    start = 0 if text.startswith("(") else text.find("/(") + 1
    if start or text.startswith("("):
        head, (merged, tail) = text[:start], _closing(text[start + 1 :])
        return [head + part + tail for part in _split(merged, ":") if part]
    path, colon, op_type = text.rpartition(":")
    # `path:Type` is TensorFlow's form; XLA writes JAX paths in it with an empty type.
    return [path if colon and "/" not in op_type else text]


def _closing(text: str) -> tuple[str, str]:
    """The text before its first unmatched closing parenthesis, and what comes after the parenthesis."""
    depth = 0
    for i, c in enumerate(text):
        depth += (c == "(") - (c == ")")
        if depth < 0:
            return text[:i], text[i + 1 :].rstrip(":")
    return text, ""


def _split(text: str, separator: str) -> list[str]:
    """The parts of the text between separators that no bracket encloses."""
    parts, depth, start = [], 0, 0
    for i, c in enumerate(text):
        depth += (c in _OPENING) - (c in _CLOSING)
        if c == separator and depth == 0:
            parts.append(text[start:i])
            start = i + 1
    return [*parts, text[start:]] if depth == 0 else text.split(separator)


def _phase_of_path(path: str) -> str:
    transposed = "transpose(" in path
    if "rematted_computation" in path or (transposed and "remat(" in path):
        return "recompute"
    if _BACKWARD.search(path):
        return "backward"
    return "forward" if "jvp(" in path else "other"


def _region_of_path(path: str) -> list[str]:
    """The names of the user's scopes, outermost first."""
    names: list[str] = []
    frame = _Frame(backward="transpose(" in path)
    for component in _split(path, "/")[:-1]:
        for name, in_jvp in _unwrap(component):
            if name in _NESTED or _BRANCH.fullmatch(name):
                names += frame.close()
                frame = _Frame(backward=frame.backward)
            elif name in _CHECKPOINTS:
                frame.at_checkpoint()
            elif name:
                frame.add(name, in_jvp)
    return names + frame.close()


def _unwrap(component: str) -> Iterator[tuple[str, bool]]:
    """The names inside the transformations of a component, and whether `jvp` is one of these.

    The name `jit` stands for a compiled function.
    """
    todo = [(component, False)]
    while todo:
        text, in_jvp = todo.pop()
        wrapped = _WRAPPED.fullmatch(text)
        if wrapped and wrapped[1] in _FUNCTIONS:
            yield "jit", in_jvp
        elif wrapped and wrapped[1] in _TRANSFORMATIONS:
            inner = _split(wrapped[2], "/") if "/" in wrapped[2] else [wrapped[2]]
            todo += [(part, in_jvp or wrapped[1] == "jvp") for part in reversed(inner)]
        else:
            yield text, in_jvp


class _Frame:
    """The names of one nested program. In a backward pass JAX writes them twice before what it saved:

    `transpose(jvp(a))/b/jvp(a)/b/checkpoint/c` and, in the body of a loop, `a/b/a/b/checkpoint/c`.
    Only the first checkpoint of a program repeats them.
    """

    def __init__(self, backward: bool) -> None:
        self.backward = backward
        self.names: list[str] = []
        self.jvps: list[int] = []
        self.is_settled = False

    def add(self, name: str, in_jvp: bool) -> None:
        if in_jvp:
            self.jvps.append(len(self.names))
        self.names.append(name)

    def at_checkpoint(self) -> None:
        half = len(self.names) // 2
        if not self.is_settled and self.names and not self._drop_before_second_jvp() and self.backward:
            self._drop_if_repeated(half, whole=True)
        self.is_settled = self.is_settled or bool(self.names)

    def close(self) -> list[str]:
        if not self.is_settled:
            self._drop_before_second_jvp()
        return self.names

    def _drop_before_second_jvp(self) -> bool:
        return len(self.jvps) > 1 and self._drop_if_repeated(self.jvps[1] - self.jvps[0], whole=False)

    def _drop_if_repeated(self, length: int, whole: bool) -> bool:
        first, second = self.names[:length], self.names[length : None if whole else 2 * length]
        if first != second:
            return False
        del self.names[:length]
        return True
