"""A run as one HTML file that loads nothing: tables that can be read without scripts, and charts of them."""

import base64
import hashlib
import re
from pathlib import Path

from markupsafe import Markup

from .charts import charted, data
from .layout import FOLDER, template
from .report import Report

_MOST_ROWS = 500
_MOST_CHARACTERS = 96
_ASSETS = Path(__file__).parent / "assets"
_ENDS_SCRIPT = re.compile("</(?=script)|<!--", re.IGNORECASE)


def render(report: Report) -> str:
    """The report as one page."""
    scripts = [_script(_ASSETS / name) for name in ("d3.min.js", "plot.umd.min.js")]
    scripts.append(_script(FOLDER / "report.js"))
    return template("report.html.jinja").render(
        report=report,
        tables=report.shown(_MOST_ROWS, _MOST_CHARACTERS),
        charted={section.name for section, rows in report.tables.items() if charted(section.name, rows)},
        data=Markup(data(report.tables)),
        style=Markup((FOLDER / "report.css").read_text(encoding="utf-8")),
        scripts=scripts,
        hashes=" ".join(f"'sha256-{_sha256(script)}'" for script in scripts),
    )


def _script(path: Path) -> Markup:
    text = path.read_text(encoding="utf-8")
    if _ENDS_SCRIPT.search(text):
        raise ValueError(f"{path.name} cannot stand inside a script element")
    return Markup(text)


def _sha256(script: str) -> str:
    """The hash by which the page's policy admits a script."""
    return base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
