"""Reported trouble with names and ids: hostile bytes, ids of 64 bits, hidden scopes, missing metadata."""

import csv
import io
import json
from collections.abc import Callable

import pytest
from bench import Bench
from xspace import Event, event, instruction, line, plane, program, ref, space, uint64

from profdb.cli.main import run


def gpu(*events: Event, stream: str = "Stream #24(Compute)") -> bytes:
    return plane("/device:GPU:0", line(stream, *events))


# C07: hostile names.

LONG = "k" * 20_000
HLO_TEXT = "%fusion.7 = f32[8]{0} fusion(" + ", ".join(f"%p.{i}" for i in range(25_000)) + "), kind=kLoop"
NAMES: dict[str | bytes, str] = {
    b"\x66\xff\xfe\x6f": r"bytes:f\xff\xfeo",
    "a\x00b": "a\x00b",
    'x = L("t", "I")\n(1): <module>': 'x = L("t", "I")\n(1): <module>',
    r"torch\cuda\__init__.py": r"torch\cuda\__init__.py",
    HLO_TEXT: "fusion.7",
    LONG + "a": LONG + "a",
    LONG + "b": LONG + "b",
    "": "",
}


def test_hostile_names_keep_every_byte(bench: Bench, capfd: pytest.CaptureFixture[str]) -> None:
    assert len(HLO_TEXT) > 200_000
    bench.take(space(gpu(*(event(name, 10 * i, 5) for i, name in enumerate(NAMES)))))
    sql = "SELECT name, op_id FROM op_events ORDER BY start_ps"
    rows = bench.rows(sql)
    assert [name for name, _ in rows] == list(NAMES.values())
    assert len({op_id for _, op_id in rows}) == len(NAMES)
    read: dict[str, Callable[[str], list[str]]] = {
        "csv": lambda text: [row[0] for row in csv.reader(io.StringIO(text, newline=""))][1:],
        "json": lambda text: [row["name"] for row in json.loads(text)],
        "jsonl": lambda text: [json.loads(row)["name"] for row in text.splitlines()],
    }
    csv.field_size_limit(1 << 20)
    for form, names in read.items():
        assert run(["query", sql, "-w", str(bench.root), "--format", form]) == 0
        assert names(capfd.readouterr().out) == list(NAMES.values())


@pytest.mark.parametrize(
    ("name", "canonical_name"),
    [
        (".1" * 100_000 + "x", ".1" * 100_000 + "x"),
        ("fusion" + ".1" * 100_000, "fusion"),
        ("%a = f32[1] add(), " + "replica_groups={{" * 20_000, "a"),
        ("%a = " + "(" * 200_000, "%a = " + "(" * 200_000),
        ("jit_f(" * 50_000, "jit_f(" * 50_000),
    ],
)
def test_long_repetitive_names_take_no_time(bench: Bench, name: str, canonical_name: str) -> None:
    bench.take(space(gpu(event(name, 0, 5))))
    assert bench.rows("SELECT canonical_name FROM ops") == [(canonical_name,)]


def test_a_long_step_name_takes_no_time(bench: Bench) -> None:
    steps = line("Steps", event("1" * 100_000 + "x" * 100_000 + "7!", 0, 10), event("9" * 100_000, 10, 10))
    bench.take(space(plane("/device:TPU:0", steps, line("XLA Ops", event("a", 0, 5), event("a", 10, 5)))))
    assert bench.rows("SELECT step_num, start_ps FROM op_events ORDER BY start_ps") == [(7, 0), (None, 10)]


@pytest.mark.parametrize(
    "scope", ["jvp(" * 50_000, "a/" * 100_000, "checkpoint/" * 20_000 + "b", "(A:" * 60_000]
)
def test_a_long_scope_takes_no_time(bench: Bench, scope: str) -> None:
    bench.take(space(gpu(event("k", 0, 5, {"tf_op": ref(scope)}))))
    assert bench.rows("SELECT scope FROM ops") == [(scope,)]


# C08: ids of 64 bits.

PROGRAM = 14940262714490726846


def test_ids_above_int64_are_exact(bench: Bench, capfd: pytest.CaptureFixture[str]) -> None:
    stats = {"program_id": uint64(PROGRAM), "correlation_id": uint64(2**64 - 1)}
    bench.take(space(gpu(event("k", 0, 5, stats), event("k", 5, 5, {**stats, "program_id": PROGRAM}))))
    exact = [(PROGRAM, "18446744073709551615", 2)]
    sql = "SELECT o.program_id, launch_id, count(*) AS n FROM op_events JOIN ops o USING (op_id) GROUP BY ALL"
    assert bench.rows(sql) == exact
    assert run(["query", sql, "-w", str(bench.root), "--format", "json"]) == 0
    assert [tuple(row.values()) for row in json.loads(capfd.readouterr().out)] == exact


def test_a_program_id_in_a_module_name_and_sparse_ids(bench: Bench) -> None:
    module = f"SyncTensorsGraph.66628({PROGRAM})"
    modules = line("XLA Modules", event(module, 0, 50, {"run_id": uint64(2**64 - 5)}, metadata_id=2**62))
    ops = line("XLA Ops", event("a", 0, 5, metadata_id=1), event("b", 5, 5, metadata_id=4294967297))
    launch = event("launch", 0, 1, {"run_id": uint64(2**64 - 5)})
    host = plane("/host:CPU", line("python", event("train", 0, 2, {"step_num": 3}), launch))
    bench.take(space(plane("/device:TPU:0", modules, ops), host))
    sql = "SELECT module, program_id, launch_id, step_num, assignment FROM modules"
    assert bench.rows(sql) == [("SyncTensorsGraph.66628", PROGRAM, "18446744073709551611", 3, "launch")]
    rows = bench.rows("SELECT name, step_num, launch_id FROM op_events ORDER BY start_ps")
    assert rows == [("a", 3, "18446744073709551611"), ("b", 3, "18446744073709551611")]


# C09: the framework path in another stat.


def test_the_scope_is_found_where_it_hides(bench: Bench) -> None:
    path = "jit(train_step)/forward_backward/moe_route/dot_general"
    of_program = {"hlo_module": ref("jit_train_step"), "program_id": 5}
    events = (
        event("generic", 0, 5, {"tf_op": ref("XlaModule:"), "name": ref(path)}),
        event("real", 5, 5, {"tf_op": ref("jit(f)/mlp/add"), "name": ref("other/thing")}),
        event("constant", 10, 5, {"name": ref("other/thing")}, constants={"tf_op": "jit(f)/mlp/mul"}),
        event("proto", 15, 5, {"tf_op": ref("XlaModule:"), "hlo_op": ref("dot.3"), **of_program}),
        event("lost", 20, 5, {"tf_op": ref("XlaModule:"), "name": ref("dot.3")}),
    )
    dot = instruction("dot.3", "dot", "jit(train_step)/head/dot_general", ("model.py", 12))
    protos = plane("/host:metadata", unused=(program("jit_train_step", 5, dot),))
    bench.take(space(gpu(*events), protos))
    assert bench.rows(
        "SELECT name, scope, attribution_source, source_file, source_line FROM ops ORDER BY name"
    ) == [
        ("constant", "jit(f)/mlp/mul", "metadata", None, None),
        ("generic", path, "event", None, None),
        ("lost", None, "none", None, None),
        ("proto", "jit(train_step)/head/dot_general", "hlo_proto", "model.py", 12),
        ("real", "jit(f)/mlp/add", "event", None, None),
    ]


# C10: metadata missing or moved.


def test_kernels_of_a_command_buffer_count_under_their_own_name(bench: Bench) -> None:
    kernels = (event("sm90_gemm", 0, 60, {"correlation_id": uint64(1)}), event("(unlaunched)", 60, 40))
    bench.take(space(gpu(*kernels)))
    sql = (
        "SELECT name, attribution_source, launch_id FROM op_events JOIN ops USING (op_id, name) ORDER BY name"
    )
    assert bench.rows(sql) == [("(unlaunched)", "none", None), ("sm90_gemm", "none", "1")]
    sql = "SELECT sum(self_ps) AS ps, (SELECT compute_only_ps FROM step_breakdown) AS busy_ps FROM op_stats"
    assert bench.rows(sql) == [(100, 100)]
    sql = "SELECT status, sentence, remedy FROM capture_quality WHERE check_name = 'unattributed_share'"
    ((status, sentence, remedy),) = bench.rows(sql)
    assert (status, sentence) == ("fail", "100.0 % of device op time has no framework path, copies apart")
    assert "XLA_FLAGS=--xla_gpu_enable_command_buffer=" in remedy


def test_an_event_without_metadata_still_counts(bench: Bench) -> None:
    bench.take(space(gpu(event(77, 0, 60), event("known", 60, 40))))
    assert bench.rows("SELECT name, duration_ps FROM op_events ORDER BY name") == [
        ("(unknown:77)", 60),
        ("known", 40),
    ]
    quality = "SELECT subject, value FROM quality_events WHERE check_name = 'unknown_metadata'"
    assert bench.rows(quality) == [("/device:GPU:0 Stream #24(Compute)", 1)]


@pytest.mark.parametrize("stream", [str(2**64 - 1), "-1", "139812394"])
def test_a_copy_on_an_odd_stream_is_not_lost(bench: Bench, stream: str) -> None:
    bench.take(space(gpu(event("MemcpyD2H", 0, 30), stream=f"Stream #{stream}(MemcpyD2H)")))
    sql = "SELECT device, stream, category FROM op_events JOIN op_classes USING (run, op_id)"
    assert bench.rows(sql) == [("GPU:0", stream, "copy")]


def test_a_device_number_beyond_int64_is_only_a_name(bench: Bench) -> None:
    number = "9" * 30
    bench.take(space(plane(f"/device:GPU:{number}", line("Stream #1", event("k", 0, 5)))))
    assert bench.rows("SELECT device, ordinal, core_kind FROM devices") == [(f"GPU:{number}", None, "gpu")]
