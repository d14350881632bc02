"""Windows that are asked for where the other processes cannot be reached."""

from pathlib import Path

from profdb.capture import ProfilerConfig
from profdb.capture.job import Job
from profdb.capture.on_demand import Requests


def test_a_process_that_cannot_ask_the_others_profiles_alone(tmp_path: Path) -> None:
    job = Job(
        config=ProfilerConfig(enabled=True),
        run_id="r",
        token="t",
        directory=tmp_path,
        process_index=0,
        process_count=2,  # but no jax.distributed, and so no store to ask through
        read_facts=dict,
        tags={},
    )
    requests = Requests(job)
    requests.ask("signal-1", 7, lead=3)
    assert requests.start == 7
    assert requests.due(7, closed_at=0) == 7
