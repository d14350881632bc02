"""The view stragglers over tiny runs; times are picoseconds."""

import pytest

NUMBERS = "count, last_count, last_share, wait_caused_ps, wait_suffered_ps, wait_share"
COLUMNS = f"device, {NUMBERS}"


@pytest.fixture
def run(tiny):
    tiny.op(1, opcode="all-reduce", replica_groups="{{0,1,2}}")
    tiny.op(2, opcode="all-gather-start")
    tiny.op(3, opcode="all-gather-done")
    tiny.op(4, opcode="collective-permute")
    return tiny


def rows(run, columns=COLUMNS):
    run.rolled_up()
    return run.rows(f"SELECT {columns} FROM stragglers ORDER BY host, device")


def reasons(run):
    run.rolled_up()
    null = ", ".join(f"{name} IS NULL" for name in NUMBERS.split(", "))
    found = run.rows(f"SELECT status, reason FROM stragglers WHERE {' AND '.join(null.split(', '))}")[1:]
    return sorted(set(found))


def test_the_last_to_arrive_is_waited_for(run):
    # step 0   GPU:0 G........   GPU:1 ...G.....   GPU:2 .....G...   until 9: 2 is last, they wait 5 and 2
    # step 1   GPU:0 ...G.....   GPU:1 G........   GPU:2 leaves after 1 of the 3 that it would have waited
    run.window(0, 40)
    for device, start in enumerate((0, 3, 5)):
        run.event(1, start, 9, device=f"GPU:{device}", step_num=0)
    for device, (start, end) in enumerate(((23, 29), (20, 29), (20, 21))):
        run.event(1, start, end, device=f"GPU:{device}", step_num=1)
    assert rows(run) == [
        tuple(COLUMNS.split(", ")),
        ("GPU:0", 2, 1, 0.5, 4, 5, 0.125),
        ("GPU:1", 2, 0, 0.0, 0, 5, 0.125),
        ("GPU:2", 2, 1, 0.5, 7, 1, 0.025),
    ]
    assert run.rows("SELECT DISTINCT status, reason FROM stragglers")[1:] == [("ok", None)]


def test_nobody_is_last_where_all_arrive_at_once(run):
    run.window(0, 10)
    for device in range(3):
        run.event(1, 4, 6, device=f"GPU:{device}")
    assert rows(run, "last_count, wait_caused_ps, wait_suffered_ps")[1:] == [(0, 0, 0)] * 3


def test_a_pair_arrives_with_its_start(run):
    run.window(0, 20)
    for device, start in enumerate((0, 4)):
        run.event(2, start, start + 1, device=f"TPU:{device}", pair_id=1)
        run.event(2, start, 12, device=f"TPU:{device}", pair_id=1, is_async=True, self_ps=0)
        run.event(3, 11, 12, device=f"TPU:{device}", pair_id=1)
    assert rows(run, "device, count, last_count, wait_caused_ps, wait_suffered_ps")[1:] == [
        ("TPU:0", 1, 0, 0, 4),
        ("TPU:1", 1, 1, 4, 0),
    ]


def test_turns_are_matched_only_where_every_device_has_as_many(run):
    # In step 0 GPU:0 lost its first execution; step 1 has two on both.
    run.window(0, 50)
    run.event(2, 8, 9, device="GPU:0", step_num=0)
    for start in (0, 7):
        run.event(2, start, start + 2, device="GPU:1", step_num=0)
    for device, starts in (("GPU:0", (20, 33)), ("GPU:1", (22, 30))):
        for start in starts:
            run.event(2, start, 35, device=device, step_num=1)
    assert rows(run, "device, count, last_count, wait_caused_ps, wait_suffered_ps")[1:] == [
        ("GPU:0", 2, 1, 3, 2),
        ("GPU:1", 2, 1, 2, 3),
    ]


def test_groups_meet_apart_where_ordinals_are_the_positions(tiny):
    tiny.op(1, opcode="all-reduce", replica_groups="[2,2]<=[2,2]T(1,0)")  # {0,2} and {1,3}
    tiny.window(0, 20)
    for device, start in enumerate((0, 5, 3, 9)):
        tiny.event(1, start, 10, device=f"GPU:{device}")
        tiny.insert("devices", host="h", device=f"GPU:{device}", core_kind="gpu", op_count=1, ordinal=device)
    tiny.devices.clear()
    assert rows(tiny, "device, last_count, wait_caused_ps, wait_suffered_ps")[1:] == [
        ("GPU:0", 0, 0, 3),
        ("GPU:1", 0, 0, 4),
        ("GPU:2", 1, 3, 0),
        ("GPU:3", 1, 4, 0),
    ]


def test_groups_of_a_tpu_do_not_tell_which_device_is_which(tiny):
    tiny.op(1, opcode="all-reduce", replica_groups="{{0,2},{1,3}}")
    tiny.window(0, 20)
    for device in range(4):
        tiny.event(1, device, 10, device=f"TPU:{device}")
    reason = "no collective of the device could be matched with those of others"
    assert reasons(tiny) == [("cannot tell", reason)]


def test_point_to_point_kinds_have_no_common_start(run):
    run.window(0, 10)
    for device in range(2):
        run.event(4, device, 5, device=f"GPU:{device}")
    reason = "no collective of the device could be matched with those of others"
    assert reasons(run) == [("cannot tell", reason)]


@pytest.mark.parametrize(
    ("facts", "reason"),
    [
        ({"expected_process_count": 64, "process_count": 2}, "not all devices were captured"),
        ({"expected_host_count": 2, "host_count": 1}, "not all devices were captured"),
        ({"expected_device_count": 8, "device_count": 2}, "not all devices were captured"),
        ({"is_partial": True}, "not all devices were captured"),
        ({"step_source": "module"}, "no step markers"),
        ({}, "no step markers"),
    ],
)
def test_c14_what_was_not_captured_is_not_balanced(run, facts, reason):
    run.window(0, 10, **facts)
    for host in ("a", "b"):
        run.event(2, 0, 5, host=host, device="GPU:0")
    assert [(status, text.split(":")[0]) for status, text in reasons(run)] == [("cannot tell", reason)]


def test_c14_one_rank_tells_nothing_of_the_others(run):
    run.window(0, 10)
    run.event(1, 0, 5, device="GPU:0")
    assert reasons(run) == [("cannot tell", "only one device was captured")]


def test_hosts_without_a_common_clock(run):
    run.window(0, 10, step_source="host")
    run.insert("profile_files", host="a", host_offset_ps=0)
    run.insert("profile_files", host="b", host_offset_ps=None)
    for host in ("a", "b"):
        run.event(2, 0, 5, host=host, device="GPU:0", step_num=3)
    assert reasons(run) == [("cannot tell", "the clocks of the hosts are not comparable")]


def test_hosts_with_a_common_clock(run):
    run.window(0, 10, step_source="host")
    for host, start in (("a", 0), ("b", 2)):
        run.insert("profile_files", host=host, host_offset_ps=0)
        run.event(2, start, 5, host=host, device="GPU:0", step_num=3)
    assert rows(run, "host, last_count, wait_caused_ps, wait_suffered_ps")[1:] == [
        ("a", 0, 0, 2),
        ("b", 1, 2, 0),
    ]


def test_devices_without_collectives(run):
    run.op(9, opcode="fusion")
    run.window(0, 10)
    for device in range(2):
        run.event(9, 0, 5, device=f"GPU:{device}")
    assert reasons(run) == [("cannot tell", "no collective was recorded on the device")]
