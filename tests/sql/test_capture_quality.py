"""The view capture_quality over tiny runs."""

import pytest

from profdb.sql import catalog

BY_TIME = "of device op time was assigned to steps by time alone"
NO_PATH = "of device op time has no framework path, copies apart"
NO_MARKERS = "no step markers: steps are unknown, or counted by program executions"
COLUMNS = "host, check_name, subject, status, value, sentence"
GOOD = {"host_count": 1, "expected_host_count": 1, "device_count": 1}


def checks(tiny, *names):
    """Rows of these checks, by name."""
    tiny.rolled_up()
    listed = ", ".join(f"'{name}'" for name in names)
    query = f"SELECT {COLUMNS} FROM capture_quality WHERE check_name IN ({listed}) ORDER BY check_name, host"
    return tiny.rows(query)[1:]


def test_a_good_run_is_ok_in_every_check(tiny):
    tiny.window(0, 20, **GOOD)
    tiny.op(1, scope="jit(f)/add", attribution_source="event")
    tiny.step(7, 0, 10)
    tiny.step(8, 10, 20)
    tiny.event(1, 0, 10, step_num=7, assignment="launch")
    tiny.event(1, 10, 20, step_num=8, assignment="launch")
    tiny.rolled_up()
    query = f"SELECT {COLUMNS}, remedy FROM capture_quality ORDER BY check_name"
    assert tiny.rows(query) == [
        (*COLUMNS.split(", "), "remedy"),
        (None, "missing_host", None, "ok", 0, "all hosts that the run used are in the profile", None),
        (None, "no_device_ops", None, "ok", 0, "device ops were recorded", None),
        (None, "no_steady_steps", None, "ok", 0, "some steps are steady", None),
        ("h", "time_assigned_share", None, "ok", 0, f"0.0 % {BY_TIME}", None),
        ("h", "unassigned_share", None, "ok", 0, "0.0 % of device op time belongs to no step", None),
        ("h", "unattributed_share", None, "ok", 0, f"0.0 % {NO_PATH}", None),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("known_ps", "status"), [(96, "ok"), (95, "warn"), (51, "warn"), (50, "fail"), (0, "fail")]
)
def test_unattributed_share_is_judged_by_thresholds(tiny, known_ps, status):
    tiny.window(0, 100, **GOOD)
    tiny.op(1, attribution_source="hlo_proto")
    tiny.op(2)
    tiny.event(1, 0, known_ps)
    tiny.event(2, known_ps, 100)
    share = (100 - known_ps) / 100
    sentence = f"{100 - known_ps}.0 % {NO_PATH}"
    expected = [("h", "unattributed_share", None, status, share, sentence)]
    assert checks(tiny, "unattributed_share") == expected


def test_shares_of_step_assignment(tiny):
    # step 3: 40 by launch, 20 by time; 40 in no step
    tiny.window(0, 100, **GOOD)
    tiny.op(1)
    tiny.step(3, 0, 60)
    tiny.event(1, 0, 40, step_num=3, assignment="launch")
    tiny.event(1, 40, 60, step_num=3, assignment="time")
    tiny.event(1, 60, 100)
    assert checks(tiny, "time_assigned_share", "unassigned_share") == [
        ("h", "time_assigned_share", None, "warn", 0.2, f"20.0 % {BY_TIME}"),
        ("h", "unassigned_share", None, "warn", 0.4, "40.0 % of device op time belongs to no step"),
    ]  # fmt: skip


def test_a_run_without_steps_has_no_share_of_steps(tiny):
    tiny.window(0, 10, **GOOD)
    tiny.op(1)
    tiny.event(1, 0, 10)
    tiny.insert("quality_events", host="h", check_name="no_step_markers", value=1, text="none")
    assert checks(tiny, "time_assigned_share", "unassigned_share", "no_steady_steps", "no_step_markers") == [
        ("h", "no_step_markers", None, "warn", 1, NO_MARKERS)
    ]  # fmt: skip


def test_c14_one_of_64_hosts_is_told_once(tiny):
    tiny.window(0, 0, host_count=1, expected_host_count=64, device_count=8)
    tiny.insert("quality_events", check_name="missing_host", value=63, text="1 of 64 hosts are here")
    sentence = "63 of the hosts that the run used are not in the profile"
    assert checks(tiny, "missing_host") == [(None, "missing_host", None, "fail", 63, sentence)]


def test_hosts_that_nothing_tells_of_are_unknown(tiny):
    tiny.window(0, 0, host_count=1, device_count=8)
    sentence = "nothing tells how many hosts the run used: whether one is missing is unknown"
    assert checks(tiny, "missing_host") == [(None, "missing_host", None, "unknown", None, sentence)]


def test_a_run_without_device_ops_fails(tiny):
    tiny.window(0, 0, **GOOD | {"device_count": 0})
    tiny.op(1)
    assert checks(tiny, "no_device_ops", "unattributed_share") == [
        (None, "no_device_ops", None, "fail", 1, "no device op was recorded")
    ]


def test_no_steady_step_warns(tiny):
    tiny.window(0, 10, **GOOD)
    tiny.step(0, 0, 10)
    sentence = "no step is steady: each is warm-up, compiling, cut or the last one"
    assert checks(tiny, "no_steady_steps") == [(None, "no_steady_steps", None, "warn", 1, sentence)]


@pytest.mark.parametrize(
    ("cores", "status", "value"), [("8", "ok", 1), ("4", "warn", 2), (None, "unknown", None)]
)
def test_oversubscribed_cpu(tiny, cores, status, value):
    facts = {"host_cpu_count": cores} if cores else {}
    tiny.window(0, 0, **GOOD, facts=facts)
    for device in range(8):
        tiny.insert("devices", host="h", device=f"CPU:{device}", core_kind="cpu")
    assert [row[3:5] for row in checks(tiny, "devices_per_core")] == [(status, value)]


@pytest.mark.parametrize(
    ("check", "subject", "value", "text", "status", "sentence"),
    [
        ("cut_file", "h.xplane.pb", 1, "ends at byte 60", "fail", "h.xplane.pb is cut: ends at byte 60"),
        ("producer_error", "E1", 1, "CUPTI failed", "fail", "the profiler reported an error: CUPTI failed"),
        ("quarantined_event", "Stream #7", 3, None, "warn",
         "3 events of Stream #7 have no usable time and were set aside"),
        ("crossing_events", "7", 6, None, "ok",
         "6 executions of stream 7 cross others; their times are united"),
        ("host_events_left_out", None, 1, "x", "unknown",
         "host events were left out: what needs them is unknown"),
        ("a_later_check", "s", 2, "said by a newer decoder", "warn", "said by a newer decoder"),
        ("a_later_check", "s", 2, None, "warn", "a_later_check"),
    ],
)  # fmt: skip
def test_what_the_decoder_noted(tiny, check, subject, value, text, status, sentence):
    tiny.window(0, 0, **GOOD)
    tiny.insert("quality_events", host="h", check_name=check, subject=subject, value=value, text=text)
    assert checks(tiny, check) == [("h", check, subject, status, value, sentence)]


def test_a_row_that_is_not_ok_has_a_remedy_where_there_is_one(tiny):
    tiny.window(0, 0, **GOOD)
    for check in ("a_later_check", "no_hlo_protos", "producer_warning"):
        tiny.insert("quality_events", check_name=check, value=1)
    tiny.rolled_up()
    query = "SELECT check_name, remedy FROM capture_quality WHERE status = 'warn' ORDER BY check_name"
    assert tiny.rows(query)[1:] == [
        ("a_later_check", None),
        ("no_hlo_protos", "jax.profiler.ProfileOptions().enable_hlo_proto = True"),
        ("producer_warning", "read what it says; capture again where it names what the run is asked about"),
    ]


def test_every_threshold_belongs_to_a_check_or_is_read(tiny):
    tiny.rolled_up()
    query = """SELECT t.name FROM thresholds t
        ANTI JOIN _quality_checks k ON t.name IN (k.check_name || '_warn', k.check_name || '_fail')
        ANTI JOIN _finding_texts f ON t.name = 'finding_' || f.finding"""
    views = "\n".join(view.sql for view in catalog.views().values())
    tracking = (catalog.ROOT.parent / "warehouse" / "track.py").read_text()
    metrics = catalog.views()["track_checks"].sql

    def is_read(name: str) -> bool:
        metric = name.removeprefix("track_").rpartition("_")[0]
        return f"'{name}'" in views or f'"{name}"' in tracking or f"'{metric}'" in metrics

    assert [name for (name,) in tiny.rows(query)[1:] if not is_read(name)] == []
