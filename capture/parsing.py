"""A nested dataclass from a dict, or changed by environment variables; unknown names are errors."""

import json
import types
from collections.abc import Mapping
from dataclasses import fields, is_dataclass, replace
from difflib import get_close_matches
from typing import Any, TypeVar, Union, get_args, get_origin, get_type_hints

T = TypeVar("T")
_YES, _NO = ("1", "true", "yes", "on"), ("0", "false", "no", "off")


def from_mapping(cls: type[T], values: Mapping[str, Any], path: str = "") -> T:
    """An instance from nested values. Raises ValueError that names what is no option."""
    known = get_type_hints(cls)
    found: dict[str, Any] = {}
    for name, value in values.items():
        if name not in known:
            raise ValueError(_unknown(path + name, [path + one for one in known]))
        kind = known[name]
        nested = is_dataclass(kind) and isinstance(value, Mapping)
        found[name] = from_mapping(kind, value, f"{path}{name}.") if nested else value
        if not nested and not _fits(found[name], kind):
            raise ValueError(f"{path}{name}: {value!r} is no {_say(kind)}")
    return cls(**found)


def changed_by_environment(base: T, environ: Mapping[str, str], prefix: str) -> T:
    """`base` with each option that a variable PREFIX_OPTION or PREFIX_GROUP_OPTION names."""
    paths = {prefix + "_" + "_".join(path).upper(): (path, kind) for path, kind in _options(type(base))}
    for variable, text in environ.items():
        if not variable.startswith(prefix + "_"):
            continue
        if variable not in paths:
            raise ValueError(_unknown(variable, list(paths)))
        path, kind = paths[variable]
        base = _with(base, path, _parse(variable, text, kind))
    return base


def _options(cls: Any) -> list[tuple[tuple[str, ...], Any]]:
    found: list[tuple[tuple[str, ...], Any]] = []
    hints = get_type_hints(cls)
    for name in (field.name for field in fields(cls)):
        if is_dataclass(hints[name]):
            found += [((name, *path), kind) for path, kind in _options(hints[name])]
        else:
            found.append(((name,), hints[name]))
    return found


def _with(base: Any, path: tuple[str, ...], value: Any) -> Any:
    head, *rest = path
    return replace(base, **{head: _with(getattr(base, head), tuple(rest), value) if rest else value})


def _parse(variable: str, text: str, kind: Any) -> Any:
    choices = _choices(kind)
    if type(None) in choices and text.strip().lower() in ("", "none", "null"):
        return None
    if bool in choices and text.strip().lower() in _YES + _NO:
        return text.strip().lower() in _YES
    try:
        if int in choices:
            return int(text)
        value = json.loads(text) if get_origin(kind) is dict else text
    except ValueError:
        raise ValueError(f"{variable}: {text!r} is no {_say(kind)}") from None
    if not _fits(value, kind):
        raise ValueError(f"{variable}: {text!r} is no {_say(kind)}")
    return value


def _choices(kind: Any) -> tuple[Any, ...]:
    return get_args(kind) if get_origin(kind) in (Union, types.UnionType) else (kind,)


def _fits(value: Any, kind: Any) -> bool:
    for choice in _choices(kind):
        origin = get_origin(choice) or choice
        if not isinstance(origin, type):  # a Literal: the dataclass says what it may be
            return isinstance(value, str)
        if isinstance(value, origin) and not (origin is int and isinstance(value, bool)):
            return True
    return False


def _say(kind: Any) -> str:
    names = {type(None): "null", bool: "true or false", int: "whole number", str: "text"}
    return " or ".join(
        names.get(choice, "mapping" if get_origin(choice) is dict else "text") for choice in _choices(kind)
    )


def _unknown(name: str, known: list[str]) -> str:
    close = get_close_matches(name, known, 1)
    return f"{name} is no option" + (f"; did you mean {close[0]}?" if close else "")
