"""What mutated profiles have brought to light, each as the smallest profile that shows it."""

from bench import Bench
from xspace import event, line, marker, plane, space


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
