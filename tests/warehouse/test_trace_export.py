"""Trace viewer exports of XLA (HOST.trace.json.gz): C11, C12, a real one, and one beside its own XPlane."""

import gzip
import json
import os
from collections import Counter
from collections.abc import Callable, Iterable
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from bench import Bench

from profdb.sql.errors import InputError
from profdb.warehouse.trace.planes import convert

NAMES = [
    {"ph": "M", "pid": 3, "name": "process_name", "args": {"name": "/device:TPU:0"}},
    {"ph": "M", "pid": 3, "tid": 3, "name": "thread_name", "args": {"name": "XLA Ops"}},
    {"ph": "M", "pid": 701, "name": "process_name", "args": {"name": "/host:CPU"}},
    {"ph": "M", "pid": 701, "tid": 7, "name": "thread_name", "args": {"name": "python"}},
]
HEAD = '{"displayTimeUnit":"ns","metadata":{"highres-ticks":true},"traceEvents":['
QUALITY = "SELECT check_name, subject, value, text FROM quality_events WHERE check_name IN "
TIMES = "SELECT o.name, e.start_ps, e.duration_ps FROM op_events e JOIN ops o USING (run, op_id) ORDER BY 2"


def op(name: str, ts: Any, dur: Any, **args: str) -> dict[str, Any]:
    """A fusion on the TPU; times in microseconds."""
    told = {"long_name": f"%{name} = f32[8]{{0}} fusion(f32[8]{{0}} %p), kind=kLoop"}
    return {"ph": "X", "pid": 3, "tid": 3, "ts": ts, "dur": dur, "name": name, "args": told | args}


def frame(name: str, ts: Any, dur: Any) -> dict[str, Any]:
    """A Python frame."""
    return {"ph": "X", "pid": 701, "tid": 7, "ts": ts, "dur": dur, "name": name}


def text(events: Iterable[dict[str, Any]], end: str = ",{}]}") -> bytes:
    """A file as XLA writes it, with the empty object at the end."""
    return (HEAD + ",".join(json.dumps(event) for event in [*NAMES, *events]) + end).encode()


def many(path: Path, count: int) -> Path:
    """An export of so many events: 10 ops in the first 20 us, and frames of Python up to the end."""
    ops = [op("fusion.1", 2 * i, 1) for i in range(10)]
    row = ',{"ph":"X","pid":701,"tid":7,"ts":%d,"dur":1,"name":"$a.py:1 f"}'
    with gzip.open(path, "wb", compresslevel=1) as file:
        file.write(text(ops, ""))
        file.write("".join(row % i for i in range(count - 10)).encode())
        file.write(b",{}]}")
    return path


def test_c11_a_million_events_are_where_the_export_stops(bench: Bench) -> None:
    many(bench.write("h.trace.json.gz", b""), 1_000_000)
    report = bench.ingest()
    assert (report.runs[0].events, report.runs[0].devices) == (1_000_000, 1)
    assert bench.rows(QUALITY + "('truncated', 'early_end', 'trace_export') ORDER BY 1") == [
        # the last frame begins at 999,989 us and lasts 1; the last op ends at 19
        ("early_end", "TPU:0", 999_971_000_000, "1 s before the end of the trace, at 1 s"),
        ("trace_export", None, 1_000_000, "the source is a trace viewer export"),
        ("truncated", None, 1_000_000, "likely: it holds 1,000,000 events, at which the export stops"),
    ]
    assert bench.rows("SELECT status, sentence FROM capture_quality WHERE check_name = 'truncated'") == [
        (
            "fail",
            "the trace is cut, totals are too low: "
            "likely: it holds 1,000,000 events, at which the export stops",
        )
    ]
    # 10 ops of 1 us in the 19 us from the first to the last; no frame of Python is in any of it
    assert bench.rows("SELECT window_ps, busy_share FROM run_summary") == [
        (19_000_000, pytest.approx(10 / 19))
    ]
    assert bench.rows("SELECT count(*), sum(self_ps) FROM op_events") == [(10, 10_000_000)]
    assert bench.rows("SELECT format FROM runs") == [("trace_json",)]


def test_c11_one_event_less_is_not_the_cap(tmp_path: Path) -> None:
    notes = convert(many(tmp_path / "h.trace.json.gz", 999_999)).notes
    assert [check for check, *_ in notes] == ["trace_export", "early_end"]


@pytest.mark.parametrize("layout", ["plugins/profile/2026_01_01_00_00_00", "a folder"])
def test_c11_an_xplane_beside_it_is_used(bench: Bench, layout: str, real: Callable[[str], Path]) -> None:
    profile = real("xplane/gpu_gtx1080ti_x2_xla.xplane.pb").read_bytes()
    bench.write(f"{layout}/h.xplane.pb", profile)
    export = bench.write(f"{layout}/h.trace.json.gz", gzip.compress(text([op("fusion.1", 0, 1)])))
    other = bench.write(f"{layout}/perfetto_trace.json.gz", gzip.compress(text([op("fusion.1", 0, 1)])))
    for sources in ((), (export,)):  # the folder, and the export by its name
        report = bench.ingest(*sources, replace=True)
        assert bench.rows("SELECT format, device_count FROM runs") == [("xplane", 2)]
        skipped = [(str(export), "h.xplane.pb beside it holds more")]
        skipped += [] if sources else [(str(other), "h.xplane.pb beside it holds more")]
        assert list(report.skipped) == skipped


def test_times_are_exact_and_1e_06_is_no_duration(bench: Bench) -> None:
    events = [op("a.1", 1, 2), op("b.1", 4.5, 1e-06), op("c.1", 1144986.718988, 4.487395)]
    raw = text(events).replace(b"4.487395", b"4.4873950000000002")  # as older XLA writes the same double
    bench.write("h.trace.json", raw)
    bench.ingest()
    assert bench.rows(TIMES) == [
        ("a.1", 1_000_000, 2_000_000),
        ("b.1", 4_500_000, 0),
        ("c.1", 1_144_986_718_988, 4_487_395),
    ]


def test_late_times_are_exact_too(tmp_path: Path) -> None:
    """Above 1000 s a double of microseconds is too coarse to be rounded to picoseconds."""
    path = tmp_path / "h.trace.json"
    path.write_bytes(text([op("a.1", 0, 1)]).replace(b'"ts": 0', b'"ts": 9007199254.740993'))
    buffer = bytes(convert(path).buffer)
    late = 9_007_199_254_740_993
    encoded = b"".join(bytes([late >> 7 * i & 0x7F | 0x80 * (late >> 7 * i > 0x7F)]) for i in range(8))
    assert b"\x10" + encoded in buffer  # XEvent.offset_ps


@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize(
    ("raw", "names", "cut"),
    [
        pytest.param(text([op("a.1", 0, 1)]), ["a.1"], None, id="as XLA writes it"),
        pytest.param(b"\xef\xbb\xbf" + text([op("a.1", 0, 1)]), ["a.1"], None, id="a byte order mark"),
        pytest.param(
            text([op("a.1", 0, 1)], '],"traceEvents":[' + json.dumps(op("b.1", 2, 1)) + "]}"),
            ["a.1", "b.1"],
            None,
            id="traceEvents twice",
        ),
        pytest.param(
            text([op("a.1", 0, 1)]).replace(b'"metadata":{"highres-ticks":true},', b""),
            ["a.1"],
            None,
            id="no metadata",
        ),
        pytest.param(
            text([op("a.1", 0, 1)], ",{},]} and more"), ["a.1"], None, id="a comma and text too many"
        ),
        pytest.param(
            text([op("a.1", 0, 1)], ""),
            ["a.1"],
            "it ends at byte {end}, before the end of its JSON",
            id="no ]}",
        ),
        pytest.param(
            text([op("a.1", 0, 1)], ',{"ph":"X","pid'),
            ["a.1"],
            "it ends inside the value that begins at byte {value}",
            id="cut in an event",
        ),
        pytest.param(
            text([op("a.1", 0, 1)], ',{"ph" "X"},' + " " * (3 << 20) + "]}"),
            ["a.1"],
            "byte {value} and what follows is no JSON",
            id="broken far from the end",
        ),
    ],
)
def test_c12_nearly_valid_json(
    bench: Bench, raw: bytes, names: list[str], cut: str | None, packed: bool
) -> None:
    bench.write(f"h.trace.json{'.gz' * packed}", gzip.compress(raw) if packed else raw)
    bench.ingest()
    assert [row[0] for row in bench.rows(TIMES)] == names
    end = len(text([op("a.1", 0, 1)], ""))
    places = {"end": end, "value": end + 1}
    told = [] if cut is None else [f"yes: {cut.format(**places)}; {len(names)} events before that were read"]
    assert bench.rows("SELECT text FROM quality_events WHERE check_name = 'truncated'") == [
        (t,) for t in told
    ]


def test_c12_compressed_data_that_is_cut_keeps_the_events_before_it(bench: Bench) -> None:
    packed = gzip.compress(text(op(f"fusion.{i}", i, 1, source=f"{i * i}.py:1") for i in range(30_000)))
    bench.write("h.trace.json.gz", packed[: len(packed) // 2])
    (run,) = bench.ingest().runs
    assert 10_000 < run.events < 20_000
    ((cut,),) = bench.rows("SELECT text FROM quality_events WHERE check_name = 'truncated'")
    assert cut.startswith("yes: its compressed data ends or is damaged behind byte ")
    assert cut.endswith(f"; {run.events:,} events before that were read")


@pytest.mark.parametrize(
    ("raw", "why"),
    [
        (b"hello", "byte 0: no JSON object begins here"),
        (b" \n ", "byte 3: no JSON object begins here"),
        (b'{"traceEvents":[', "it ends at byte 16, before the end of its JSON"),
        (b'{"traceEvents" 1}', "byte 15 and what follows is no JSON"),
        (b'{"displayTimeUnit":"ns"}', "byte 23: it holds no events"),
        (b"\x1f\x8b\x08\x00rubbish", "its compressed data ends or is damaged behind byte 0"),
    ],
)
def test_c12_a_hopeless_file_is_one_line_that_names_the_byte(bench: Bench, raw: bytes, why: str) -> None:
    path = bench.write("h.trace.json.gz", raw)
    with pytest.raises(InputError) as caught:
        bench.ingest()
    assert caught.value.message.startswith(f"not a readable trace: {path}: {why}")
    assert "\n" not in caught.value.message
    assert not list(bench.root.rglob("*.parquet"))


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        (("1e400", "1"), 0),
        (("-1e400", "1"), 0),
        (("NaN", "1"), 1),
        (("9" * 400, "1"), 0),
        (('"x"', "1"), 1),
        (("null", "null"), 1),
        (("-5.25", "1"), 0),
        (("1", "-7"), 1),
    ],
)
def test_absurd_times_do_not_stop_an_ingest(bench: Bench, values: tuple[str, str], expected: int) -> None:
    """A time that is none counts as 0, as a missing one does; one outside of all clocks is set aside."""
    bad = '{{"ph":"X","pid":3,"tid":3,"ts":{},"dur":{},"name":"bad.1"}}'.format(*values)
    bench.write("h.trace.json", text([op("a.1", 0, 1)], f",{bad}]}}"))
    bench.ingest()
    assert Counter(row[0] for row in bench.rows(TIMES)) == Counter(["a.1"] + ["bad.1"] * expected)


@pytest.mark.parametrize(
    "members",
    [
        '"args":[1]',
        '"args":"text"',
        '"args":{"long_name":[1],"tf_op":{"a":1},"source":null,"run_id":1e400}',
        '"tid":"stream 7"',
        f'"tid":{10**30}',
        f'"pid":{-(10**30)}',
        '"name":["x"]',
    ],
)
def test_members_of_odd_types_do_not_stop_an_ingest(bench: Bench, members: str) -> None:
    odd = f',{{"ph":"X","pid":3,"tid":3,"ts":5,"dur":1,"name":"odd.1",{members}}}'
    bench.write("h.trace.json", text([op("a.1", 0, 1)], odd + "]}"))
    (run,) = bench.ingest().runs
    assert run.events == 2


def test_a_named_pipe_is_refused_and_not_waited_for(bench: Bench) -> None:
    pipe = bench.write("h.trace.json", b"")
    pipe.unlink()
    os.mkfifo(pipe)
    with pytest.raises(InputError, match="is no regular file"):
        bench.ingest(pipe)


def test_hosts_of_a_session_are_one_run(bench: Bench) -> None:
    for host in ("w-1", "w-10"):
        bench.write(
            f"run/plugins/profile/s/{host}.trace.json.gz", gzip.compress(text([op("a.1", 0, 1, x=host)]))
        )
    bench.ingest()
    assert bench.rows("SELECT run, host_count, device_count, process_count FROM runs") == [("run/s", 2, 2, 2)]
    assert bench.rows("SELECT DISTINCT host FROM op_events ORDER BY 1") == [("w-1",), ("w-10",)]


def test_facts_of_an_op_are_those_of_an_xplane(bench: Bench) -> None:
    told = {
        "hlo_category": "loop fusion", "tf_op": "jit(f)/layer0/dot", "source": "/x/train.py:7",
        "bytes_accessed": "64", "shape_with_layout": "f32[8]{0:T(8)}", "run_id": "18446744073709551615",
        "memory_access_breakdown": "<opaque bytes>",
    }  # fmt: skip
    bench.write("h.trace.json", text([op("fusion.3", 0, 1, **told), op("fusion.3", 2, 1, **told)]))
    bench.ingest()
    facts = "name, opcode, scope, source_file, source_line, bytes_accessed, shape, hlo_category"
    assert bench.rows(f"SELECT {facts} FROM ops") == [
        (
            "fusion.3",
            "fusion",
            "jit(f)/layer0/dot",
            "/x/train.py",
            7,
            64,
            "f32[8]{0:T(8)}",
            "loop fusion",
        )
    ]


def test_other_tools_traces_are_skipped_for_what_they_are(
    bench: Bench, real: Callable[[str], Path], tmp_path: Path
) -> None:
    why = "a trace of another tool: only those that XLA's profiler writes are read"
    kineto = bench.write("k.pt.trace.json.gz", real("json/kineto_h100_bert_small.json.gz").read_bytes())
    array = bench.write("c.trace.json", b'[{"ph":"X","ts":1,"dur":1,"name":"a"}]')
    with pytest.raises(InputError, match="nothing to ingest"):
        bench.ingest()
    bench.write("x.trace.json", text([op("a.1", 0, 1)]))
    assert dict(bench.ingest().skipped) == {str(kineto): why, str(array): why}
    late = bench.write("late.trace.json", text([op("a.1", 0, 1), {"cat": "kernel", "ph": "X"}]))
    late.write_bytes(
        late.read_bytes().replace(b'"displayTimeUnit"', b'"x":"%s","displayTimeUnit"' % (b"-" * 2**21))
    )
    with pytest.raises(InputError, match="another tool than XLA's profiler wrote it"):
        bench.ingest(late)


def test_a_real_export_equals_an_independent_reading(bench: Bench, real: Callable[[str], Path]) -> None:
    path = real("json/tpu_vllm_moe.trace.json.gz")
    bench.ingest(path)
    with gzip.open(path) as file:
        events = json.load(file, parse_float=Decimal)["traceEvents"]
    ops = [e for e in events if e.get("ph") == "X" and e["pid"] in (3, 4) and e["tid"] == 3]
    picoseconds = [int((Decimal(e["dur"]) * 10**6).to_integral_value()) for e in ops]
    total = sum(ps for ps in picoseconds if ps != 1)  # 1 ps is how a duration of 0 is written
    assert (len(ops), bench.rows("SELECT count(*), sum(duration_ps) FROM op_events")) == (
        6908,
        [(6908, total)],
    )
    assert bench.rows("SELECT device, op_count FROM devices ORDER BY 1") == [("TPU:0", 3454), ("TPU:1", 3454)]
    assert bench.rows("SELECT count(*) FROM modules") == [(8,)]
    assert bench.rows(
        "SELECT count(*) FROM op_events e JOIN ops o USING (run, op_id) WHERE o.opcode IS NULL"
    ) == [(0,)]


def test_an_export_holds_what_its_xplane_holds_of_ops(bench: Bench, tmp_path: Path) -> None:
    """A capture of JAX, which writes both: the same executions at the same times, on the same devices."""
    import jax
    import jax.numpy as jnp

    step = jax.jit(lambda x: jnp.tanh(x @ x).sum())
    x = jnp.ones((128, 128))
    step(x).block_until_ready()
    with jax.profiler.trace(str(tmp_path)):
        for number in range(5):
            with jax.profiler.StepTraceAnnotation("train", step_num=number):
                step(x).block_until_ready()
    (export,) = tmp_path.rglob("*.trace.json.gz")
    (profile,) = tmp_path.rglob("*.xplane.pb")
    bench.write("export/h.trace.json.gz", export.read_bytes())
    bench.write("whole/h.xplane.pb", profile.read_bytes())
    bench.ingest(bench.folder / "in" / "export", run="export")
    bench.ingest(bench.folder / "in" / "whole", run="whole")
    both = [
        bench.rows(
            "SELECT o.name, e.start_ps, e.duration_ps, e.device, e.step_num FROM op_events e "
            f"JOIN ops o USING (run, op_id) WHERE run = '{run}' ORDER BY ALL"
        )
        for run in ("export", "whole")
    ]
    assert len(both[0]) >= 5
    assert both[0] == both[1]
