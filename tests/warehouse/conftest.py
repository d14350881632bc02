from pathlib import Path

import pytest
from bench import Bench


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    """An empty warehouse and a folder of profiles."""
    return Bench(tmp_path)
