"""The view op_families over tiny runs; times are picoseconds."""


def test_families_share_the_self_time_of_all_devices(tiny):
    # matmul 30 + 10 + 20 = 60    attention 40    control: the loop's own 5
    tiny.op(1, opcode="dot", name="dot.1", flops=100, bytes_accessed=7)
    tiny.op(2, opcode="dot", name="dot.2")
    tiny.op(3, name="flash_fwd_kernel")
    tiny.op(4, opcode="while", name="while.1", flops=900, bytes_accessed=900)
    tiny.window(0, 100)
    tiny.event(1, 0, 30, device="GPU:0")
    tiny.event(1, 0, 10, device="GPU:1")
    tiny.event(2, 30, 50, device="GPU:0")
    tiny.event(3, 50, 90, device="GPU:0")
    tiny.event(4, 10, 100, device="GPU:1", self_ps=5, is_leaf=False)
    tiny.event(3, 0, 80, is_async=True, self_ps=0, device="GPU:0")
    tiny.rolled_up()
    columns = "family, op_count, count, total_ps, self_ps, hottest_op_id, hottest_name"
    assert tiny.rows(f"SELECT {columns} FROM op_families ORDER BY self_ps DESC") == [
        tuple(columns.split(", ")),
        ("matmul", 2, 3, 60, 60, 1, "dot.1"),
        ("attention", 1, 1, 40, 40, 3, "flash_fwd_kernel"),
        ("other", 1, 1, 90, 5, 4, "while.1"),
    ]
    shares = "round(self_share, 4) AS self_share, round(hottest_share, 4) AS hottest_share"
    assert tiny.rows(f"SELECT {shares} FROM op_families ORDER BY self_ps DESC")[1:] == [
        (0.5714, 0.6667),
        (0.381, 1),
        (0.0476, 1),
    ]
    # 200 flops in the 40 ps of op 1; what is known of the loop is what its ops do
    work = "total_flops, total_bytes, ps_per_flop, round(flops_known_share, 4) AS flops_known_share"
    assert tiny.rows(f"SELECT {work} FROM op_families ORDER BY self_ps DESC") == [
        ("total_flops", "total_bytes", "ps_per_flop", "flops_known_share"),
        (200, 14, 0.2, 0.6667),
        (None, None, None, 0),
        (None, None, None, 0),
    ]


def test_ops_that_took_no_time_or_no_flops_have_no_ratio(tiny):
    tiny.op(1, opcode="copy", flops=0)
    tiny.window(0, 10)
    tiny.event(1, 5, 5)
    tiny.rolled_up()
    columns = "family, self_ps, self_share, total_flops, ps_per_flop, flops_known_share, hottest_share"
    assert tiny.rows(f"SELECT {columns} FROM op_families")[1:] == [("copy", 0, None, 0, None, None, None)]


def test_flops_beyond_64_bits_are_unknown_and_their_rate_is_not(tiny):
    tiny.op(1, opcode="dot", flops=1 << 62)
    tiny.op(2, opcode="dot", flops=1 << 62, bytes_accessed=1)
    tiny.window(0, 10)
    tiny.event(1, 0, 2)
    tiny.event(2, 2, 4)
    tiny.rolled_up()
    assert tiny.rows("SELECT total_flops, ps_per_flop FROM op_families")[1:] == [(None, 4 / (1 << 63))]
