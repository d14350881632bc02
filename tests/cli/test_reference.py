"""docs/cli.md says what the commands say."""

import subprocess
import sys

from profdb.cli.reference import PATH, reference


def test_the_reference_is_fresh() -> None:
    assert PATH.read_text(encoding="utf-8") == reference()


def test_the_reference_does_not_depend_on_the_terminal() -> None:
    for columns in ("40", "200"):
        done = subprocess.run(
            [sys.executable, "-m", "profdb.cli.reference", "--check"],
            env={"COLUMNS": columns, "PROFDB_WAREHOUSE": "elsewhere"},
            capture_output=True,
            check=False,
        )
        assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
