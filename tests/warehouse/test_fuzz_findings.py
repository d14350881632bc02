"""What mutants and oracles have brought to light, each as the smallest profile that shows it."""

import base64

import pytest
from bench import Bench
from xspace import event, line, marker, plane, put, space, varint

from profdb.sql.errors import InputError


def test_cpu_ops_without_run_id_find_their_step_by_time(bench: Bench) -> None:
    ops = (event("dot.1", at, 10, {"hlo_op": "dot.1", "device_ordinal": 0}) for at in (5, 105))
    steps = (marker("train", number, 100 * number, 90) for number in range(2))
    bench.take(space(plane("/host:CPU", line("python", *steps), line("tf_XLAEigen/1", *ops))))
    assert bench.rows("SELECT step_num, start_ps, duration_ps, source FROM steps ORDER BY step_num") == [
        (0, 5, 100, "host"),
        (1, 105, 10, "host"),
    ]
    assert bench.rows("SELECT step_num, assignment FROM op_events ORDER BY step_num") == [
        (0, "time"),
        (1, "time"),
    ]


@pytest.mark.parametrize("number", [4, 5])
def test_a_length_close_to_2_to_the_64_is_refused(
    bench: Bench, number: int, capfd: pytest.CaptureFixture[str]
) -> None:
    event_with_length = put(4, put(1, 7) + varint(number << 3 | 2) + varint(-2))
    with pytest.raises(InputError, match=r"a field of 18446744073709551614 bytes where 0 are left"):
        bench.take(space(put(2, "/device:GPU:0") + put(3, put(2, "Stream #1") + event_with_length)))
    assert capfd.readouterr() == ("", "")


def test_a_stat_that_looks_like_such_a_length_is_none(bench: Bench) -> None:
    packed = b"\x12\x0a" + varint(-1)
    kernel = event("k", 0, 5, {"details": packed})
    bench.take(space(plane("/device:GPU:0", line("Stream #1", kernel))))
    assert bench.rows("SELECT name, args['details'] FROM op_events") == [
        ("k", base64.b64encode(packed).decode())
    ]


def test_a_stat_id_below_zero_marks_steps(bench: Bench) -> None:
    names = {-3: "step_num", 2: "hlo_op", 3: "device_ordinal"}
    metadata = b"".join(put(5, put(1, id) + put(2, put(1, id) + put(2, name))) for id, name in names.items())
    step = put(4, put(2, 0) + put(3, 90) + put(4, put(1, -3) + put(4, 17)))
    stats = put(4, put(1, 2) + put(5, "dot.1")) + put(4, put(1, 3) + put(4, 0))
    op = put(4, put(2, 5) + put(3, 10) + stats)
    lines = put(3, put(2, "thread") + op) + put(3, put(2, "python") + step)
    bench.take(space(put(2, "/host:CPU") + metadata + lines))
    assert bench.rows("SELECT step_num, start_ps FROM op_events") == [(17, 5)]


@pytest.mark.parametrize("part_events", [1, 1000])
def test_an_instant_nests_in_what_begins_with_it(
    bench: Bench, part_events: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("profdb.warehouse.xplane.line.PART_EVENTS", part_events)
    ops = line("XLA Ops", event("a", 0, 10), event("instant", 10, 0), event("b", 10, 10))
    bench.take(space(plane("/device:TPU:0", ops)))
    assert bench.rows("SELECT name, is_leaf FROM op_events ORDER BY name") == [
        ("a", True),
        ("b", False),
        ("instant", True),
    ]
