"""HLO instructions from the text that TPU profiles carry, and from protos."""

from profdb.warehouse.hlo import Instruction, parse_text, read_modules, shape_text, split_program
from profdb.warehouse.xplane.plane import EventName, Plane, StatValue
from profdb.warehouse.xplane.schema import message


def test_a_collective_with_groups_and_channel() -> None:
    text = (
        "%all-reduce.3 = f32[8,128]{1,0:T(8,128)} all-reduce(f32[8,128]{1,0:T(8,128)} %fusion.1), "
        "channel_id=7, replica_groups={{0,1},{2,3}}, use_global_device_ids=true, to_apply=%add"
    )
    assert parse_text(text) == Instruction(
        name="all-reduce.3",
        opcode="all-reduce",
        shape="f32[8,128]{1,0:T(8,128)}",
        operands=("fusion.1",),
        replica_groups="{{0,1},{2,3}}",
        channel_id=7,
    )


def test_a_tuple_shape_and_two_operands() -> None:
    text = "%ag = (f32[4]{0}, (s32[]{:T(128)}, u8[2]{0})) all-gather-start(f32[4]{0} %a, s32[] %b), x={0}"
    found = parse_text(text)
    assert found is not None
    assert (found.opcode, found.shape) == ("all-gather-start", "(f32[4]{0}, (s32[]{:T(128)}, u8[2]{0}))")
    assert found.operands == ("a", "b")


def test_a_custom_call_and_iota_groups() -> None:
    found = parse_text('%c = f32[] custom-call(f32[] %x), custom_call_target="tpu_custom_call"')
    assert found is not None
    assert found.custom_call_target == "tpu_custom_call"
    found = parse_text(
        "%r = f32[2]{0} reduce-scatter(f32[4]{0} %x), replica_groups=[2,4]<=[8]T(1,0), dimensions={0}"
    )
    assert found is not None
    assert found.replica_groups == "[2,4]<=[8]T(1,0)"


def test_other_event_names_are_no_hlo() -> None:
    assert parse_text("loop_fusion_3") is None
    assert parse_text("a = b") is None
    assert parse_text("") is None


def test_program_ids_are_unsigned() -> None:
    assert split_program("jit_f(12190760917235803885)") == ("jit_f", 12190760917235803885)
    assert split_program("jit_f(-8800332967749297542)") == ("jit_f", 9646411105960254074)
    assert split_program("jit_f") == ("jit_f", None)


def test_shapes_of_protos() -> None:
    shape = message("Shape")
    matrix = shape(element_type=11, dimensions=[32, 128], layout={"minor_to_major": [1, 0]})
    assert shape_text(matrix) == "f32[32,128]{1,0}"
    assert shape_text(shape(element_type=13, tuple_shapes=[matrix, shape(element_type=1)])) == (
        "(f32[32,128]{1,0}, pred[])"
    )
    assert shape_text(shape()) is None


def collective(**fields: object) -> str | None:
    """Replica groups of an all-reduce whose proto has these fields."""
    module = {
        "computations": [{"id": 1, "instructions": [{"name": b"ar", "opcode": b"all-reduce", **fields}]}]
    }
    proto = message("HloProto")(hlo_module=module)
    stats: dict[str, StatValue] = {"Hlo Proto": proto.SerializeToString()}
    plane = Plane("/host:metadata", {}, [], {}, {7: None}, {7: EventName("jit_f(5)", "", stats)})
    (found,) = read_modules(plane)
    assert (found.name, found.program_id) == ("jit_f", 5)
    instruction = found.instruction("ar")
    return instruction and instruction.replica_groups


def test_replica_groups_in_every_form() -> None:
    groups = [{"replica_ids": [0, 1]}, {"replica_ids": [2, 3]}]
    iota = {
        "num_replica_groups": 2,
        "num_devices_per_group": 4,
        "iota_reshape_dims": [8],
        "iota_transpose_perm": [0],
    }
    mesh = {"mesh": {"axes": [{"name": b"data", "size": 8}, {"name": b"model", "size": 2}]}, "axes": [{}]}
    assert collective() is None
    assert collective(replica_groups=groups) == "{{0,1},{2,3}}"
    assert collective(collective_device_list={"replica_groups": groups}) == "{{0,1},{2,3}}"
    assert collective(collective_device_list={"iota": iota}) == "[2,4]<=[8]T(0)"
    assert collective(iota_collective_device_list=iota) == "[2,4]<=[8]T(0)"
    assert collective(mesh_axes_replica_group_list=mesh) == "mesh[data=8,model=2] {data}"
