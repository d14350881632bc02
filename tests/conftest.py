"""The profiles that tests share: real ones, read where they lie, and a fresh capture of this CPU."""

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from oracles.profiles import CAPTURE, REAL_PROFILES, Ingested, OtherLine

from profdb.warehouse.ingest import ingest

REAL = Path(__file__).parents[2] / "shared" / "real"
ORACLES = Path(__file__).parent / "oracles"


@pytest.fixture(scope="session")
def real() -> Callable[[str], Path]:
    """Path of a real profile, for example `xplane/cpu_github_runner.xplane.pb`; skips where none is."""

    def path(name: str) -> Path:
        if not REAL.is_dir():
            pytest.skip("the real profiles (../shared/real) are not beside this checkout")
        return REAL / name

    return path


@pytest.fixture(scope="session")
def cpu_capture(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The session folder of ten training steps, captured now on eight virtual CPU devices."""
    command = [sys.executable, "-m", "profdb.capture.demo", str(tmp_path_factory.mktemp("capture"))]
    return Path(subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip())


@pytest.fixture(scope="session")
def profile_path(real: Callable[[str], Path], request: pytest.FixtureRequest) -> Callable[[str], Path]:
    """The file of one of the oracles' PROFILES."""

    def path(name: str) -> Path:
        if name == CAPTURE:
            (file,) = request.getfixturevalue("cpu_capture").glob("*.xplane.pb")
            return Path(file)
        return real(f"xplane/{name}.xplane.pb")

    return path


@pytest.fixture(scope="session")
def ingested(
    tmp_path_factory: pytest.TempPathFactory, profile_path: Callable[[str], Path]
) -> Callable[[str], Ingested]:
    """Ingests one of the oracles' PROFILES, the first time that it is asked for."""
    root = str(tmp_path_factory.mktemp("oracles") / "warehouse")
    known: dict[str, Ingested] = {}

    def run(name: str) -> Ingested:
        if name not in known:
            path = profile_path(name)
            ingest([str(path)], root, run=name)
            known[name] = Ingested(name, path, root)
        return known[name]

    return run


@pytest.fixture(scope="session")
def profile_data(profile_path: Callable[[str], Path]) -> Callable[[str], list[OtherLine]]:
    """What jax's own reader finds in one of the oracles' PROFILES."""
    known: dict[str, list[OtherLine]] = {}

    def lines(name: str) -> list[OtherLine]:
        if name not in known:
            # All real ones at once, because jax takes a second to load.
            paths = {str(profile_path(n)): n for n in (REAL_PROFILES if name != CAPTURE else (CAPTURE,))}
            command = [sys.executable, str(ORACLES / "profile_data.py"), *paths]
            found = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)
            known.update({paths[path]: [OtherLine.of(line) for line in read] for path, read in found.items()})
        return known[name]

    return lines
