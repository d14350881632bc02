"""The view run_summary over tiny runs; times are picoseconds."""

import pytest

DOT, ALL_GATHER, EVENT_SYNC = 1, 2, 3
STEPS = (
    "step_count, step_basis, counted_step_count, cut_step_count, last_step_count, compile_step_count, "
    "warmup_step_count, step_median_ps, step_p90_ps, step_mean_ps, step_min_ps, step_max_ps, jitter_ratio"
)
SHARES = (
    "share_basis, busy_share, compute_share, communication_share, exposed_communication_share, "
    "overlapped_communication_share, stall_share, idle_share"
)


@pytest.fixture
def run(tiny):
    tiny.op(DOT, opcode="dot", name="dot.1", flops=100, attribution_source="event")
    tiny.op(ALL_GATHER, opcode="all-gather", name="all-gather.1", attribution_source="event")
    tiny.op(EVENT_SYNC, name="Event Sync", attribution_source="event")
    return tiny


def test_step_times_are_of_the_steady_steps_and_the_rest_is_accounted_for(run):
    facts = {3: {"is_whole": False}, 4: {}, 5: {"has_compile": True}, 6: {"is_whole": False}}
    at = 0
    for number, duration in enumerate([50, 60, 90, 70, 10, 20, 30, 40, 25], start=3):
        run.step(number, at, at + duration, **facts.get(number, {}))
        at += duration
    run.window(0, at)
    run.rolled_up()
    # steady: 7 to 10 with 10 20 30 40. Left out: 3 and 6 cut, 4 warm-up, 5 compiling, 11 the last
    assert run.rows(f"SELECT {STEPS} FROM run_summary") == [
        tuple(STEPS.split(", ")),
        (9, "steady", 4, 2, 1, 1, 1, 25, 37, 25, 10, 40, pytest.approx(37 / 25)),
    ]


def test_without_steady_steps_the_whole_ones_are_told_as_such(run):
    for number in range(3):
        run.step(number, number * 10, number * 10 + 10)
    run.window(0, 30)
    run.rolled_up()
    assert run.rows(f"SELECT {STEPS} FROM run_summary")[1:] == [
        (3, "whole", 2, 0, 0, 0, 1, 10, 10, 10, 10, 10, 1.0)
    ]


def test_a_run_without_anything_has_a_row_of_unknowns(run):
    run.insert("runs", device_count=0)
    run.rolled_up()
    assert run.rows(f"SELECT {STEPS}, {SHARES}, mfu_ratio, quality, quality_sentence FROM run_summary")[
        1:
    ] == [
        (0, None, 0, 0, 0, 0, 0, None, None, None, None, None, None)
        + (None,) * 9
        + ("fail", "no device op was recorded")
    ]


def test_c17_shares_are_of_unions_and_utilisation_is_the_mean_over_devices(run):
    # GPU:0 compute   ccccccccccGGcccccccc    GPU:1  ccccc...............
    #       comm      .....RRRRRR.........
    run.window(0, 20, device_count=2)
    run.event(DOT, 0, 10, device="GPU:0", stream="7")
    run.event(ALL_GATHER, 10, 12, device="GPU:0", stream="7")
    run.event(DOT, 12, 20, device="GPU:0", stream="7")
    run.event(ALL_GATHER, 5, 11, device="GPU:0", stream="24")
    run.event(DOT, 0, 5, device="GPU:1", stream="7")
    run.rolled_up()
    assert run.rows(f"SELECT {SHARES} FROM run_summary") == [
        tuple(SHARES.split(", ")),
        # op self time 10 + 2 + 8 + 6 + 5 = 31; windows 40; both run in 5..10, communication alone in 10..12
        ("capture", 0.625, pytest.approx(23 / 31), pytest.approx(8 / 31), 2 / 40, 5 / 40, 15 / 40, 15 / 40),
    ]


def test_a_run_of_one_step_says_that_it_is_the_last(run):
    run.step(7, 0, 10)
    run.window(0, 10)
    run.rolled_up()
    columns = "step_count, counted_step_count, cut_step_count, last_step_count, step_median_ps"
    assert run.rows(f"SELECT {columns} FROM run_summary")[1:] == [(1, 0, 0, 1, None)]


def test_what_of_the_capture_is_measured_is_told(run):
    # counted: step 5 on both devices, 10 each, of a window of 40
    run.window(0, 40)
    for device in ("TPU:0", "TPU:1"):
        run.step(5, 0, 10, device=device)
        run.step(6, 10, 20, device=device)
        run.event(DOT, 0, 10, device=device, step_num=5)
    run.rolled_up()
    assert run.rows("SELECT share_basis, measured_share, idle_share FROM run_summary")[1:] == [
        ("steady steps", 0.25, 0.0)
    ]


def test_copies_count_where_nothing_hides_them(run):
    run.op(4, opcode="copy", name="copy.1")
    run.window(0, 10)
    run.event(DOT, 0, 5)
    run.event(4, 3, 9, stream="1")
    run.rolled_up()
    assert run.rows("SELECT copy_share, busy_share FROM run_summary")[1:] == [(0.4, 0.9)]


def test_stall_is_synchronisation_and_idle(run):
    run.window(0, 10)
    run.event(DOT, 0, 5)
    run.event(EVENT_SYNC, 5, 8)
    run.rolled_up()
    assert run.rows("SELECT busy_share, stall_share, idle_share, compute_share FROM run_summary")[1:] == [
        (0.8, 0.5, 0.2, 5 / 8)
    ]


def test_mfu_is_over_the_peaks_of_all_devices(run):
    run.window(0, 10)
    for device, executions in (("TPU:0", 2), ("TPU:1", 1)):
        run.insert(
            "devices", host="h", device=device, core_kind="tensorcore", op_count=1, peak_flops_per_s=10**14
        )
        for k in range(executions):
            run.event(DOT, 3 * k, 3 * k + 2, device=device)
    run.devices.clear()
    run.rolled_up()
    # 300 flops in 10 ps on two devices of 100 flops per ps each
    assert run.rows("SELECT mfu_ratio FROM run_summary")[1:] == [(pytest.approx(300 / 2000),)]


@pytest.mark.parametrize(
    ("peak", "flops"), [(None, 100), (10**14, None)], ids=["unknown peak", "unknown flops of a dot"]
)
def test_mfu_is_unknown_where_a_part_of_it_is(tiny, peak, flops):
    tiny.op(DOT, opcode="dot", flops=flops)
    tiny.op(ALL_GATHER, opcode="add", flops=1)
    tiny.window(0, 10)
    tiny.event(DOT, 0, 5)
    tiny.event(ALL_GATHER, 5, 6)
    tiny.devices.clear()
    tiny.insert(
        "devices", host="h", device="TPU:0", core_kind="tensorcore", op_count=1, peak_flops_per_s=peak
    )
    tiny.rolled_up()
    assert tiny.rows("SELECT mfu_ratio FROM run_summary")[1:] == [(None,)]


@pytest.mark.parametrize(("target", "mfu"), [("flash_attention", None), ("layer_norm", 100 / 19_700)])
def test_mfu_is_unknown_where_an_attention_kernel_s_flops_are(tiny, target, mfu):
    tiny.op(DOT, opcode="dot", flops=100)
    tiny.op(ALL_GATHER, opcode="custom-call", custom_call_target=target)
    tiny.window(0, 100)
    tiny.event(DOT, 0, 5)
    tiny.event(ALL_GATHER, 5, 6)
    tiny.devices.clear()
    # the profile tells no peak; the data sheet tells 197 flops per ps
    tiny.insert(
        "devices", host="h", device="TPU:0", core_kind="tensorcore", op_count=1, device_kind="TPU v5 lite"
    )
    tiny.rolled_up()
    assert tiny.rows("SELECT mfu_ratio FROM run_summary")[1:] == [(mfu and pytest.approx(mfu),)]


def test_quality_is_the_worst_check(run):
    run.window(0, 10, device_count=1, expected_host_count=3, host_count=1)
    run.event(DOT, 0, 10)
    run.insert("quality_events", check_name="producer_warning", text="hot", host="h")
    run.rolled_up()
    assert run.rows("SELECT quality, quality_sentence FROM run_summary")[1:] == [
        ("fail", "2 of the hosts that the run used are not in the profile")
    ]


def test_what_the_host_did_is_in_the_shares(run):
    # GPU:0  oooooooooo....................    steps 0 to 2 of 10
    # python ........LLLLLLLLww............    waits, launches
    for number in range(3):
        run.step(number, number * 10, number * 10 + 10)
    run.window(0, 30)
    run.event(DOT, 0, 10)
    for name, start, end in (("PjitFunction(f)", 8, 16), ("Wait for donation holds", 16, 18)):
        span = {"start_ps": start, "duration_ps": end - start, "self_ps": end - start}
        run.insert("host_events", host="h", thread="python", name=name, **span)
    run.rolled_up()
    # Whole steps but the last: 20 ps, of which 10 idle, in 6 of these the host works. Tracks: 10 + 8 + 2 ps.
    columns = "share_basis, idle_share, host_wait_share, track_compute_share, track_communication_share, "
    columns += "track_host_share, track_stall_share, track_other_share"
    assert run.rows(f"SELECT {columns} FROM run_summary")[1:] == [
        ("whole steps", 0.5, 0.3, 0.5, 0.0, 0.4, 0.1, 0.0)
    ]


def test_without_host_events_the_hosts_shares_are_unknown(run):
    run.window(0, 30)
    run.event(DOT, 0, 10)
    run.rolled_up()
    assert run.rows("SELECT host_wait_share, track_compute_share FROM run_summary")[1:] == [(None, None)]
