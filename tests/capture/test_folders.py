"""Names on disk: what several processes of a job agree on without talking to each other."""

from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier

from profdb.capture import folders

PROCESSES = 8


def test_processes_of_one_attempt_claim_one_session(tmp_path: Path) -> None:
    """All at the same moment: whoever sees the folder before the claim in it waits for the claim."""
    ready = Barrier(PROCESSES)

    def claim(attempt: int) -> str:
        ready.wait()
        owner = folders.local_owner(tmp_path, f"attempt {attempt}")
        return folders.claim_session(folders.session_names(2, 5), owner=owner, token=f"attempt {attempt}")

    with ThreadPoolExecutor(PROCESSES) as pool:
        for attempt in range(100):
            claimed = Counter(pool.map(claim, [attempt] * PROCESSES))
            expected = "steps-2-to-5" if attempt == 0 else f"steps-2-to-5-{attempt + 1}"
            assert claimed == {expected: PROCESSES}
