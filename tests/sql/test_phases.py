"""The view phases over tiny runs; times are picoseconds."""


def test_phases_share_the_self_time_of_the_run(tiny):
    tiny.op(1, scope="jit(step)/jvp(a)/dot_general")
    tiny.op(2, scope="jit(step)/jvp(a)/add")
    tiny.op(3, scope="jit(step)/transpose(jvp(a))/mul")
    tiny.op(4, scope="jit(step)/sgd/sub")
    tiny.op(5)
    tiny.window(0, 100)
    for op_id, start, end in ((1, 0, 10), (1, 10, 20), (2, 20, 40), (3, 40, 70), (4, 70, 75), (5, 75, 100)):
        tiny.event(op_id, start, end)
    tiny.event(4, 0, 90, is_async=True, self_ps=0)
    tiny.rolled_up()
    assert tiny.rows("SELECT * EXCLUDE (run) FROM phases ORDER BY self_ps DESC") == [
        ("phase", "op_count", "count", "self_ps", "self_share"),
        ("forward", 2, 3, 40, 0.4),
        ("backward", 1, 1, 30, 0.3),
        (None, 1, 1, 25, 0.25),
        ("other", 1, 1, 5, 0.05),
    ]


def test_no_time_no_share(tiny):
    tiny.op(1, scope="jit(step)/jvp(a)/add")
    tiny.window(0, 10)
    tiny.event(1, 5, 5)
    tiny.rolled_up()
    assert tiny.rows("SELECT phase, count, self_ps, self_share FROM phases")[1:] == [("forward", 1, 0, None)]
