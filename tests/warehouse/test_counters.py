"""Counter lines: one row per sample, on TPUs, GPUs and the host."""

from bench import Bench
from xspace import event, line, plane, space, uint64


def test_samples_of_every_kind(bench: Bench) -> None:
    bench.take(
        space(
            # TPU: the event is the counter, the stat is its unit.
            plane(
                "/device:TPU:0",
                line("XLA Ops", event("fusion.1", 0, 100)),
                line(
                    "_counters_",
                    event("MXU", 10, 0, {"% util": 61.5}),
                    event("Vector Fills", 20, 0, {"fills": 3.0}),
                ),
            ),
            # GPU: the stat is named as the metric.
            plane(
                "/device:GPU:1",
                line("Stream #1(Compute)", event("kernel", 0, 50)),
                line("_counters_", event("sm__cycles", 30, 0, {"sm__cycles": 7.0})),
            ),
            plane("/host:CPU", line("_counters_", event("CYCLES", 40, 0, {"counter_value": uint64(2**63)}))),
            hostnames=("h",),
        )
    )
    assert bench.rows("SELECT device, name, at_ps, value, unit FROM counters ORDER BY at_ps") == [
        ("TPU:0", "MXU", 10, 61.5, "% util"),
        ("TPU:0", "Vector Fills", 20, 3.0, "fills"),
        ("GPU:1", "sm__cycles", 30, 7.0, None),
        (None, "CYCLES", 40, 2.0**63, None),
    ]


def test_a_value_that_is_not_finite_is_null_and_told(bench: Bench) -> None:
    bench.take(
        space(
            plane("/device:TPU:0", line("_counters_", event("MXU", 10, 0, {"% util": float("nan")}))),
            hostnames=("h",),
        )
    )
    assert bench.rows("SELECT name, value, unit FROM counters") == [("MXU", None, "% util")]
    assert bench.rows(
        "SELECT check_name, subject, value FROM quality_events WHERE check_name = 'non_finite_stat'"
    ) == [("non_finite_stat", "% util", 1)]
