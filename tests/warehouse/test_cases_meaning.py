"""Reported trouble with meaning: GPU streams, SparseCores, many programs with ragged edges."""

import pytest
from bench import Bench
from xspace import Event, environment, event, line, marker, plane, space

# C01: a GPU trace read with a TPU in mind.

GATHER = "ncclDevKernel_AllGather_RING_LL(ncclDevKernelArgsStorage<4096ul>)"


def gpu_capture(*host: Event) -> bytes:
    mixed = line(
        "Stream #118(MemcpyD2H,MemcpyD2D,Compute,Memset)", event("MemcpyD2H", 0, 10), event(GATHER, 20, 30)
    )
    compute = line("Stream #24(Compute)", *(event("loop_fusion_3", 100 * i, 60) for i in range(3)))
    return space(plane("/device:GPU:0", mixed, compute), plane("/host:CPU", line("python", *host)))


def test_ops_are_found_on_every_gpu_stream(bench: Bench) -> None:
    bench.take(gpu_capture())
    classes = "op_events JOIN op_classes USING (run, op_id)"
    sql = f"SELECT DISTINCT stream, name, category, family, collective FROM {classes} ORDER BY name"
    assert bench.rows(sql) == [
        ("118", "MemcpyD2H", "copy", "copy", None),
        ("24", "loop_fusion_3", "compute", "fusion", None),
        ("118", GATHER, "communication", "collective", "all-gather"),
    ]


def test_steps_of_a_gpu_come_from_host_markers(bench: Bench) -> None:
    bench.take(gpu_capture(*(marker("train", 5 + i, 100 * i, 100) for i in range(3))))
    assert bench.rows("SELECT step_source FROM runs") == [("host",)]
    rows = bench.rows("SELECT step_num, source, start_ps, duration_ps FROM steps ORDER BY step_num")
    assert rows == [(5, "host", 0, 100), (6, "host", 100, 100), (7, "host", 200, 60)]
    quality = "SELECT status, value FROM capture_quality WHERE check_name = 'time_assigned_share'"
    assert bench.rows(quality) == [("fail", 1.0)]


def test_without_markers_steps_are_null_with_the_reason_and_rates_still_stand(bench: Bench) -> None:
    bench.take(gpu_capture())
    assert bench.rows("SELECT step_source, (SELECT count(*) FROM steps) AS n FROM runs") == [(None, 0)]
    assert bench.rows("SELECT DISTINCT step_num, assignment FROM op_events") == [(None, "none")]
    quality = "SELECT check_name, status FROM capture_quality WHERE check_name = 'no_step_markers'"
    assert bench.rows(quality) == [("no_step_markers", "warn")]
    parts = "window_ps, compute_only_ps, overlapped_ps, comm_exposed_ps, copy_ps, idle_ps"
    assert bench.rows(f"SELECT {parts} FROM step_breakdown") == [(260, 150, 30, 0, 0, 80)]


# C15: SparseCore beside TensorCore.

TC, SC = "/device:TPU:0", "/device:TPU:0 SparseCore 0"


def core(name: str, offset: int, with_steps: bool = True) -> bytes:
    steps = (line("Steps", event("1", 0, 100), event("2", 100, 100)),) if with_steps else ()
    ops = line("XLA Ops", event("fusion.1", offset, 60), event("fusion.1", 100 + offset, 60))
    return plane(name, *steps, ops)


@pytest.mark.parametrize(
    ("tc_steps", "sc_steps", "sources"),
    [
        (True, True, ["TPU:0", "TPU:0/SC:0"]),
        (False, True, ["TPU:0/SC:0"]),
        (True, False, ["TPU:0"]),
    ],
)
def test_a_sparse_core_is_a_device_of_its_own(
    bench: Bench, tc_steps: bool, sc_steps: bool, sources: list[str]
) -> None:
    bench.take(space(core(TC, 0, tc_steps), core(SC, 30, sc_steps)))
    assert bench.rows("SELECT device, ordinal, core_kind, op_count FROM devices ORDER BY device") == [
        ("TPU:0", 0, "tensorcore", 2),
        ("TPU:0/SC:0", 0, "sparsecore", 2),
    ]
    busy = "SELECT device, compute_only_ps FROM step_breakdown WHERE step_num IS NULL ORDER BY device"
    assert bench.rows(busy) == [("TPU:0", 120), ("TPU:0/SC:0", 120)]
    steps = "SELECT device, list(step_num) AS steps, min(source) AS source FROM steps"
    assert bench.rows(f"{steps} GROUP BY device ORDER BY device") == [
        (device, [1, 2], "device") for device in sources
    ]
    assert bench.rows("SELECT device_count, step_source FROM runs") == [(1, "device")]
    assert bench.rows("SELECT step_num, source, device_count FROM step_time") == [
        (1, "device", 1),
        (2, "device", 1),
    ]


# C16: many programs, ragged edges.


def train_step(program_id: int, start: int, end: int, *ops: tuple[int, int]) -> tuple[Event, list[Event]]:
    executed = [event("fusion.1", at, duration, constants={"program_id": program_id}) for at, duration in ops]
    return event(f"jit_train_step({program_id})", start, end - start), executed


def test_ragged_steps_and_a_recompiled_program(bench: Bench) -> None:
    executions = [
        train_step(7, 0, 60, (10, 40)),  # began before the capture: its first op is missing
        train_step(7, 100, 200, (100, 40), (150, 50)),
        train_step(7, 210, 310, (210, 40), (260, 50)),
        train_step(8, 320, 420, (320, 40), (370, 50)),  # recompiled
        train_step(8, 430, 470, (430, 40)),  # cut
    ]
    others = [
        event("jit_eval(9)", 60, 20),
        event("jit_convert_element_type(3)", 311, 1),
        event("jit_eval(9)", 480, -1),
    ]
    modules = line("XLA Modules", *(module for module, _ in executions), *others)
    ops = line("XLA Ops", *(op for _, found in executions for op in found))
    bench.take(space(plane("/device:TPU:0", modules, ops)))
    programs = "module, program_id, count(*) AS n, CAST(sum(duration_ps) AS BIGINT) AS ps, is_main"
    grouped = "FROM modules GROUP BY module, program_id, is_main ORDER BY program_id"
    assert bench.rows(f"SELECT {programs} {grouped}") == [
        ("jit_convert_element_type", 3, 1, 1, False),
        ("jit_train_step", 7, 3, 260, True),
        ("jit_train_step", 8, 2, 140, True),
        ("jit_eval", 9, 1, 20, False),
    ]
    assert bench.rows("SELECT step_num, start_ps, duration_ps, module_span_ps, is_whole FROM steps") == [
        (0, 10, 90, 60, False),
        (1, 100, 110, 100, True),
        (2, 210, 110, 100, True),
        (3, 320, 110, 100, True),
        (4, 430, 40, 40, False),
    ]
    assert bench.rows("SELECT step_num FROM step_time WHERE is_steady") == [(1,), (2,), (3,)]


def test_a_program_that_touches_the_edge_of_the_capture_is_cut(bench: Bench) -> None:
    start_ns = 1_780_000_000_000_000_000
    for host, offset_ns in (("a", 0), ("b", 7)):  # both capture 400 ns, the second host 7 ns later
        executions = [event("jit_train_step(7)", i * 100_000, 100_000) for i in range(4)]
        ops = [event("fusion.1", i * 100_000 + 50, 40_000) for i in range(4)]
        device = plane("/device:TPU:0", line("XLA Modules", *executions), line("XLA Ops", *ops))
        at_ns = start_ns + offset_ns
        path = f"2026_11_30_12_00_00/{host}.xplane.pb"
        bench.write(path, space(device, environment(at_ns, at_ns + 400)))
    bench.ingest()
    steps = "SELECT step_num, start_ps, is_whole FROM steps WHERE host = 'b' ORDER BY step_num"
    assert bench.rows(steps) == [
        (0, 7_050, False),
        (1, 107_050, True),
        (2, 207_050, True),
        (3, 307_050, False),
    ]
    assert bench.rows("SELECT DISTINCT step_num, is_whole FROM steps WHERE is_whole ORDER BY 1") == [
        (1, True),
        (2, True),
    ]


def test_what_the_profiler_itself_reports_is_kept_word_for_word(bench: Bench) -> None:
    dropped = "Detected GPU events dropped on HOST: 1234 events"
    bench.take(space(hostnames=("w-0",), errors=("no GPU tracer",), warnings=(dropped, "slow disk")))
    sql = (
        "SELECT check_name, status, sentence FROM capture_quality WHERE host = 'w-0' AND subject IS NOT NULL"
    )
    assert bench.rows(f"{sql} ORDER BY check_name") == [
        ("dropped_events", "fail", f"the profiler dropped events, totals are too low: {dropped}"),
        ("producer_error", "fail", "the profiler reported an error: no GPU tracer"),
        ("producer_warning", "warn", "the profiler warned: slow disk"),
    ]
