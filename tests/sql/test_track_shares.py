"""The view track_shares and the derived table host_stats of tiny runs; times are picoseconds."""

SHARES = (
    "track_compute_share, track_communication_share, track_host_share, track_stall_share, track_other_share"
)


def host_event(run, name, self_ps, *, total_ps=None, host="h", thread="python"):
    row = {"host": host, "thread": thread, "name": name, "start_ps": 0, "self_ps": self_ps}
    run.insert("host_events", **row | {"duration_ps": self_ps if total_ps is None else total_ps})


def shares(run):
    run.rolled_up()
    return run.rows(f"SELECT self_ps, {SHARES} FROM track_shares")


def device_work(run):
    """Self times: compute 30 and 10 on two streams, communication 20, sync 5, copy 3, a loop 2."""
    for op_id, opcode in enumerate(("fusion", "all-reduce", "copy", "while"), start=1):
        run.op(op_id, opcode=opcode, name=f"{opcode}.1")
    run.op(5, name="Event Sync")
    run.window(0, 100)
    run.event(1, 0, 30)
    run.event(2, 30, 50)
    run.event(5, 50, 55)
    run.event(3, 55, 58)
    run.event(4, 60, 92, is_leaf=False, self_ps=2)
    run.event(1, 62, 92, parent=4, self_ps=0, is_leaf=False)
    run.event(1, 0, 10, stream="1")
    run.event(2, 0, 90, is_async=True, self_ps=0, stream="1")


def test_self_times_of_all_tracks_share_their_sum(tiny):
    # Host: 40 of its own, 85 waiting (60 and 25), a step marker 5; starting the capture is no track's.
    device_work(tiny)
    tiny.step(0, 0, 100, name="train", source="host")
    tiny.insert("profile_files", host="h")
    host_event(tiny, "train", 5, total_ps=70)
    host_event(tiny, "PjitFunction(step)", 25)
    host_event(tiny, "$api.py:3105 block_until_ready", 60)
    host_event(tiny, "load batch", 15, thread="loader")
    host_event(tiny, "Wait for rendezvous callback", 25, thread="tf_XLAEigen/1")
    host_event(tiny, "$profiler.py:101 start_trace", 1_000)
    assert shares(tiny) == [
        ("self_ps", *SHARES.split(", ")),
        (200, 0.2, 0.1, 0.2, 0.45, 0.05),
    ]


def test_shares_are_unknown_without_the_events_of_a_host(tiny):
    device_work(tiny)
    for host in ("h", "other"):
        tiny.insert("profile_files", host=host)
    host_event(tiny, "PjitFunction(step)", 25)
    assert shares(tiny)[1:] == [(None,) * 6]


def test_a_host_alone_has_shares_and_no_time_has_none(tiny):
    tiny.insert("runs")
    tiny.insert("runs", run="empty")
    host_event(tiny, "parse", 30)
    host_event(tiny, "Acquire semaphore", 10)
    tiny.insert("host_events", run="empty", host="h", name="parse")
    tiny.rolled_up()
    assert tiny.rows(f"SELECT run, {SHARES} FROM track_shares")[1:] == [
        ("empty", None, None, None, None, None),
        ("r", 0, 0, 0.75, 0.25, 0),
    ]


def test_host_stats_are_sums_over_threads(tiny):
    tiny.insert("runs")
    host_event(tiny, "parse", 3, total_ps=4)
    host_event(tiny, "parse", 5, thread="loader")
    host_event(tiny, "parse", 7, host="other")
    host_event(tiny, "Acquire semaphore", 2)
    host_event(tiny, "train", 1)
    tiny.step(0, 0, 5, name="train", source="host")
    tiny.rolled_up()
    assert tiny.rows("SELECT * EXCLUDE (run) FROM host_stats ORDER BY host, name") == [
        ("host", "name", "role", "count", "total_ps", "self_ps"),
        ("h", "Acquire semaphore", "wait", 1, 2, 2),
        ("h", "parse", None, 2, 9, 8),
        ("h", "train", "marker", 1, 1, 1),
        ("other", "parse", None, 1, 7, 7),
    ]
