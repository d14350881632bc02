"""The view modules_summary over tiny runs; times are picoseconds."""

COLUMNS = (
    "module, is_main, device_count, count, total_ps, average_ps, median_ps, total_share, program_count, "
    "recompile_count"
)


def execution(run, module, duration_ps, program_id, *, device="TPU:0", host="h", **more):
    row = {"module": module, "duration_ps": duration_ps, "program_id": program_id, "host": host}
    run.insert("modules", **row | {"device": device, "assignment": "none"} | more)


def test_c16_a_recompilation_is_two_programs_of_one_name(tiny):
    tiny.window(0, 600)
    # The first and the last execution are cut.
    for program, duration in ((1, 40), (1, 100), (1, 100), (2, 110), (2, 50)):
        execution(tiny, "jit_train_step", duration, program, is_main=True)
    execution(tiny, "jit_eval", 99, 3)
    execution(tiny, "jit_convert_element_type", 1, 4)
    tiny.rolled_up()
    assert tiny.rows(f"SELECT {COLUMNS} FROM modules_summary") == [
        tuple(COLUMNS.split(", ")),
        ("jit_train_step", True, 1, 5, 400, 80, 100, 0.8, 2, 1),
        ("jit_eval", False, 1, 1, 99, 99, 99, 0.198, 1, 0),
        ("jit_convert_element_type", False, 1, 1, 1, 1, 1, 0.002, 1, 0),
    ]


def test_program_ids_of_hosts_are_their_own(tiny):
    tiny.window(0, 10)
    execution(tiny, "jit_step", 3, 17, host="a")
    execution(tiny, "jit_step", 4, 18, host="b")
    execution(tiny, "jit_step", 5, 18, host="b", device="TPU:1")
    tiny.rolled_up()
    assert tiny.rows("SELECT device_count, count, average_ps, median_ps, program_count FROM modules_summary")[
        1:
    ] == [(3, 3, 4, 4, 1)]


def test_what_no_execution_tells_is_null(tiny):
    tiny.window(0, 10)
    execution(tiny, "jit_step", 0, None)
    tiny.rolled_up()
    columns = "total_share, program_count, recompile_count"
    assert tiny.rows(f"SELECT {columns} FROM modules_summary")[1:] == [(None, None, None)]
