"""The house rules: who may import whom, what --help must not load, and what is in the wheel."""

import ast
import re
import shutil
import subprocess
import sys
import tomllib
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

import profdb
from profdb.cli.main import app

ROOT = Path(profdb.__file__).parent
FOLDERS = ("capture", "cli", "gateway", "sql", "warehouse")
MAY_IMPORT = {
    "capture": {"capture"},
    "sql": {"sql"},
    "warehouse": {"warehouse", "sql", "profdb"},
    "cli": {"cli", "capture", "warehouse", "sql", "profdb"},
    "gateway": {"gateway", "warehouse", "sql", "profdb"},
}
HEAVY = ("jax", "duckdb", "pyarrow", "numpy", "scipy", "xprof", "google.protobuf", "ptars")


def _sources(folder: str) -> Iterator[Path]:
    return (path for path in sorted((ROOT / folder).rglob("*.py")))


def _imported_folders(path: Path) -> Iterator[str]:
    """Folders of ours that a module imports, wherever in the file; "profdb" is the package's own __init__."""
    package = path.relative_to(ROOT).parts[:-1]
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.level:
            base = (*package[: len(package) - node.level + 1], *(node.module or "").split("."))
            inside = [part for part in base if part]
            yield from [inside[0]] if inside else _of_root(node)
        elif isinstance(node, ast.ImportFrom):
            assert (node.module or "").partition(".")[0] != "profdb", f"{path}: imports inside are relative"
        elif isinstance(node, ast.Import):
            assert all(alias.name.partition(".")[0] != "profdb" for alias in node.names), path


def _of_root(node: ast.ImportFrom) -> Iterator[str]:
    return (alias.name if alias.name in FOLDERS else "profdb" for alias in node.names)


@pytest.mark.parametrize("folder", FOLDERS)
def test_imports_go_one_way(folder: str) -> None:
    for path in _sources(folder):
        forbidden = set(_imported_folders(path)) - MAY_IMPORT[folder]
        assert not forbidden, f"{path.relative_to(ROOT)} imports {sorted(forbidden)}"


def test_every_error_of_a_user_has_a_hint() -> None:
    """An exact command or flag; only DuckDB's own text on a statement (StatementError) stands alone."""
    bare = []
    for path in (path for folder in FOLDERS for path in _sources(folder)):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            called = node.func.id if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) else ""
            if called in {"ProfdbError", "InputError", "CannotTellError"} and isinstance(node, ast.Call):
                hinted = len(node.args) > 1 or any(keyword.arg == "hint" for keyword in node.keywords)
                bare += [] if hinted else [f"{path.relative_to(ROOT)}:{node.lineno}"]
    assert bare == []


def test_one_module_each_writes_to_stdout_and_stderr() -> None:
    def users(name: str) -> set[str]:
        return {path.name for path in _sources("cli") if name in path.read_text(encoding="utf-8")}

    assert users("sys.stdout") == {"output.py", "diagnostics.py"}  # diagnostics flushes it before it speaks
    assert users("sys.stderr") == {"diagnostics.py"}


def _commands() -> list[list[str]]:
    import typer

    def walk(command: object, path: list[str]) -> Iterator[list[str]]:
        yield path
        for name, child in getattr(command, "commands", {}).items():
            yield from walk(child, [*path, name])

    return list(walk(typer.main.get_command(app), []))


def test_help_loads_nothing_heavy() -> None:
    program = f"""
import sys
from profdb.cli.main import run
for command in {_commands()!r}:
    assert run([*command, "--help"]) == 0
loaded = [name for name in {HEAVY!r} if name in sys.modules]
print(loaded, file=sys.stderr)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stderr == "[]\n"


def test_capture_loads_no_jax_until_it_is_used() -> None:
    program = "import sys, profdb.capture.demo; print([m for m in ('jax', 'numpy') if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_the_wheel_holds_exactly_the_tree(tmp_path: Path) -> None:
    tree = tmp_path / "tree"
    for name in (*FOLDERS, *(path.name for path in ROOT.iterdir() if path.is_file())):
        source = ROOT / name
        if source.is_dir():
            shutil.copytree(source, tree / name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            tree.mkdir(exist_ok=True)
            shutil.copy2(source, tree / name)
    command = [
        sys.executable,
        "-m",
        "build",
        "--wheel",
        "--no-isolation",
        "--outdir",
        str(tmp_path),
        str(tree),
    ]
    subprocess.run(command, capture_output=True, check=True)
    (wheel,) = tmp_path.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        packed = {name.removeprefix("profdb/") for name in archive.namelist() if name.startswith("profdb/")}
    expected = {
        str(path.relative_to(ROOT))
        for folder in FOLDERS
        for path in (ROOT / folder).rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    assert packed == expected | {"__init__.py", "__main__.py", "py.typed"}


def test_versions_agree() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    changelog = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    newest = re.search(r"^## \[(.+?)\]", changelog, re.MULTILINE)
    assert newest is not None
    assert (project["version"], newest[1]) == (profdb.__version__, profdb.__version__)


def test_constraints_are_exact_versions_and_nothing_else() -> None:
    lines = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    assert [line for line in lines if not re.fullmatch(r"[A-Za-z0-9._-]+==[A-Za-z0-9.+!]+", line)] == []
    pinned = {_normal(line.partition("==")[0]) for line in lines}
    assert _required() - pinned == set()


def test_every_dependency_says_why_it_is_there() -> None:
    text = (ROOT / "docs" / "dependencies.md").read_text(encoding="utf-8")
    explained = {_normal(name) for name in re.findall(r"^- `([^`]+)`: .+", text, re.MULTILINE)}
    assert explained == _required()


def _required() -> set[str]:
    """Every distribution that pyproject.toml names, our own extras aside."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    groups = [project["dependencies"], *project["optional-dependencies"].values()]
    names = {re.match(r"[A-Za-z0-9._-]+", line)[0] for group in groups for line in group}  # type: ignore[index]
    return {_normal(name) for name in names} - {"profdb"}


def _normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()
