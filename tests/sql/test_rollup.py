"""The derived tables of tiny runs. Times are picoseconds, one letter of a drawing is 1 ps."""

import itertools
import random

import numpy as np
import pyarrow as pa
import pytest

from profdb.sql import catalog
from profdb.sql.rollup import rollup

PARTS = "compute_only_ps, overlapped_ps, comm_exposed_ps, copy_ps, sync_ps, control_ps, idle_ps"
SELF = "compute_self_ps, communication_self_ps, copy_self_ps, sync_self_ps, control_self_ps"
COMPUTE, ALL_GATHER, COPY, SYNC, WHILE, CALL, START, DONE = range(1, 9)


@pytest.fixture
def run(tiny):
    """A run that knows one op of each kind."""
    tiny.op(COMPUTE, opcode="fusion", name="fusion.1")
    tiny.op(ALL_GATHER, opcode="all-gather", name="all-gather.1")
    tiny.op(COPY, opcode="copy", name="copy.1")
    tiny.op(SYNC, name="Event Sync")
    tiny.op(WHILE, opcode="while", name="while.1")
    tiny.op(CALL, opcode="call", name="call.1")
    tiny.op(START, opcode="all-gather-start", name="all-gather-start.3")
    tiny.op(DONE, opcode="all-gather-done", name="all-gather-done.3")
    return tiny


def whole_capture(run, device="TPU:0"):
    run.rolled_up()
    return run.rows(f"SELECT {PARTS} FROM step_breakdown WHERE step_num IS NULL AND device = '{device}'")[1]


def test_tables_have_their_declared_columns_and_types(run):
    run.window(0, 10)
    run.event(COMPUTE, 0, 10, device="GPU:0", step_num=1)
    run.event(ALL_GATHER, 0, 10, device="GPU:0")
    run.insert("devices", host="h", device="GPU:0", op_count=1)
    run.insert("host_events", name="parse")
    types = {"VARCHAR": pa.string(), "BIGINT": pa.int64()}
    for name, table in rollup(run.con).items():
        expected = [(c.name, types[c.type]) for c in catalog.derived()[name].columns]
        assert [(f.name, f.type) for f in table.schema] == expected
        assert table.num_rows > 0


def test_an_empty_run_has_empty_tables(tiny):
    tiny.window(0, 0)
    assert {name: table.num_rows for name, table in rollup(tiny.con).items()} == {
        "collective_stats": 0,
        "host_stats": 0,
        "op_classes": 0,
        "op_stats": 0,
        "step_breakdown": 0,
        "step_op_stats": 0,
    }


def test_c17_streams_of_a_gpu_are_united_and_not_summed(run):
    # compute stream  ccccccccccGGcccccccc     comm stream  .....RRRRRR.........
    run.window(0, 20)
    run.event(COMPUTE, 0, 10, device="GPU:0", stream="7")
    run.event(ALL_GATHER, 10, 12, device="GPU:0", stream="7")
    run.event(COMPUTE, 12, 20, device="GPU:0", stream="7")
    run.event(ALL_GATHER, 5, 11, device="GPU:0", stream="24")
    run.event(COMPUTE, 0, 5, device="GPU:1", stream="7")
    run.rolled_up()
    assert run.rows(f"SELECT device, window_ps, {PARTS} FROM step_breakdown ORDER BY device") == [
        ("device", "window_ps", *PARTS.split(", ")),
        ("GPU:0", 20, 13, 5, 2, 0, 0, 0, 0),
        ("GPU:1", 20, 5, 0, 0, 0, 0, 0, 15),
    ]


def test_c18_start_done_and_async_twin_are_one_collective(run):
    # XLA Ops  SccccccccD     Async XLA Ops  AAAAAAAAAA
    run.window(0, 10)
    run.event(START, 0, 1, pair_id=0)
    run.event(COMPUTE, 1, 9)
    run.event(DONE, 9, 10, pair_id=0)
    run.event(START, 0, 10, pair_id=0, is_async=True, self_ps=0, stream="Async XLA Ops")
    run.rolled_up()
    assert run.rows(f"SELECT {PARTS}, {SELF} FROM step_breakdown") == [
        (*PARTS.split(", "), *SELF.split(", ")),
        (0, 8, 2, 0, 0, 0, 0, 8, 2, 0, 0, 0),
    ]


def test_a_pair_without_async_twin_runs_from_first_start_to_last_end(run):
    # S.cc.D
    run.window(0, 6)
    run.event(START, 0, 1, pair_id=5)
    run.event(COMPUTE, 2, 4)
    run.event(DONE, 5, 6, pair_id=5)
    assert whole_capture(run) == (0, 2, 4, 0, 0, 0, 0)


def test_async_rows_are_no_self_time_and_no_total(run):
    run.window(0, 10)
    run.event(COPY, 2, 8, is_async=True, self_ps=0)
    run.event(COMPUTE, 0, 4)
    run.rolled_up()
    assert run.rows(f"SELECT {PARTS}, {SELF} FROM step_breakdown")[1] == (4, 0, 0, 4, 0, 0, 2, 4, 0, 0, 0, 0)
    columns = "op_id, count, total_ps, self_ps, async_count, async_total_ps"
    assert run.rows(f"SELECT {columns} FROM op_stats ORDER BY op_id")[1:] == [
        (COMPUTE, 1, 4, 4, 0, 0),
        (COPY, 0, 0, 0, 1, 6),
    ]


def test_a_container_is_control_only_where_nothing_runs_in_it(run):
    # while  wwwwwwwwww      inside  .cc.GG.ss.
    run.window(0, 12)
    run.event(WHILE, 0, 10, is_leaf=False, self_ps=4)
    run.event(COMPUTE, 1, 3, parent=WHILE)
    run.event(ALL_GATHER, 4, 6, parent=WHILE)
    run.event(SYNC, 7, 9, parent=WHILE)
    assert whole_capture(run) == (2, 0, 2, 0, 2, 4, 2)


def test_the_innermost_execution_of_a_stream_counts(run):
    # call cccccccc  inner fusion .cccccc.  inner all-gather ..GG....  and a parallel stream  GGGG....
    run.op(9, opcode="custom-call", name="kernel")
    run.window(0, 8)
    run.event(9, 0, 8, is_leaf=False, self_ps=2)
    run.event(COMPUTE, 1, 7, parent=9, is_leaf=False, self_ps=4)
    run.event(ALL_GATHER, 2, 4, parent=COMPUTE)
    assert whole_capture(run) == (6, 0, 2, 0, 0, 0, 0)


def test_work_inside_half_a_pair_does_not_stop_the_transfer(run):
    # D  DDDD    inside  .cc.
    run.window(0, 4)
    run.event(DONE, 0, 4, pair_id=1, is_leaf=False, self_ps=2)
    run.event(COMPUTE, 1, 3, parent=DONE)
    assert whole_capture(run) == (0, 2, 2, 0, 0, 0, 0)


def test_a_pair_inside_a_loop_suspends_the_loop_only_while_its_halves_run(run):
    # while  wwwwwwww     inside  S....D..
    run.window(0, 8)
    run.event(WHILE, 0, 8, is_leaf=False, self_ps=6)
    run.event(START, 0, 1, parent=WHILE, pair_id=1)
    run.event(DONE, 5, 6, parent=WHILE, pair_id=1)
    assert whole_capture(run) == (0, 0, 6, 0, 0, 2, 0)


def test_c04_executions_that_cross_are_united(run):
    # PDL: the second kernel starts before the first ends.   cccccccccc..........   ........cccccccccccc
    run.window(0, 20)
    run.event(COMPUTE, 0, 10, self_ps=8)
    run.event(COMPUTE, 8, 20)
    assert whole_capture(run) == (20, 0, 0, 0, 0, 0, 0)


def test_a_leaf_call_is_compute_and_a_call_with_children_is_control(run):
    run.op(10, opcode="call", name="call.2")
    run.window(0, 4)
    run.event(CALL, 0, 2)
    run.event(10, 2, 4, is_leaf=False, self_ps=1)
    run.event(COMPUTE, 2, 3, parent=10)
    assert whole_capture(run) == (3, 0, 0, 0, 0, 1, 0)


def test_precedence_of_the_parts(run):
    # compute  c.....   communication  GG....   copy  .pp...   sync  .sss..   control  wwwww.
    run.window(0, 6)
    run.event(COMPUTE, 0, 1, stream="a")
    run.event(ALL_GATHER, 0, 2, stream="b")
    run.event(COPY, 1, 3, stream="c")
    run.event(SYNC, 1, 4, stream="d")
    run.event(WHILE, 0, 5, stream="e")
    assert whole_capture(run) == (0, 1, 1, 1, 1, 1, 1)


def test_windows_cut_executions_and_self_time_follows_the_step(run):
    # ccccGGGG..cc   steps 0 [0,6) and 1 [6,12); the all-gather belongs to step 0
    run.window(0, 12)
    run.step(0, 0, 6)
    run.step(1, 6, 12)
    run.event(COMPUTE, 0, 4, step_num=0)
    run.event(ALL_GATHER, 4, 8, step_num=0)
    run.event(COMPUTE, 10, 12, step_num=1)
    run.event(COMPUTE, 10, 10, step_num=None)
    run.rolled_up()
    columns = f"step_num, start_ps, window_ps, {PARTS}, compute_self_ps, communication_self_ps"
    assert run.rows(f"SELECT {columns} FROM step_breakdown ORDER BY step_num NULLS LAST")[1:] == [
        (0, 0, 6, 4, 0, 2, 0, 0, 0, 0, 4, 4),
        (1, 6, 6, 2, 0, 2, 0, 0, 0, 2, 2, 0),
        (None, 0, 12, 6, 0, 4, 0, 0, 0, 2, 6, 4),
    ]


def test_c15_a_sparsecore_is_a_device_of_its_own(run):
    run.window(0, 10)
    run.event(COMPUTE, 0, 4)
    run.event(COMPUTE, 2, 9, device="TPU:0/SC:0")
    run.rolled_up()
    assert run.rows(f"SELECT device, {PARTS} FROM step_breakdown ORDER BY device")[1:] == [
        ("TPU:0", 4, 0, 0, 0, 0, 0, 6),
        ("TPU:0/SC:0", 7, 0, 0, 0, 0, 0, 3),
    ]


def test_aggregated_executions_count_and_are_on_no_timeline(run):
    run.window(0, 10)
    run.event(COMPUTE, 0, 2)
    run.event(COMPUTE, None, 8_000, occurrences=40)
    run.rolled_up()
    assert run.rows("SELECT count, total_ps, self_ps FROM op_stats")[1:] == [(41, 8_002, 8_002)]
    assert run.rows(f"SELECT {PARTS}, compute_self_ps FROM step_breakdown")[1:] == [
        (2, 0, 0, 0, 0, 0, 8, 8_002)
    ]


def test_flops_and_bytes_of_the_event_beat_those_of_the_op_and_unknown_is_null(tiny):
    tiny.op(1, flops=10, bytes_accessed=100)
    tiny.op(2)
    tiny.op(3, flops=2**62)
    tiny.window(0, 10)
    tiny.event(1, 0, 1)
    tiny.event(1, 1, 2, flops=7)
    tiny.event(1, None, 30, occurrences=3)
    tiny.event(2, 2, 3, flops=5)
    tiny.event(2, 3, 4)
    tiny.event(3, 4, 5)
    tiny.event(3, 5, 6)
    tiny.rolled_up()
    assert tiny.rows("SELECT op_id, total_flops, total_bytes FROM op_stats ORDER BY op_id") == [
        ("op_id", "total_flops", "total_bytes"),
        (1, 47, 500),
        (2, None, None),
        (3, None, None),  # above 2^63
    ]


def test_phase_and_region_come_from_the_scope(tiny):
    tiny.op(1, scope="jit(f)/transpose(jvp(layer0))/mlp/dot_general")
    tiny.op(2, scope="jit(f)/add")
    tiny.op(3)
    rollup(tiny.con)
    assert tiny.rows("SELECT op_id, phase, region FROM op_classes ORDER BY op_id") == [
        ("op_id", "phase", "region"),
        (1, "backward", "layer0/mlp"),
        (2, "other", ""),
        (3, None, None),
    ]


CATEGORY = {COMPUTE: "compute", ALL_GATHER: "communication", COPY: "copy", SYNC: "sync", WHILE: "control"}
ORDER = ("compute", "communication", "copy", "sync", "control")


def nested(rng, op_id, start, end, depth):
    """An execution and random children in it: (op, start, end, parent, pieces in which it is innermost)."""
    children, at, pieces = [], start, []
    while depth and at < end and rng.random() < 0.6:
        first = rng.randint(at, end)
        last = rng.randint(first, end)
        children += nested(rng, rng.choice(list(CATEGORY)), first, last, depth - 1)
        children[-1] = (*children[-1][:3], op_id, *children[-1][4:])
        pieces.append((at, first))
        at = last
    return [*children, (op_id, start, end, None, [*pieces, (at, end)])]


@pytest.mark.parametrize("seed", range(15))
def test_parts_equal_an_independent_union_of_intervals(run, seed):
    rng = random.Random(seed)
    size = 60
    running = {category: np.zeros(size, bool) for category in ORDER}
    run.window(3, 57)
    cuts = sorted(rng.sample(range(3, 57), 4))
    for step, (first, last) in enumerate(itertools.pairwise(cuts)):
        run.step(step, first, last)
    for stream in range(rng.randint(1, 4)):
        at = 0
        while (at := at + rng.randint(0, 8)) < size:
            end = rng.randint(at, min(size, at + 20))
            for op_id, start, stop, parent, pieces in nested(rng, rng.choice(list(CATEGORY)), at, end, 3):
                run.event(op_id, start, stop, parent=parent, stream=str(stream))
                for first, last in pieces:
                    running[CATEGORY[op_id]][first:last] = True
            at = end
    for pair in range(rng.randint(0, 3)):
        first, last = sorted(rng.sample(range(size), 2))
        run.event(START, first, first + 1, pair_id=pair, stream="a", is_async=True)
        run.event(DONE, last - 1, last, pair_id=pair, stream="a", is_async=True)
        running["communication"][first:last] = True
    run.rolled_up()

    def parts(first, last):
        left = np.ones(size, bool)
        left[:first] = left[last:] = False
        both = left & running["compute"] & running["communication"]
        counts, left = [int(both.sum())], left & ~both
        for category in ORDER:
            counts.append(int((left & running[category]).sum()))
            left = left & ~running[category]
        overlapped, compute, *others = counts
        return (last - first, compute, overlapped, *others, int(left.sum()))

    expected = [parts(*window) for window in itertools.pairwise(cuts)] + [parts(3, 57)]
    found = run.rows(f"SELECT window_ps, {PARTS} FROM step_breakdown ORDER BY step_num NULLS LAST")[1:]
    assert found == (expected if run.devices else [])
    assert all(sum(row[1:]) == row[0] for row in found)


def test_devices_are_measured_one_batch_at_a_time(run, monkeypatch):
    monkeypatch.setattr("profdb.sql.rollup.BATCH_OPS", 1)
    run.window(0, 10)
    run.event(COMPUTE, 0, 4)
    run.event(COMPUTE, 2, 9, device="TPU:1")
    run.event(COPY, 9, 10, device="TPU:2")
    run.insert("devices", host="h", device="A:0", core_kind="gpu", op_count=0)  # nothing ran on the first one
    run.rolled_up()
    assert run.rows(f"SELECT device, {PARTS}, compute_self_ps FROM step_breakdown ORDER BY device")[1:] == [
        ("TPU:0", 4, 0, 0, 0, 0, 0, 6, 4),
        ("TPU:1", 7, 0, 0, 0, 0, 0, 3, 7),
        ("TPU:2", 0, 0, 0, 1, 0, 0, 9, 0),
    ]
    assert run.rows("SELECT count(*) AS devices FROM devices")[1:] == [(4,)]


def test_ops_of_a_step_are_those_of_the_devices_that_count(run):
    for device, at in (("TPU:0", 0), ("TPU:1", 0), ("TPU:0/SC:0", 2)):
        kind = "sparsecore" if "/SC:" in device else "tensorcore"
        run.insert("devices", host="h", device=device, core_kind=kind, op_count=1)
        run.event(COMPUTE, at, at + 4, device=device, step_num=1)
        run.event(COMPUTE, at + 4, at + 9, device=device, step_num=2, self_ps=3)
    run.event(COMPUTE, 10, 12, device="TPU:0")  # in no step
    run.event(COPY, 0, 9, device="TPU:0", step_num=1, is_async=True, self_ps=0)
    run.devices.clear()
    run.window(0, 12)
    run.rolled_up()
    assert run.rows("SELECT step_num, op_id, count, self_ps FROM step_op_stats ORDER BY step_num")[1:] == [
        (1, COMPUTE, 2, 8),
        (2, COMPUTE, 2, 6),
    ]
