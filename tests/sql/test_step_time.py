"""The view step_time over tiny runs; times are picoseconds."""

import pytest

FLAGS = "step_num, is_whole, has_compile, is_warmup, is_steady"


def test_step_time_is_the_median_over_devices_then_the_slowest_host(tiny):
    # host a: 10, 12, 40 -> 12    host b: 10, 13 -> 11.5    the slower host: 12
    for device, end in enumerate((10, 12, 40)):
        tiny.step(7, device, device + end, host="a", device=f"GPU:{device}", marker_duration_ps=3)
    tiny.step(7, 5, 15, host="b", device="GPU:0", marker_duration_ps=4, module_span_ps=9)
    tiny.step(7, 5, 18, host="b", device="GPU:1", marker_duration_ps=5)
    tiny.rolled_up()
    columns = "step_num, source, start_ps, duration_ps, marker_duration_ps, module_span_ps, device_count"
    assert tiny.rows(f"SELECT {columns} FROM step_time") == [
        tuple(columns.split(", ")),
        (7, "device", 0, 12, 5, 9, 5),
    ]


def test_steady_is_whole_warm_compiled_and_not_last(tiny):
    facts = {4: {}, 5: {}, 6: {"is_whole": False}, 7: {"has_compile": True}, 8: {"has_compile": False}, 9: {}}
    for step, fact in facts.items():
        tiny.step(step, step * 10, step * 10 + 10, **fact)
    tiny.rolled_up()
    assert tiny.rows(f"SELECT {FLAGS} FROM step_time ORDER BY step_num") == [
        tuple(FLAGS.split(", ")),
        (4, True, None, True, False),
        (5, True, None, False, True),
        (6, False, None, False, False),
        (7, True, True, False, False),
        (8, True, False, False, True),
        (9, True, None, False, False),
    ]


def test_one_device_with_a_cut_step_or_a_compile_makes_the_run_s_step_so(tiny):
    for device in ("TPU:0", "TPU:1"):
        tiny.step(10, 0, 9, device=device, is_whole=device == "TPU:0", has_compile=False)
        tiny.step(11, 9, 20, device=device, has_compile=device == "TPU:0")
    tiny.rolled_up()
    assert tiny.rows("SELECT step_num, is_whole, has_compile FROM step_time ORDER BY step_num")[1:] == [
        (10, False, False),
        (11, True, True),
    ]


@pytest.mark.parametrize(
    ("source", "ordinal", "warmup_steps", "expected"),
    [
        ("device", None, 5, True),  # step number 2
        ("device", None, 2, False),
        ("host", 100, 5, False),  # resumed: the position in the process is what counts
        ("host", 1, 5, True),
        ("module", None, 5, False),  # numbers of modules are only local to the window
    ],
)
def test_warmup(tiny, source, ordinal, warmup_steps, expected):
    tiny.con.execute("UPDATE params SET warmup_steps = ?", [warmup_steps])
    tiny.step(2, 0, 10, source=source, ordinal_in_process=ordinal)
    tiny.rolled_up()
    assert tiny.rows("SELECT is_warmup FROM step_time")[1:] == [(expected,)]
