"""The profiles that tests share: real ones, read where they lie, and one fresh capture of this machine's CPU."""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

REAL = Path(__file__).parents[2] / "shared" / "real"


@pytest.fixture(scope="session")
def real() -> Callable[[str], Path]:
    """Path of a real profile, for example `xplane/cpu_github_runner.xplane.pb`; skips where there are none."""

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
