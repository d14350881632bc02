"""What the row of `runs` takes from capture manifests."""

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from bench import Bench
from xspace import event, line, plane, space

SCHEMA = json.loads((Path(__file__).parents[2] / "capture" / "manifest.schema.json").read_text())
SESSION = "exp/plugins/profile/steps-5-to-15"


def profile(host: str) -> bytes:
    return space(
        plane("/device:GPU:0", line("Stream #1(Compute)", event(f"kernel_{host}", 0, 5))), hostnames=(host,)
    )


def manifest(index: int = 0, count: int = 2, **changes: Any) -> dict[str, Any]:
    """A manifest of process `index`, on host node-INDEX with four of the job's devices."""
    document = {
        "format": "profdb.capture",
        "version": 1,
        "run_id": "llama",
        "session": "steps-5-to-15",
        "attempt": "abc",
        "outcome": "ok",
        "reason": None,
        "window": {
            "why": "schedule",
            "first_step": 5,
            "end_step": 15,
            "planned_end_step": 15,
            "affected_steps": [5, 15],
        },
        "started_at": "2026-11-30T04:47:36.000+00:00",
        "ended_at": "2026-11-30T04:47:46.000+00:00",
        "cost": {
            "start_seconds": 0.5,
            "wait_seconds": 0.25,
            "export_seconds": 2.0 + index,
            "step_seconds_before": 1.0,
            "step_seconds_profiled": 1.125,
            "overhead_ratio": 0.125,
        },
        "options": {"preset": "device", "process_index": None, "create_perfetto_trace": False},
        "versions": {"jax": "0.10.2", "python": "3.11.7"},
        "flags": {"XLA_FLAGS": "--a --b"},
        "git_sha": "0123abc",
        "config_hash": "ff00",
        "mesh": "data=8",
        "tags": {"branch": "main"},
        "host": {
            "name": f"node-{index}",
            "cpu_count": 64 - index,
            "system": "Linux",
            "memory_bytes": 1 << 40,
            "pid": 100 + index,
            "command": ["train.py"],
        },
        "devices": {
            "platform": "gpu",
            "kind": "H100",
            "count": 4 * count,
            "local_count": 4,
            "local_ids": [0, 1, 2, 3],
            "local_coords": [],
            "memory_bytes": None,
        },
        "process": {"index": index, "count": count, "hosts": {str(i): f"node-{i}" for i in range(count)}},
        "profile": {"bytes": 100, "sha256": "00"},
        "upload": None,
        **changes,
    }
    jsonschema.validate(document, SCHEMA)
    return document


def write(bench: Bench, index: int, document: Any) -> None:
    """A profile of node-INDEX with its manifest."""
    bench.write(f"{SESSION}/node-{index}.xplane.pb", profile(f"node-{index}"))
    text = document if isinstance(document, str) else json.dumps(document)
    bench.write(f"{SESSION}/node-{index}.manifest.json", text.encode())


def test_the_run_is_described_by_its_manifests(bench: Bench) -> None:
    for index in range(2):
        write(bench, index, manifest(index))
    report = bench.ingest(tags={"branch": "mine", "ci": "1"})
    assert report.skipped == ()
    assert bench.rows("SELECT run, run_id, session, git_sha, mesh, config_hash, jax_version FROM runs") == [
        ("exp/steps-5-to-15", "llama", "steps-5-to-15", "0123abc", "data=8", "ff00", "0.10.2")
    ]
    counts = "expected_device_count, expected_host_count, expected_process_count"
    assert bench.rows(f"SELECT {counts}, is_partial FROM runs") == [(8, 2, 2, False)]
    assert bench.rows("SELECT tags FROM runs") == [({"branch": "mine", "ci": "1"},)]
    assert bench.rows("SELECT facts FROM runs") == [
        (
            {
                "capture.attempt": "abc",
                "capture.create_perfetto_trace": "false",
                "capture.end_step": "15",
                "capture.export_seconds": "3.0",
                "capture.first_step": "5",
                "capture.outcome": "ok",
                "capture.overhead_ratio": "0.125",
                "capture.preset": "device",
                "capture.start_seconds": "0.5",
                "capture.wait_seconds": "0.25",
                "capture.why": "schedule",
                "flag.XLA_FLAGS": "--a --b",
                "host_cpu_count": "63",
                "job.device_count": "8",
                "job.process_count": "2",
                "version.jax": "0.10.2",
                "version.python": "3.11.7",
            },
        )
    ]


def test_a_process_that_left_no_profile_is_missing_and_says_why(bench: Bench) -> None:
    write(bench, 0, manifest(0))
    failed = manifest(1, outcome="export_failed", reason="OSError: No space left on device", profile=None)
    bench.write(f"{SESSION}/node-1.manifest.json", json.dumps(failed).encode())
    bench.ingest()
    assert bench.rows("SELECT is_partial, facts['capture.outcome'] FROM runs") == [
        (True, "ok; process 1: export_failed")
    ]
    assert bench.rows(
        "SELECT check_name, host, status, sentence FROM capture_quality "
        "WHERE check_name IN ('missing_host', 'missing_process', 'capture_outcome') ORDER BY check_name"
    ) == [
        ("capture_outcome", "node-1", "warn", "export_failed: OSError: No space left on device"),
        ("missing_host", None, "fail", "1 of the hosts that the run used are not in the profile"),
        ("missing_process", None, "fail", "1 of the processes that the run used are not in the profile"),
    ]


def test_a_capture_of_one_process_on_purpose_is_whole(bench: Bench) -> None:
    options = {"preset": "device", "process_index": 0, "create_perfetto_trace": False}
    write(bench, 0, manifest(0, options=options))
    bench.ingest()
    counts = "expected_device_count, expected_host_count, expected_process_count, is_partial"
    assert bench.rows(f"SELECT {counts}, facts['job.process_count'] FROM runs") == [(4, 1, 1, False, "2")]


def test_the_user_knows_better(bench: Bench) -> None:
    for index in range(2):
        write(bench, index, manifest(index))
    bench.ingest(expect_hosts=3)
    assert bench.rows("SELECT expected_host_count, is_partial FROM runs") == [(3, True)]


@pytest.mark.parametrize(
    ("document", "why"),
    [
        ("{", "JSONDecodeError"),
        ("[]", "TypeError"),
        ({"format": "profdb.capture", "version": 2}, "profdb.capture of version 2 is not known here"),
        ({"format": "profdb.capture", "version": 1}, "KeyError: 'flags'"),
        ({**manifest(), "flags": {"a": 1}}, "flags is no mapping of texts"),
        ({**manifest(), "host": {"cpu_count": "64"}}, "host.cpu_count is no whole number"),
    ],
)
def test_a_damaged_manifest_never_refuses_its_profile(bench: Bench, document: Any, why: str) -> None:
    write(bench, 0, document)
    bench.ingest()
    assert bench.rows("SELECT run_id, expected_process_count FROM runs") == [("exp", None)]
    ((subject, text),) = bench.rows(
        "SELECT subject, text FROM quality_events WHERE check_name = 'unreadable_manifest'"
    )
    assert subject.endswith("node-0.manifest.json")
    assert why in text
