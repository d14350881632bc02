"""Options that several commands share, each defined once."""

from collections.abc import Callable
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from ..sql.errors import ProfdbError


class Format(StrEnum):
    """How rows are written. Only `table` shortens and uses human units; every other format is exact."""

    TABLE = "table"
    CSV = "csv"
    TSV = "tsv"
    JSON = "json"
    JSONL = "jsonl"
    MARKDOWN = "markdown"
    PARQUET = "parquet"
    ARROW = "arrow"


Warehouse = Annotated[
    str,
    typer.Option(
        "--warehouse", "-w", envvar="PROFDB_WAREHOUSE", metavar="DIR", help="Folder or URL of the warehouse."
    ),
]
DEFAULT_WAREHOUSE = "./profdb-warehouse"
MOST = 1_000_000_000_000
"""Largest count that an option takes."""

OutputFormat = Annotated[Format, typer.Option("--format", help="How rows are written.")]


def path_of(option: str) -> Callable[[str], Path]:
    """The parser of an option for a file or folder: an empty name is not the current folder."""

    def parse(name: str) -> Path:
        if not name:
            raise ProfdbError(f"{option} '' names nothing", hint=f"{option} NAME")
        return Path(name)

    return parse


def _output_file(name: str) -> Path | None:
    return None if name == "-" else path_of("-o")(name)


OutputFile = Annotated[
    Path | None,
    typer.Option(
        "--output",
        "-o",
        metavar="FILE",
        parser=_output_file,
        help="Write to FILE, whole or not at all, not to stdout (-).",
    ),
]

Views = Annotated[str, typer.Option("--views", metavar="VERSION", help="Version of the views.")]
DEFAULT_VIEWS = "v1"


Assignments = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="KEY=VALUE", help="Change a parameter, for example warmup_steps=3."),
]


def parameters(assignments: list[str] | None) -> dict[str, int | float | str]:
    """What `--set` changes: numbers as numbers."""
    return {key: _number_or_text(value) for key, value in pairs("--set", assignments or []).items()}


def _number_or_text(value: str) -> int | float | str:
    for convert in (int, float):
        try:
            return convert(value)
        except ValueError:
            continue
    return value


def check_text(option: str, value: str) -> None:
    """Raise ProfdbError where a value of `option` holds bytes that are no text: no table could keep them."""
    if any("\ud800" <= letter <= "\udfff" for letter in value):
        raise ProfdbError(f"{option} {value!r} is not UTF-8 text", hint=f"{option} TEXT, in UTF-8")


def pairs(option: str, items: list[str]) -> dict[str, str]:
    """Split repeated `key=value` items of `option`; ProfdbError names what is none or comes twice."""
    found: dict[str, str] = {}
    for item in items:
        check_text(option, item)
        key, equals, value = item.partition("=")
        if not equals or not key:
            raise ProfdbError(
                f"{option} takes key=value, not {item!r}", hint=f"{option} {key or 'key'}=VALUE"
            )
        if key in found:
            raise ProfdbError(
                f"{option} {key} was given twice: {found[key]!r} and {value!r}",
                hint=f"{option} {key}=VALUE, once",
            )
        found[key] = value
    return found
