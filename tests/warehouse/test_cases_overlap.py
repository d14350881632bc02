"""Reported trouble with overlap: time counted twice, halves of pairs, collectives under odd names."""

import pytest
from bench import Bench
from xspace import event, line, plane, ref, space

MS = 1_000_000_000

# C17: union, not sum.


def test_utilisation_is_a_union_and_never_above_one(bench: Bench) -> None:
    compute = line(
        "Stream #1(Compute)", event("gemm", 0, 10), event("ncclAllGather", 10, 2), event("gemm", 12, 8)
    )
    comm = line("Stream #2(Compute)", event("ncclReduceScatter", 5, 6))
    other = plane("/device:GPU:1", line("Stream #1(Compute)", event("gemm", 0, 5)))
    bench.take(space(plane("/device:GPU:0", compute, comm), other))
    parts = "device, compute_only_ps, overlapped_ps, comm_exposed_ps, idle_ps, window_ps"
    assert bench.rows(f"SELECT {parts} FROM step_breakdown ORDER BY device") == [
        ("GPU:0", 13, 5, 2, 0, 20),
        ("GPU:1", 5, 0, 0, 15, 20),
    ]
    busy = "SELECT 1 - idle_ps / window_ps FROM step_breakdown ORDER BY device"
    assert [ratio for (ratio,) in bench.rows(busy)] == [1.0, 0.25]


# C18: start/done pairs and odd collectives.

START = "%all-gather-start.3 = (f32[4], f32[8]) all-gather-start(f32[4] %p)"
DONE = "%all-gather-done.7 = f32[8] all-gather-done((f32[4], f32[8]) %all-gather-start.3)"
PROGRAM = {"program_id": 5}


@pytest.mark.parametrize("twin", [{"hlo_op": "all-gather-start.3"}, {"hlo_op": "all-gather-done.7"}])
@pytest.mark.parametrize("constants", [PROGRAM, {}])
def test_start_done_and_twin_are_one_collective(
    bench: Bench, twin: dict[str, str], constants: dict[str, int]
) -> None:
    ops = line(
        "XLA Ops",
        event(START, 0, 1, constants=PROGRAM),
        event("%fusion.1 = f32[8] fusion(f32[8] %x)", 1, 8, constants=PROGRAM),
        event(DONE, 9, 1, constants=PROGRAM),
    )
    spans = line("Async XLA Ops", event("all-gather.3", 0, 10, twin, constants=constants))
    bench.take(space(plane("/device:TPU:0", ops, spans)))
    pairs = "SELECT pair_id, count(*) AS n, max(start_ps + duration_ps) - min(start_ps) AS ps FROM op_events"
    assert bench.rows(f"{pairs} WHERE pair_id IS NOT NULL GROUP BY pair_id") == [(0, 3, 10)]
    parts = "compute_only_ps, overlapped_ps, comm_exposed_ps, idle_ps, communication_self_ps"
    assert bench.rows(f"SELECT {parts} FROM step_breakdown") == [(0, 8, 2, 0, 2)]


def test_what_moves_data_is_told_by_hlo_before_the_kernel_name(bench: Bench) -> None:
    kernel = "ncclKernel_SendRecv_RING_SIMPLE_Sum_int8_t(ncclWorkElem)"
    events = (
        event(kernel, 0, 10, {"hlo_op": ref("all-to-all.2")}),
        event("Event Sync", 20, 50 * MS),
        event("Stream Sync", 60 * MS, 50 * MS),
    )
    bench.take(space(plane("/device:GPU:0", line("Stream #1(Compute)", *events))))
    classes = "ops JOIN op_classes USING (run, op_id)"
    assert bench.rows(f"SELECT canonical_name, category, collective FROM {classes} ORDER BY 1") == [
        ("Event Sync", "sync", None),
        ("Stream Sync", "sync", None),
        ("all-to-all", "communication", "all-to-all"),
    ]
    assert bench.rows("SELECT sync_ps, compute_only_ps, comm_exposed_ps FROM step_breakdown") == [
        (100 * MS, 0, 10)
    ]


def test_a_custom_call_that_uses_the_interconnect_is_communication(bench: Bench) -> None:
    call = '%{}.1 = f32[8] custom-call(f32[8] %x), custom_call_target="tpu_custom_call"'
    of_ici = {"hlo_category": "custom-call", "uses_ici": 1}
    ops = (
        event(call.format("told_by_metadata"), 0, 10, constants=of_ici),
        event(call.format("told_by_event"), 10, 10, {"uses_ici": 1}),
        event(call.format("local"), 20, 10, {"uses_ici": 0}),
        event("%fusion.1 = f32[8] fusion(f32[8] %x)", 30, 10, {"uses_ici": 1}),
    )
    bench.take(space(plane("/device:TPU:0", line("XLA Ops", *ops))))
    classes = "ops JOIN op_classes USING (run, op_id)"
    assert bench.rows(f"SELECT canonical_name, uses_ici, category FROM {classes} ORDER BY 1") == [
        ("fusion", None, "compute"),
        ("local", False, "compute"),
        ("told_by_event", True, "communication"),
        ("told_by_metadata", True, "communication"),
    ]


def test_pairs_of_a_repeated_plane_stay_apart(bench: Bench) -> None:
    def part(at: int) -> bytes:
        return plane("/device:TPU:0", line("XLA Ops", event(START, at, 1), event(DONE, at + 9, 1)))

    bench.take(space(part(0), part(100)))
    pairs = "SELECT pair_id, min(start_ps) AS first, max(start_ps) AS last FROM op_events GROUP BY pair_id"
    assert bench.rows(f"{pairs} ORDER BY pair_id") == [(0, 0, 9), (1, 100, 109)]
    assert bench.rows("SELECT device, op_count FROM devices") == [("TPU:0", 4)]


def test_kinds_of_collectives(bench: Bench) -> None:
    kinds = {
        "ncclDevKernel_AllReduce_Sum_bf16_RING_LL": "all-reduce",
        "ncclDevKernel_ReduceScatter_Sum_f32_RING_LL": "reduce-scatter",
        "ncclDevKernel_Broadcast_RING_LL": "collective-broadcast",
        "ncclDevKernel_SendRecv": "send-recv",
        "ncclDevKernel_Generic": None,
        "%all-gather-start.1 = (f32[4], f32[8]) all-gather-start(f32[4] %p)": "all-gather",
        "%ragged-all-to-all.1 = f32[8] ragged-all-to-all(f32[8] %p)": "ragged-all-to-all",
        "%collective-permute-done.1 = f32[8] collective-permute-done(f32[8] %p)": "collective-permute",
        "%send.1 = f32[8] send(f32[8] %p)": "send",
        "%recv-done.1 = f32[8] recv-done(f32[8] %p)": "recv",
    }
    events = (event(name, 10 * i, 5) for i, name in enumerate(kinds))
    bench.take(space(plane("/device:GPU:0", line("Stream #1(Compute)", *events))))
    rows = bench.rows(
        "SELECT family, collective FROM op_events JOIN op_classes USING (run, op_id) ORDER BY start_ps"
    )
    assert rows == [("collective", kind) for kind in kinds.values()]
