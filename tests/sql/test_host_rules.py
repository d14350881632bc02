"""A golden row for every rule of host_rules: a name as a runtime records it, and its role."""

import csv
import re

import pytest

from profdb.sql import catalog

GOLDEN = {
    "$api.py:3105 block_until_ready": "wait",
    "$api.py:3165 try_to_block": "wait",
    "$array.py:631 _value": "wait",
    "np.asarray(jax.Array)": "wait",
    "Wait for LaunchOnDevice completion": "wait",
    "Wait: pending_threads=7/8": "wait",
    "ThunkExecutor::Execute (wait for completion)": "wait",
    "SlinkyThreadPool::Await": "wait",
    "Acquire semaphore": "wait",
    "Stream::BlockHostUntilDone": "wait",
    "hipStreamSynchronize": "wait",
    "cuEventSynchronize": "wait",
    "PjitFunction(step)": "launch",
    "PjRtStreamExecutorLoadedExecutable::Execute": "launch",
    "TfrtTpuLoadedExecutable::Execute": "launch",
    "TfrtCpuExecutable::Execute": "launch",
    "CommonPjRtLoadedExecutable::Execute (jit_step)": "launch",
    "$profiler.py:101 start_trace": "profiler",
    "$profiler.py:213 stop_trace": "profiler",
}
WORK = [
    "ThunkExecutor::Execute",
    "hipMemsetAsync",
    "load batch",
    "$queue.py:154 get",
    "TfrtCpuExecutable::ExecuteHelper",
]


@pytest.fixture(scope="module")
def rules():
    with (catalog.ROOT / "data" / "host_rules.csv").open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def roles(tiny, names):
    tiny.insert("runs")
    for name in names:
        tiny.insert("host_events", name=name)
    tiny.rolled_up()
    return dict(tiny.rows("SELECT name, role FROM _host_roles")[1:])


def test_the_role_of_real_names(tiny):
    assert roles(tiny, [*GOLDEN, *WORK]) == GOLDEN


def test_every_rule_has_a_golden_row(rules):
    for rule in rules:
        assert any(re.fullmatch(rule["pattern"], name) for name in GOLDEN), rule["pattern"]


def test_a_step_marker_is_no_launch(tiny):
    tiny.step(0, 0, 10, name="PjitFunction(train)", source="host")
    assert roles(tiny, ["PjitFunction(train)", "PjitFunction(step)"]) == {
        "PjitFunction(train)": "marker",
        "PjitFunction(step)": "launch",
    }
