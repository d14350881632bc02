"""The view collectives over tiny runs; times are picoseconds."""

import pytest

COMPUTE, ALL_GATHER, START, DONE, PERMUTE = range(1, 6)


def test_kinds_over_devices_and_their_shares_of_the_window(tiny):
    # GPU:0  GGGG......SccD......   GPU:1  ..GG................   window 20; the pair: 4 long, 2 exposed
    tiny.op(COMPUTE, opcode="fusion", name="fusion.1")
    tiny.op(ALL_GATHER, opcode="all-gather", name="all-gather.1", replica_groups="{{0,1}}", bytes_accessed=8)
    tiny.op(START, opcode="all-gather-start", replica_groups="{{0,1},{2,3}}", bytes_accessed=24)
    tiny.op(DONE, opcode="all-gather-done")
    tiny.op(PERMUTE, opcode="collective-permute")
    tiny.window(0, 20)
    tiny.event(ALL_GATHER, 0, 4, device="GPU:0")
    tiny.event(START, 10, 11, device="GPU:0", pair_id=1)
    tiny.event(COMPUTE, 11, 13, device="GPU:0")
    tiny.event(DONE, 13, 14, device="GPU:0", pair_id=1)
    tiny.event(ALL_GATHER, 2, 4, device="GPU:1")
    tiny.event(PERMUTE, 19, 20, device="GPU:1")
    tiny.rolled_up()
    columns = (
        "collective, op_count, device_count, count, total_ps, average_ps, span_ps, exposed_ps, overlapped_ps"
    )
    assert tiny.rows(f"SELECT {columns} FROM collectives ORDER BY collective") == [
        tuple(columns.split(", ")),
        ("all-gather", 2, 2, 3, 10, 3, 10, 8, 2),
        ("collective-permute", 1, 1, 1, 1, 1, 1, 1, 0),
    ]
    columns = (
        "window_share, exposed_share, total_bytes, bytes_per_s, replica_groups, group_device_count, mesh_axis"
    )
    assert tiny.rows(f"SELECT {columns} FROM collectives ORDER BY collective") == [
        tuple(columns.split(", ")),
        (0.25, 0.2, 40, 4e12, ["{{0,1},{2,3}}", "{{0,1}}"], 2, None),
        (0.05, 0.05, None, None, None, None, None),
    ]


@pytest.mark.parametrize(
    ("text", "mesh", "expected"),
    [
        ("{{0,1},{2,3},{4,5},{6,7}}", "data=4,model=2", (2, "model")),
        ("{{0,2,4,6},{1,3,5,7}}", "data=4,model=2", (4, "data")),
        ("{{0,1,2,3,4,5,6,7}}", "data=4, model=2", (8, "data+model")),
        ("{{0,4},{1,5},{2,6},{3,7}}", "pod=2,data=2,model=2", (2, "pod")),
        ("{{0,1,4,5},{2,3,6,7}}", "pod=2,data=2,model=2", (4, "pod+model")),
        ("{{0,3},{1,2}}", "data=2,model=2", (2, None)),  # a diagonal is no axis
        ("{{0,1},{2,3}}", None, (2, None)),
        ("{{0,1},{2,3}}", "2x2", (2, None)),
        ("[4,2]<=[8]", "data=4,model=2", (2, "model")),
        ("[2,4]<=[4,2]T(1,0)", "data=4,model=2", (4, "data")),
        ("[4,2]<=[2,4]T(1,0)", "data=2,model=4", (2, "data")),
        ("[2,4]<=[2,2,2]T(1,0,2)", "pod=2,data=2,model=2", (4, "pod+model")),
        ("mesh[data=8,model=2] {data}", None, (8, "data")),
        ("mesh[data=8,model=2] {model,data}", None, (16, "data+model")),
        ("mesh[axis_0=8,axis_1=2] {axis_1}", "batch=8,heads=2", (2, "heads")),
        ("mesh[axis_0=8,axis_1=2] {axis_1}", "batch=4,heads=4", (2, None)),
        ("mesh[axis_0=8,axis_1=1] {axis_0}", None, (8, None)),
        ("{}", "data=4,model=2", (None, None)),
    ],
)
def test_replica_groups_and_the_axis_of_the_mesh(tiny, text, mesh, expected):
    tiny.op(1, opcode="all-reduce", replica_groups=text)
    tiny.window(0, 10, mesh=mesh)
    tiny.event(1, 0, 1)
    tiny.rolled_up()
    assert tiny.rows("SELECT replica_groups, group_device_count, mesh_axis FROM collectives")[1:] == [
        ([text], *expected)
    ]


def test_groups_of_several_kinds(tiny):
    tiny.op(1, opcode="all-reduce", replica_groups="{{0,1},{2,3},{4,5},{6,7}}")
    tiny.op(2, opcode="all-reduce", replica_groups="{{0,2,4,6},{1,3,5,7}}")
    tiny.window(0, 10, mesh="data=4,model=2")
    tiny.event(1, 0, 1)
    tiny.event(2, 1, 2)
    tiny.rolled_up()
    assert tiny.rows("SELECT group_device_count, mesh_axis FROM collectives") == [
        ("group_device_count", "mesh_axis"),
        (None, "data,model"),
    ]
