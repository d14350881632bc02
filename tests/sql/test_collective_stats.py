"""The derived table collective_stats of tiny runs; times are picoseconds, one letter of a drawing is 1 ps."""

import random

import numpy as np
import pytest

COLUMNS = "collective, count, total_ps, span_ps, exposed_ps, overlapped_ps"
COMPUTE, ALL_GATHER, REDUCE_SCATTER, START, DONE, UNKNOWN = range(1, 7)


@pytest.fixture
def run(tiny):
    tiny.op(COMPUTE, opcode="fusion", name="fusion.1")
    tiny.op(ALL_GATHER, opcode="all-gather", name="all-gather.1", bytes_accessed=100)
    tiny.op(REDUCE_SCATTER, opcode="reduce-scatter", name="reduce-scatter.1")
    tiny.op(START, opcode="all-gather-start", name="all-gather-start.3", bytes_accessed=40)
    tiny.op(DONE, opcode="all-gather-done", name="all-gather-done.3")
    tiny.op(UNKNOWN, name="ncclDevKernel_Generic")
    return tiny


def stats(run, columns=COLUMNS):
    run.rolled_up()
    return run.rows(f"SELECT {columns} FROM collective_stats ORDER BY device, collective NULLS LAST")


def test_c17_kinds_that_run_at_once_are_both_exposed(run):
    # compute stream  ccccccccccGGcccccccc     comm stream  .....RRRRRR.........
    run.window(0, 20)
    run.event(COMPUTE, 0, 10, stream="7")
    run.event(ALL_GATHER, 10, 12, stream="7")
    run.event(COMPUTE, 12, 20, stream="7")
    run.event(REDUCE_SCATTER, 5, 11, stream="24")
    assert stats(run) == [
        tuple(COLUMNS.split(", ")),
        ("all-gather", 1, 2, 2, 2, 0),
        ("reduce-scatter", 1, 6, 6, 1, 5),
    ]


def test_c18_start_done_and_async_twin_are_one_collective(run):
    # XLA Ops  SccccccccD     Async XLA Ops  AAAAAAAAAA
    run.window(0, 10)
    run.event(START, 0, 1, pair_id=0)
    run.event(COMPUTE, 1, 9)
    run.event(DONE, 9, 10, pair_id=0)
    run.event(START, 0, 10, pair_id=0, is_async=True, self_ps=0, stream="Async XLA Ops")
    assert stats(run, f"{COLUMNS}, total_bytes")[1:] == [("all-gather", 1, 10, 10, 2, 8, 40)]


def test_executions_of_a_kind_are_united(run):
    # GGGGGG....GG..   ..GG..GG......   .....ccccccc..   touching and enclosed ones are one island
    run.window(0, 14)
    run.event(ALL_GATHER, 0, 6, stream="1")
    run.event(ALL_GATHER, 10, 12, stream="1")
    run.event(ALL_GATHER, 2, 4, stream="2")
    run.event(ALL_GATHER, 6, 8, stream="2")
    run.event(COMPUTE, 5, 12, stream="3")
    run.event(ALL_GATHER, 13, 13, stream="1")
    assert stats(run)[1:] == [("all-gather", 5, 12, 10, 5, 5)]


def test_devices_and_batches_of_them_keep_apart(run, monkeypatch):
    monkeypatch.setattr("profdb.sql.rollup.BATCH_OPS", 1)
    run.window(0, 10)
    run.event(ALL_GATHER, 0, 4, device="GPU:0")
    run.event(COMPUTE, 2, 6, device="GPU:0")
    run.event(ALL_GATHER, 3, 10, device="GPU:1")
    run.event(COMPUTE, 0, 4, device="GPU:2")
    assert stats(run, f"device, {COLUMNS}")[1:] == [
        ("GPU:0", "all-gather", 1, 4, 4, 2, 2),
        ("GPU:1", "all-gather", 1, 7, 7, 7, 0),
    ]


def test_a_collective_in_which_compute_runs_from_its_start_is_overlapped_there(run):
    # GGGGGG   inside  cc....
    run.window(0, 6)
    run.event(ALL_GATHER, 0, 6, is_leaf=False, self_ps=4)
    run.event(COMPUTE, 0, 2, parent=ALL_GATHER)
    assert stats(run)[1:] == [("all-gather", 1, 6, 6, 4, 2)]


def test_aggregated_executions_count_and_are_on_no_timeline(run):
    run.window(0, 10)
    run.event(ALL_GATHER, 0, 2)
    run.event(ALL_GATHER, None, 8_000, occurrences=40)
    run.event(UNKNOWN, None, 7, occurrences=3)
    assert stats(run, f"{COLUMNS}, total_bytes")[1:] == [
        ("all-gather", 41, 8_002, 2, 2, 0, 4_100),
        (None, 3, 7, 0, 0, 0, None),
    ]


def test_bytes_are_unknown_where_one_execution_does_not_tell(run):
    run.window(0, 10)
    run.event(REDUCE_SCATTER, 0, 2, bytes_accessed=5)
    run.event(REDUCE_SCATTER, 4, 5)
    run.event(ALL_GATHER, 0, 2, bytes_accessed=7)
    run.event(ALL_GATHER, 4, 5)
    assert stats(run, "collective, total_bytes")[1:] == [("all-gather", 107), ("reduce-scatter", None)]


@pytest.mark.parametrize("seed", range(10))
def test_unions_equal_an_independent_count(run, seed):
    rng = random.Random(seed)
    running = {op: np.zeros(40, bool) for op in (COMPUTE, ALL_GATHER, REDUCE_SCATTER)}
    run.window(0, 40)
    for stream in range(rng.randint(2, 5)):
        at = 0
        while (at := at + rng.randint(0, 6)) < 40:
            op, end = rng.choice(list(running)), min(40, at + rng.randint(0, 8))
            run.event(op, at, end, stream=str(stream))
            running[op][at:end] = True
            at = end
    exposed = ~running[COMPUTE]
    kinds = {"all-gather": running[ALL_GATHER], "reduce-scatter": running[REDUCE_SCATTER]}
    expected = [
        (kind, int(union.sum()), int((union & exposed).sum()), int((union & ~exposed).sum()))
        for kind, union in kinds.items()
    ]
    found = stats(run, "collective, span_ps, exposed_ps, overlapped_ps")[1:]
    assert found == [row for row in expected if row[0] in {kind for kind, *_ in found}]
    assert {kind for kind, span, *_ in expected if span} <= {kind for kind, *_ in found}
