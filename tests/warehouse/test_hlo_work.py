"""Flops and bytes from HLO shapes: real programs worked by hand, and the library calls of GPUs."""

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from bench import Bench
from xspace import event, line, plane, space

from profdb.sql.engine import Settings
from profdb.warehouse.hlo import read_modules
from profdb.warehouse.hlo_work import NOTHING, Work
from profdb.warehouse.ingest import ingest
from profdb.warehouse.reader import open_session
from profdb.warehouse.xplane.plane import EventName, Plane, StatValue
from profdb.warehouse.xplane.schema import message

Rows = list[tuple[object, ...]]
F32, BF16, U8 = 11, 16, 6


@pytest.fixture(scope="module")
def captured(tmp_path_factory: pytest.TempPathFactory) -> tuple[dict[str, float], Callable[[str], Rows]]:
    """XLA's own flops by program, and a query to the warehouse with the programs' profile."""
    folder = tmp_path_factory.mktemp("work")
    script = Path(__file__).parents[1] / "oracles" / "work_capture.py"
    done = subprocess.run([sys.executable, str(script), str(folder / "log")], check=True, capture_output=True)
    ingest([str(folder / "log")], str(folder / "warehouse"), run="r")

    def rows(sql: str) -> Rows:
        with open_session(str(folder / "warehouse"), Settings()) as session:
            return [tuple(row.values()) for row in session.query(sql, {}).table.to_pylist()]

    return json.loads(done.stdout), rows


WORKED = {
    # 2 * 3 * 7 results * 5 contracted; 4 bytes * (3*5 + 5*7 + 3*7)
    "matmul": (210, 284),
    # 2 * 4*8*32 results * 16 contracted; 4 bytes * (4*8*16 + 4*16*32 + 4*8*32)
    "batch": (32_768, 14_336),
    # 2 * 64*16 results * 32 contracted
    "fused": (65_536, None),
    # rows 2o-1 to 2o+1 of 9 for o = 0 to 4: 2+3+3+3+2 = 13; columns o and o+2 of 8 for o = 0 to 6: 7+6 = 13
    # 2 * batch 2 * 2 input features of a group * 6 output features * 13 * 13
    # 4 bytes * (2*9*8*4 + 3*2*2*6 + 2*5*7*6)
    "conv": (8_112, 4_272),
    # SAME, stride 2: 10 outputs of 5 inputs; positions on holes do nothing: 14 of 30 a dimension
    # 2 * 3 input features * 2 output features * 14 * 14; 4 bytes * (5*5*3 + 3*3*3*2 + 10*10*2)
    "upsample": (2_352, 1_316),
    # the same products as forward
    "kernel_gradient": (8_112, 4_272),
}


def test_real_programs_worked_by_hand(
    captured: tuple[dict[str, float], Callable[[str], Rows]],
) -> None:
    found = captured[1](
        "SELECT module, sum(flops)::BIGINT, sum(bytes_accessed)::BIGINT, min(flops_source) FROM ops "
        "WHERE flops IS NOT NULL AND module <> 'jit_looped' GROUP BY module"
    )
    bytes_of = {name: moved for name, (_, moved) in WORKED.items()}
    assert {(name, flops, source) for name, flops, _, source in found} == {
        (f"jit_{name}", flops, "hlo_shapes") for name, (flops, _) in WORKED.items()
    }
    for name, _, moved, _ in found:
        assert bytes_of[str(name).removeprefix("jit_")] in (moved, None)


def test_xla_counts_the_same(captured: tuple[dict[str, float], Callable[[str], Rows]]) -> None:
    elementwise = {"fused": 64 * 16}  # of the addition; XLA counts tanh apart
    for name, (flops, _) in WORKED.items():
        assert flops + elementwise.get(name, 0) == captured[0][name]


def test_a_loop_has_the_flops_of_its_ops_alone(
    captured: tuple[dict[str, float], Callable[[str], Rows]],
) -> None:
    looped = "FROM op_stats JOIN ops USING (run, op_id) WHERE module = 'jit_looped'"
    assert captured[1](f"SELECT sum(total_flops)::BIGINT {looped}") == [(3 * 2 * 16 * 16 * 16,)]
    sql = "SELECT flops FROM ops WHERE module = 'jit_looped' AND opcode = 'while'"
    assert captured[1](sql) == [(None,)]


def shape(*sizes: int, kind: int = F32) -> dict[str, object]:
    return {"element_type": kind, "dimensions": sizes}


def proto(instructions: list[dict[str, object]], *called: list[dict[str, object]]) -> bytes:
    """A program whose computations are numbered from 1, `called` from 2."""
    computations = [
        {"id": number, "instructions": body, "root_id": body[-1]["id"]}
        for number, body in enumerate([instructions, *called], start=1)
    ]
    module = {"name": b"jit_f", "computations": computations}
    return bytes(message("HloProto")(hlo_module=module).SerializeToString())


def work(instructions: list[dict[str, object]], *called: list[dict[str, object]]) -> Work:
    """The work of the last instruction."""
    stats: dict[str, StatValue] = {"Hlo Proto": proto(instructions, *called)}
    found = Plane("/host:metadata", {}, [], {}, {7: None}, {7: EventName("jit_f(5)", "", stats)})
    (module,) = read_modules(found)
    instruction = module.instruction(str(bytes(instructions[-1]["name"]), "utf-8"))  # type: ignore[arg-type]
    assert instruction is not None
    return instruction.work


def given(number: int, *sizes: int, kind: int = F32) -> dict[str, object]:
    named = {"id": number, "name": f"p{number}".encode(), "opcode": b"parameter"}
    return named | {"shape": shape(*sizes, kind=kind)}


def call(target: str, result: dict[str, object], **more: object) -> dict[str, object]:
    """A library call on the instructions 1 and 2, which gives back its scratch space too."""
    results = {"element_type": 13, "tuple_shapes": [result, shape(1 << 20, kind=U8)]}
    named = {"id": 3, "name": b"call.1", "opcode": b"custom-call", "custom_call_target": target.encode()}
    return named | {"shape": results, "operand_ids": [1, 2]} | more


def dot(number: int, left: int, right: int, result: dict[str, object], contracted: int) -> dict[str, object]:
    named = {"id": number, "name": f"dot.{number}".encode(), "opcode": b"dot", "shape": result}
    numbers = {"dot_dimension_numbers": {"lhs_contracting_dimensions": [contracted]}}
    return named | {"operand_ids": [left, right]} | numbers


def test_a_gemm_call_tells_in_its_configuration_what_it_contracts() -> None:
    config = (
        b'{"gemm_backend_config":{"alpha_real":1,"dot_dimension_numbers":{"lhs_contracting_dimensions":["1"],'
        b'"rhs_contracting_dimensions":["1"],"lhs_batch_dimensions":[]}}}'
    )
    operands = [given(1, 4096, 6144, kind=BF16), given(2, 2048, 6144, kind=BF16)]
    gemm = call("__cublas$gemm", shape(4096, 2048, kind=BF16), backend_config=config)
    moved = 2 * (4096 * 6144 + 2048 * 6144 + 4096 * 2048)
    assert work([*operands, gemm]) == Work(2 * 4096 * 2048 * 6144, moved)
    assert work([*operands, gemm | {"backend_config": b"{}"}]) == NOTHING
    assert work([*operands, gemm | {"custom_call_target": b"attention"}]) == NOTHING


@pytest.mark.parametrize(
    ("target", "shapes"),
    [
        ("__cudnn$convForward", "xky"),
        ("__cudnn$convBackwardInput", "ykx"),
        ("__cudnn$convBackwardFilter", "xyk"),
    ],
)
def test_a_cudnn_call_has_the_forward_convolution_s_numbers(target: str, shapes: str) -> None:
    # one dimension: 6 inputs, a window of 3, stride 1, padding 1: 2+3+3+3+3+2 = 16 positions
    sizes = {"x": (2, 6, 4), "k": (3, 4, 8), "y": (2, 6, 8)}
    first, second, result = (sizes[name] for name in shapes)
    numbers = {
        "kernel_input_feature_dimension": 1,
        "kernel_output_feature_dimension": 2,
        "input_spatial_dimensions": [1],
        "output_spatial_dimensions": [1],
    }
    window = {"dimensions": [{"size": 3, "stride": 1, "padding_low": 1, "window_dilation": 1}]}
    conv = call(target, shape(*result), window=window, convolution_dimension_numbers=numbers)
    moved = 4 * (2 * 6 * 4 + 3 * 4 * 8 + 2 * 6 * 8)
    assert work([given(1, *first), given(2, *second), conv]) == Work(2 * 2 * 4 * 8 * 16, moved)


def test_a_fusion_and_a_call_do_what_is_in_them() -> None:
    inner = [given(4, 8, 16), given(5, 16, 4), dot(6, 4, 5, shape(8, 4), contracted=1)]
    fusion = {"id": 3, "name": b"f", "opcode": b"fusion", "shape": shape(8, 4), "operand_ids": [1, 2]}
    outer = [given(1, 8, 16), given(2, 16, 4), fusion | {"called_computation_ids": [2]}]
    moved = 4 * (8 * 16 + 16 * 4 + 8 * 4)
    assert work(outer, inner) == Work(2 * 8 * 4 * 16, moved)
    nested = [given(7, 8, 16), given(8, 16, 4), fusion | {"id": 9, "called_computation_ids": [2]}]
    deep = [*outer[:2], outer[2] | {"opcode": b"call", "called_computation_ids": [3]}]
    assert work(deep, inner, nested) == Work(2 * 8 * 4 * 16, moved)
    # what reads a part of an operand does not tell how many bytes
    part = {"id": 10, "name": b"s", "opcode": b"dynamic-slice", "shape": shape(8, 16)}
    assert work(outer, [part, *inner]) == Work(2 * 8 * 4 * 16, None)
    assert work([*outer[:2], fusion | {"called_computation_ids": [2]}], [given(4, 8)]) == NOTHING


def test_an_operand_that_is_not_there_has_no_bytes() -> None:
    lost = dot(3, 1, 99, shape(8, 4), 1)
    assert work([given(1, 8, 16), lost]) == Work(2 * 8 * 4 * 16, None)


@pytest.mark.parametrize(
    "odd",
    [
        {"operand_ids": []},
        {"operand_ids": [99, 2]},
        {"dot_dimension_numbers": {"lhs_contracting_dimensions": [7]}},
        {"shape": shape(-1, 4)},
        {"shape": shape(1 << 62, 1 << 62)},
    ],
)
def test_numbers_that_do_not_fit_tell_nothing(odd: dict[str, object]) -> None:
    assert work([given(1, 8, 16), given(2, 16, 4), dot(3, 1, 2, shape(8, 4), 1) | odd]) == NOTHING


def test_a_computation_that_calls_itself_and_an_endless_window_end() -> None:
    fusion = {"id": 3, "name": b"f", "opcode": b"fusion", "shape": shape(4), "called_computation_ids": [1]}
    assert work([given(1, 4), fusion]) == NOTHING
    window = {"dimensions": [{"size": 1 << 60, "stride": 1}]}
    numbers = {"input_spatial_dimensions": [0], "output_spatial_dimensions": [0]}
    conv = {"id": 3, "name": b"c", "opcode": b"convolution", "shape": shape(1 << 60), "operand_ids": [1, 2]}
    odd = conv | {"window": window, "convolution_dimension_numbers": numbers}
    assert work([given(1, 1 << 60), given(2, 1 << 60), odd]) == NOTHING


def test_the_longest_kernel_of_an_instruction_did_its_work(bench: Bench) -> None:
    operands = [given(1, 8, 16), given(2, 16, 4)]
    stats = {"hlo_op": "dot.3", "hlo_module": "jit_f", "program_id": 5}
    kernels = [event("im2col", 0, 10, stats), event("gemm", 10, 40, stats), event("gemm", 50, 30, stats)]
    told = event("copy", 90, 5, stats | {"hlo_op": "p1"})
    hlo = event("jit_f(5)", constants={"Hlo Proto": proto([*operands, dot(3, 1, 2, shape(8, 4), 1)])})
    gpu = plane("/device:GPU:0", line("Stream #1(Compute)", *kernels, told))
    bench.take(space(gpu, plane("/host:metadata", unused=(hlo,))))
    sql = "SELECT name, flops, flops_source, bytes_accessed, bytes_source FROM ops ORDER BY name"
    assert bench.rows(sql) == [
        ("copy", None, None, None, None),
        ("gemm", 1024, "hlo_shapes", 896, "hlo_shapes"),
        ("im2col", 0, "hlo_shapes", None, None),
    ]
    assert bench.rows("SELECT total_flops FROM op_stats WHERE total_flops > 0") == [(2048,)]


def test_the_producer_s_numbers_win(bench: Bench) -> None:
    stats = {"hlo_op": "dot.3", "hlo_module": "jit_f", "program_id": 5}
    hlo = proto([given(1, 8, 16), given(2, 16, 4), dot(3, 1, 2, shape(8, 4), 1)])
    program = event("jit_f(5)", constants={"Hlo Proto": hlo})
    kernel = event("gemm", 0, 10, stats, constants={"flops": 7})
    gpu = plane("/device:GPU:0", line("Stream #1(Compute)", kernel))
    bench.take(space(gpu, plane("/host:metadata", unused=(program,))))
    sql = "SELECT flops, flops_source, bytes_accessed, bytes_source FROM ops"
    assert bench.rows(sql) == [(7, "producer", 896, "hlo_shapes")]
