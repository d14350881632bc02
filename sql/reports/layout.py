"""The templates of reports."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import jinja2

FOLDER = Path(__file__).parent / "templates"


def template(name: str, **filters: Callable[..., Any]) -> jinja2.Template:
    """A template with the filters that it uses; in HTML every value is escaped."""
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(FOLDER),
        autoescape=name.endswith(".html.jinja"),
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters.update(filters)
    return environment.get_template(name)
