"""Reported trouble with time: epoch times, odd durations, overlap and disorder on a line."""

import pytest
from bench import Bench
from xspace import environment, event, line, plane, space

US = 1_000_000
EPOCH_NS = 1_780_000_000_000_000_000


def gpu(*events: bytes, **options: int) -> bytes:
    return plane("/device:GPU:0", line("Stream #24(Compute)", *events, **options))


EVENTS = "SELECT name, start_ps, duration_ps, self_ps FROM op_events ORDER BY start_ps, name"

# C02: times since the epoch.

CLOSE = (
    event("a", 0, 300_000),
    event("b", 400_000, 300_000),
    event("c", 700_000, 500),
    event("d", 700_500, 500),
)


@pytest.mark.parametrize("planes", [(), (environment(EPOCH_NS),)])
def test_epoch_times_keep_every_picosecond(bench: Bench, planes: tuple[bytes, ...]) -> None:
    bench.take(space(gpu(*CLOSE, timestamp_ns=EPOCH_NS), *planes))
    assert bench.rows(EVENTS) == [
        ("a", 0, 300_000, 300_000),
        ("b", 400_000, 300_000, 300_000),
        ("c", 700_000, 500, 500),
        ("d", 700_500, 500, 500),
    ]
    assert bench.rows("SELECT profile_start_ns, window_start_ps, window_ps FROM runs") == [
        (EPOCH_NS, 0, 701_000)
    ]
    assert bench.rows("SELECT idle_ps FROM step_breakdown") == [(100_000,)]  # the gap between a and b
    gap = "SELECT name, count, total_ps, max_ps, idle_ps FROM pre_op_gaps"
    assert bench.rows(gap) == [("b", 1, 100_000, 100_000, 100_000)]


def test_lines_since_the_epoch_and_since_the_start_meet_on_one_timeline(bench: Bench) -> None:
    since_epoch = line("Stream #1", event("a", 5, 10), timestamp_ns=EPOCH_NS + 7)
    since_start = [line(f"Stream #{i}", event("b", 5, 10), timestamp_ns=7) for i in (2, 3)]
    bench.take(space(plane("/device:GPU:0", since_epoch, *since_start), environment(EPOCH_NS)))
    assert bench.rows("SELECT DISTINCT start_ps FROM op_events") == [(7005,)]


@pytest.mark.parametrize("timestamp_ns", [1 << 62, -(1 << 63), (1 << 63) - 1])
def test_a_line_out_of_all_time_is_set_aside(bench: Bench, timestamp_ns: int) -> None:
    lost = line("Stream #2(Compute)", event("lost", 0, 10), timestamp_ns=timestamp_ns)
    bench.take(
        space(
            plane("/device:GPU:0", line("Stream #1(Compute)", event("a", 0, 10)), lost), environment(EPOCH_NS)
        )
    )
    assert bench.rows("SELECT name, start_ps FROM op_events") == [("a", 0)]
    quality = "SELECT check_name, subject, value FROM quality_events WHERE check_name = 'quarantined_event'"
    assert bench.rows(quality) == [("quarantined_event", "/device:GPU:0 Stream #2(Compute)", 1)]


# C03: zero, aggregated, lost and negative times.


def test_odd_events_are_counted_or_set_aside(bench: Bench) -> None:
    odd = (
        event("instant", 1000, 0),
        event("aggregate", duration_ps=8_000 * US, occurrences=40),
        event("early", -5000, 100),
        event("negative", 2000, -1),
        event("kernel", 3000, 500),
    )
    lost = line("Stream #7(Compute)", event("zero", 0, 0))
    bench.take(space(plane("/device:GPU:0", line("Stream #24(Compute)", *odd, timestamp_ns=EPOCH_NS), lost)))
    assert bench.rows(
        "SELECT name, start_ps, duration_ps, self_ps, occurrences FROM op_events ORDER BY name"
    ) == [
        ("aggregate", None, 8_000 * US, 8_000 * US, 40),
        ("instant", 1000, 0, 0, 1),
        ("kernel", 3000, 500, 500, 1),
    ]
    assert bench.rows("SELECT window_start_ps, window_ps FROM runs") == [(1000, 2500)]
    quality = (
        "SELECT subject, value FROM quality_events WHERE check_name = 'quarantined_event' ORDER BY subject"
    )
    assert bench.rows(quality) == [
        ("/device:GPU:0 Stream #24(Compute)", 2),
        ("/device:GPU:0 Stream #7(Compute)", 1),
    ]


def test_an_aggregate_counts_in_totals_and_lies_on_no_timeline(bench: Bench) -> None:
    bench.take(space(gpu(event("k", 0, 1000), event("k", duration_ps=8_000 * US, occurrences=40))))
    totals = "SELECT count, total_ps, self_ps FROM op_stats"
    assert bench.rows(totals) == [(41, 8_000 * US + 1000, 8_000 * US + 1000)]
    assert bench.rows("SELECT window_ps, compute_only_ps, idle_ps FROM step_breakdown") == [(1000, 1000, 0)]


def test_a_negative_number_of_occurrences_is_set_aside(bench: Bench) -> None:
    bench.take(space(gpu(event("k", 0, 10), event("k", duration_ps=10, occurrences=-3))))
    assert bench.rows("SELECT count FROM op_stats") == [(1,)]


# C04: overlap and disorder on a line.


def test_kernels_that_overlap_on_a_stream_are_both_kept(bench: Bench) -> None:
    bench.take(space(gpu(event("first", 0, 10 * US), event("second", 8 * US, 12 * US))))
    assert bench.rows(EVENTS) == [("first", 0, 10 * US, 8 * US), ("second", 8 * US, 12 * US, 12 * US)]
    assert bench.rows("SELECT compute_only_ps, idle_ps FROM step_breakdown") == [(20 * US, 0)]
    quality = "SELECT subject, value FROM quality_events WHERE check_name = 'crossing_events'"
    assert bench.rows(quality) == [("24", 1)]


def test_a_thread_out_of_order_is_sorted(bench: Bench) -> None:
    thread = line("worker/12", event("a", 50, 5), event("b", 10, 40), event("c", 30, 10))
    bench.take(space(plane("/host:CPU", thread)))
    rows = bench.rows("SELECT name, start_ps, self_ps FROM host_events ORDER BY start_ps")
    assert rows == [("b", 10, 30), ("c", 30, 10), ("a", 50, 5)]


def test_a_parent_keeps_the_time_that_its_children_leave(bench: Bench) -> None:
    bench.take(space(gpu(event("parent", 0, 100), event("x", 10, 30), event("y", 40, 20))))
    assert bench.rows(EVENTS) == [("parent", 0, 100, 50), ("x", 10, 30, 30), ("y", 40, 20, 20)]
    assert bench.rows("SELECT count(*) AS n FROM quality_events WHERE check_name = 'crossing_events'") == [
        (0,)
    ]


# C02 over several hosts.


def test_hosts_are_rebased_to_the_earliest_and_a_bogus_clock_keeps_its_own_zero(bench: Bench) -> None:
    for host, start_ns in (("a", EPOCH_NS + 3), ("b", EPOCH_NS), ("c", 2 * EPOCH_NS)):
        ops = plane("/device:GPU:0", line("Stream #1", event("k", 10, 5)))
        bench.write(f"2026_01_01_00_00_00/{host}.xplane.pb", space(ops, environment(start_ns)))
    bench.ingest()
    assert bench.rows("SELECT host, start_ps FROM op_events ORDER BY host") == [
        ("a", 3010),
        ("b", 10),
        ("c", 10),
    ]
    offsets = "SELECT host, host_offset_ps FROM profile_files ORDER BY host"
    assert bench.rows(offsets) == [("a", 3000), ("b", 0), ("c", None)]
    quality = "SELECT host, check_name FROM quality_events WHERE check_name = 'clock_unknown'"
    assert bench.rows(quality) == [("c", "clock_unknown")]
    assert bench.rows("SELECT profile_start_ns FROM runs") == [(EPOCH_NS,)]
