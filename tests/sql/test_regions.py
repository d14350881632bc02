"""The view regions over tiny runs; times are picoseconds."""


def test_a_region_holds_all_below_it_in_every_phase(tiny):
    scopes = {
        "jit(step)/jvp(layer0)/mlp/dot_general": 10,
        "jit(step)/transpose(jvp(layer0))/mlp/dot_general": 20,
        "jit(step)/transpose(jvp(layer0))/jvp(layer0)/checkpoint/rematted_computation/mlp/tanh": 5,
        "jit(step)/jvp(layer0)/add": 3,
        "jit(step)/jvp(layer01)/add": 2,  # no part of layer0
        "jit(step)/sub": 4,
        None: 6,
    }
    tiny.window(0, 50)
    at = 0
    for op_id, (scope, duration) in enumerate(scopes.items()):
        tiny.op(op_id, scope=scope)
        tiny.event(op_id, at, at + duration)
        at += duration
    tiny.event(0, 0, 40, is_async=True, self_ps=0)
    tiny.rolled_up()
    columns = (
        "region, parent, depth, op_count, inclusive_ps, exclusive_ps, forward_ps, backward_ps, recompute_ps"
    )
    columns += ", other_ps"
    assert tiny.rows(f"SELECT {columns} FROM regions ORDER BY depth NULLS LAST, region") == [
        tuple(columns.split(", ")),
        ("", None, 0, 6, 44, 4, 15, 20, 5, 4),
        ("layer0", "", 1, 4, 38, 3, 13, 20, 5, 0),
        ("layer01", "", 1, 1, 2, 2, 2, 0, 0, 0),
        ("layer0/mlp", "layer0", 2, 3, 35, 35, 10, 20, 5, 0),
        (None, None, None, 1, 6, 6, 0, 0, 0, 6),
    ]
    shares = "inclusive_share, exclusive_share, round(recompute_share, 4) AS recompute_share"
    assert tiny.rows(f"SELECT {shares} FROM regions WHERE region = 'layer0/mlp'")[1:] == [(0.7, 0.7, 0.1429)]
    assert tiny.rows("SELECT sum(exclusive_share) AS s FROM regions")[1:] == [(1,)]


def test_a_region_without_ops_of_its_own_is_a_row(tiny):
    tiny.op(1, scope="jit(f)/a/é/c/add")
    tiny.window(0, 10)
    tiny.event(1, 0, 10)
    tiny.rolled_up()
    assert tiny.rows("SELECT region, parent, exclusive_ps FROM regions ORDER BY depth")[1:] == [
        ("", None, 0),
        ("a", "", 0),
        ("a/é", "a", 0),
        ("a/é/c", "a/é", 10),
    ]


def test_regions_of_a_real_training_run_add_up(ingested):
    run = ingested("cpu_capture")
    total = "SELECT sum(self_ps) FROM op_stats WHERE run = $run"
    own = "SELECT sum(exclusive_ps) FROM regions WHERE run = $run"
    assert run.rows(own) == run.rows(total)
    assert run.rows("SELECT inclusive_share FROM regions WHERE run = $run AND region = ''") == [(1.0,)]
    layers = "SELECT region FROM regions WHERE run = $run AND depth = 1 AND recompute_ps > 0 ORDER BY region"
    assert run.rows(layers) == [("layer0",), ("layer1",), ("layer2",), ("layer3",)]
