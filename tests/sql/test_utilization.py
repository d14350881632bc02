"""The view utilization over tiny runs; times are picoseconds."""

COLUMNS = "host, device, name, unit, sample_basis, count, min_value, mean_value, max_value"


def samples(run, name, *values, device="GPU:0", host="h", unit="percent"):
    for at_ps, value in values:
        run.insert("counters", host=host, device=device, name=name, at_ps=at_ps, value=value, unit=unit)


def rows(run):
    run.rolled_up()
    return run.rows(f"SELECT {COLUMNS} FROM utilization")


def test_a_sample_holds_until_the_next_one_and_the_last_until_the_window_ends(tiny):
    tiny.window(100, 200)
    # 10 for 20 ps, 40 for 30 ps, 90 for 50 ps: 5900 / 100. What lies outside the window does not count.
    samples(tiny, "sm__active", (0, 1e9), (100, 10), (120, 40), (150, 90), (201, -1e9))
    samples(tiny, "dram__read", (150, 3), (150, 5))
    samples(tiny, "power", (110, 7), device=None, unit=None)
    assert rows(tiny) == [
        tuple(COLUMNS.split(", ")),
        ("h", "GPU:0", "dram__read", "percent", "window", 2, 3, 5, 5),
        ("h", "GPU:0", "sm__active", "percent", "window", 3, 10, 59, 90),
        ("h", None, "power", None, "window", 1, 7, 7, 7),
    ]


def test_samples_beside_the_window_say_so(tiny):
    tiny.window(100, 200)
    samples(tiny, "cycles", (0, 3), (10, 6), (30, 9))
    samples(tiny, "range", (0, 4), (0, 8))
    assert rows(tiny)[1:] == [
        ("h", "GPU:0", "cycles", "percent", "capture", 3, 3, 5, 9),
        ("h", "GPU:0", "range", "percent", "capture", 2, 4, 6, 8),
    ]


def test_values_that_are_not_finite_do_not_count(tiny):
    tiny.window(0, 10)
    samples(tiny, "a", (0, None), (5, 2))
    samples(tiny, "b", (0, None))
    assert rows(tiny)[1:] == [
        ("h", "GPU:0", "a", "percent", "window", 1, 2, 2, 2),
        ("h", "GPU:0", "b", "percent", "capture", 0, None, None, None),
    ]


def test_a_run_without_device_ops_has_its_counters(tiny):
    tiny.insert("runs")
    samples(tiny, "a", (0, 1), (9, 3), (10, 5))
    assert rows(tiny)[1:] == [("h", "GPU:0", "a", "percent", "capture", 3, 1, 1.2, 5)]
