"""The view pre_op_gaps over tiny runs; times are picoseconds."""

import pytest

GAPS = "SELECT op_id, count, total_ps, idle_ps FROM pre_op_gaps ORDER BY rank"


def ops(tiny, **opcodes):
    """Ops 1, 2, ... of these opcodes, named by the keys."""
    for op_id, (name, opcode) in enumerate(opcodes.items(), start=1):
        tiny.op(op_id, name=name, opcode=opcode, canonical_name=name, hlo_op=name)


def test_count_total_mean_and_longest_of_the_gaps_before_an_op(tiny):
    # stream 1    aaaa..bb.bbb....b    b: gaps 2, 1 and 4 in a window of 17
    ops(tiny, a="dot", b="add")
    for op_id, start, end in ((1, 0, 4), (2, 6, 8), (2, 9, 12), (2, 16, 17)):
        tiny.event(op_id, start, end)
    tiny.window(0, 17)
    tiny.rolled_up()
    columns = "rank, op_id, name, hlo_op, category, family, count, total_ps, average_ps, max_ps, idle_ps"
    assert tiny.rows(f"SELECT {columns} FROM pre_op_gaps") == [
        tuple(columns.split(", ")),
        (1, 2, "b", "b", "compute", "elementwise", 3, 7, 2, 4, 7),
    ]
    shares = "SELECT round(gap_share, 4) AS g, round(idle_share, 4) AS i FROM pre_op_gaps"
    assert tiny.rows(shares)[1:] == [(0.4118, 0.4118)]


def test_markers_pass_the_gap_on(tiny):
    # a [0,10]  iota [12,13]  bitcast [13,13]  copy-start [16,17]  b [20,30]: 2 + 0 + 3 + 3 before b
    ops(tiny, a="dot", i="iota", v="bitcast", c="copy-start", b="add")
    for op_id, start, end in ((1, 0, 10), (2, 12, 13), (3, 13, 13), (4, 16, 17), (5, 20, 30), (2, 40, 41)):
        tiny.event(op_id, start, end)
    tiny.window(0, 41)
    tiny.rolled_up()
    assert tiny.rows(GAPS)[1:] == [(5, 1, 8, 8)]  # no op came after the last iota


@pytest.mark.parametrize("facts", [{"hlo_category": "copy-start"}, {"canonical_name": "copy-start"}])
def test_markers_are_told_without_hlo_text(tiny, facts):
    ops(tiny, a="dot")
    tiny.op(2, **{"name": "copy-start.3", "canonical_name": "copy-start"} | facts)
    tiny.op(3, opcode="add")
    for op_id, start, end in ((1, 0, 10), (2, 15, 16), (3, 16, 20)):
        tiny.event(op_id, start, end)
    tiny.window(0, 20)
    tiny.rolled_up()
    assert tiny.rows(GAPS)[1:] == [(3, 1, 5, 5)]


def test_a_loop_passes_its_gap_on_and_has_none_inside(tiny):
    # a [0,10]  while [14,40] around b [15,20] and b [30,40]: 4 before the first b; in the loop it is control
    ops(tiny, a="dot", w="while", b="add")
    tiny.event(1, 0, 10)
    tiny.event(2, 14, 40, self_ps=11, is_leaf=False)
    tiny.event(3, 15, 20, parent=2)
    tiny.event(3, 30, 40, parent=2)
    tiny.window(0, 40)
    tiny.rolled_up()
    assert tiny.rows(GAPS)[1:] == [(3, 1, 4, 4)]
    assert tiny.rows("SELECT idle_ps, control_ps FROM step_breakdown")[1:] == [(4, 11)]


def test_crossing_executions_leave_the_gap_after_the_later_end(tiny):
    ops(tiny, a="dot", b="add")
    for op_id, start, end in ((1, 0, 20), (1, 5, 12), (2, 25, 30)):
        tiny.event(op_id, start, end)
    tiny.window(0, 30)
    tiny.rolled_up()
    assert tiny.rows(GAPS)[1:] == [(2, 1, 5, 5)]


def test_a_stream_may_wait_while_another_works(tiny):
    # GPU:0  stream 7   aaaa......bb..    before b 6, of which the device did nothing for 2
    #        stream 24  ..dddddd......cc  before c 6, the device did nothing for 2
    # GPU:1  stream 7   ........aa....    no gap: nothing came before
    ops(tiny, a="dot", b="add", c="tanh", d="all-reduce")
    for op_id, start, end, stream in ((1, 0, 4, "7"), (4, 2, 8, "24"), (2, 10, 12, "7"), (3, 14, 16, "24")):
        tiny.event(op_id, start, end, stream=stream, device="GPU:0")
    tiny.event(1, 8, 10, stream="7", device="GPU:1")
    tiny.window(0, 16)
    tiny.rolled_up()
    assert tiny.rows(GAPS)[1:] == [(2, 1, 6, 2), (3, 1, 6, 2)]
    # 6 of 3 streams * 16, 2 of 2 devices * 16
    assert tiny.rows("SELECT gap_share, idle_share FROM pre_op_gaps WHERE op_id = 2")[1:] == [(0.125, 0.0625)]


def test_a_transfer_in_flight_keeps_the_device_busy(tiny):
    # start [0,1] and done [30,31] of one copy: the core idles from 12 to 20, the device does not
    ops(tiny, s="copy-start", a="dot", b="add", e="copy-done", c="tanh")
    for op_id, start, end, pair in (
        (1, 0, 1, 1),
        (2, 2, 12, None),
        (3, 20, 25, None),
        (4, 30, 31, 1),
        (5, 40, 50, None),
    ):
        tiny.event(op_id, start, end, pair_id=pair)
    tiny.window(0, 50)
    tiny.rolled_up()
    assert tiny.rows(GAPS)[1:] == [(5, 1, 9, 9), (3, 1, 8, 0), (4, 1, 5, 0), (2, 1, 1, 0)]
    assert tiny.rows("SELECT idle_ps FROM step_breakdown")[1:] == [(9,)]


def test_async_spans_and_aggregated_executions_have_no_gap(tiny):
    ops(tiny, a="dot", b="add", c="copy-start")
    tiny.event(1, 0, 10)
    tiny.event(3, 0, 18, is_async=True, self_ps=0, stream="async")
    tiny.event(3, 24, 25, is_async=True, self_ps=0, stream="async")
    tiny.event(2, None, 100, occurrences=9)
    tiny.event(2, 20, 30)
    tiny.window(0, 30)
    tiny.rolled_up()
    assert tiny.rows(GAPS)[1:] == [(2, 1, 10, 2)]


def test_a_gap_between_steps_belongs_to_the_later_one(tiny):
    ops(tiny, a="dot", b="add")
    for op_id, start, end, step in ((1, 0, 10, 5), (2, 12, 20, 5), (1, 25, 30, 6), (2, 33, 40, None)):
        tiny.event(op_id, start, end, step_num=step)
    tiny.window(0, 40)
    tiny.rolled_up()
    rows = "SELECT op_id, total_ps, between_steps_ps FROM pre_op_gaps ORDER BY op_id"
    assert tiny.rows(rows)[1:] == [(1, 5, 5), (2, 5, 0)]


def test_on_one_stream_the_gaps_are_the_idle_time(ingested):
    run = ingested("gpu_amd_te_fused_attention")
    sums = "sum(total_ps)::BIGINT AS total, sum(idle_ps)::BIGINT AS idle"
    gaps = f"SELECT {sums} FROM pre_op_gaps WHERE run = $run"
    idle = "SELECT idle_ps AS total, idle_ps FROM step_breakdown WHERE run = $run AND step_num IS NULL"
    assert run.rows(gaps) == run.rows(idle)


@pytest.mark.parametrize("name", ["cpu_capture", "gpu_mi300x_jax08_conv", "tpu_v6e_4chip_inference"])
def test_gaps_are_no_more_than_the_window_and_the_idle_time(name, ingested):
    sql = """
        SELECT sum(gap_share) <= 1, sum(idle_ps) <= (
          SELECT sum(idle_ps) FROM step_breakdown WHERE run = $run AND step_num IS NULL
        ) FROM pre_op_gaps WHERE run = $run
    """
    assert ingested(name).rows(sql) == [(True, True)]
