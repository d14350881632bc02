"""What an HLO instruction computes and moves, from its shapes: dots, convolutions, and what calls them.

Counted as XLA's own HloCostAnalysis counts: a multiplication and its addition are 2 flops, and positions of a
convolution's window that lie in the padding or in holes of a dilation do nothing.
"""

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from .xplane.text import text_of

ELEMENT_TYPES = {
    1: "pred", 2: "s8", 3: "s16", 4: "s32", 5: "s64", 6: "u8", 7: "u16", 8: "u32", 9: "u64", 10: "f16",
    11: "f32", 12: "f64", 15: "c64", 16: "bf16", 17: "token", 18: "c128", 19: "f8e5m2", 20: "f8e4m3fn",
    21: "s4", 22: "u4", 23: "f8e4m3b11fnuz", 24: "f8e5m2fnuz", 25: "f8e4m3fnuz", 26: "s2", 27: "u2",
    28: "f8e4m3", 29: "f8e3m4", 32: "f4e2m1fn", 33: "f8e8m0fnu",
}  # fmt: skip
_BITS = {
    number: 8 if name == "pred" else int(bits[0]) if (bits := re.search(r"\d+", name)) else 0
    for number, name in ELEMENT_TYPES.items()
}
_HEAVY = ("dot", "convolution")
_CALLERS = frozenset({"fusion", "call"})
# These read or write a part of an operand, so that its size does not tell the bytes.
_PARTIAL = frozenset({"slice", "dynamic-slice", "dynamic-update-slice", "gather", "scatter"})
_GEMM_TARGETS = frozenset({"__cublas$gemm", "__cublas$lt$matmul", "__cublas$lt$matmul$f8"})
_CONTRACTED = re.compile(r'"lhs_contracting_dimensions":\s*\[([^\]]*)\]')
# Where input, kernel and output are (-1: the result): cuDNN calls keep the forward convolution's numbers.
_CONVOLUTIONS = {
    "convolution": (0, 1, -1),
    "__cudnn$convForward": (0, 1, -1),
    "__cudnn$convBiasActivationForward": (0, 1, -1),
    "__cudnn$convBackwardInput": (-1, 1, 0),
    "__cudnn$convBackwardFilter": (0, -1, 1),
}
_DEPTH = 20  # of computations that call each other
_WINDOW = 1 << 16
_MOST = (1 << 63) - 1


@dataclass(frozen=True)
class Work:
    """What one execution does: flops, and bytes of operands and result, each moved once. None: not told."""

    flops: int | None = None
    bytes_accessed: int | None = None


NOTHING = Work()


@dataclass(frozen=True)
class _Inside:
    """What a computation holds, in all computations that it calls."""

    heavy: str | None = None
    """The opcode that it is named by: dot or convolution."""
    flops: int | None = None
    is_partial: bool = False


@dataclass
class ModuleWork:
    """The work of the instructions of one program."""

    computations: dict[int, Any]
    instructions: dict[int, Any]
    _known: dict[int, _Inside] = field(default_factory=dict)

    def wrapped(self, raw: Any) -> str | None:
        """Opcode that an async wrapper or a fusion stands for: a dot or convolution in it, else its root."""
        opcode = raw.opcode.decode("utf-8", "replace")
        called = next((i for i in raw.called_computation_ids if i in self.computations), None)
        if called is None or not (opcode == "fusion" or opcode.startswith("async-")):
            return None
        if heavy := self._inside(called, 0).heavy:
            return heavy
        root = self.instructions.get(self.computations[called].root_id)
        return text_of(root.opcode) if root is not None else None

    def work(self, raw: Any) -> Work:
        """Flops and bytes of an instruction; NOTHING where no dot or convolution is in it."""
        flops = self._flops(raw, 0)
        if flops is None or flops > _MOST:
            return NOTHING
        is_partial = any(self._inside(i, 0).is_partial for i in raw.called_computation_ids)
        return Work(flops, None if is_partial else self._bytes(raw))

    def _inside(self, computation: int, depth: int) -> _Inside:
        if computation not in self._known:
            if depth > _DEPTH or computation not in self.computations:
                return _Inside()
            self._known[computation] = _Inside()  # for one that calls itself
            self._known[computation] = self._look(self.computations[computation].instructions, depth)
        return self._known[computation]

    def _look(self, instructions: Sequence[Any], depth: int) -> _Inside:
        heavy, flops, is_partial = set(), [], False
        for raw in instructions:
            opcode = raw.opcode.decode("utf-8", "replace")
            is_partial = is_partial or opcode in _PARTIAL
            if opcode in _HEAVY or opcode == "custom-call":
                heavy.add(opcode)
            elif opcode in _CALLERS:
                called = [self._inside(i, depth + 1) for i in raw.called_computation_ids]
                heavy.update(one.heavy for one in called if one.heavy)
                is_partial = is_partial or any(one.is_partial for one in called)
            else:
                continue
            flops.append(self._flops(raw, depth + 1))
        told = [one for one in flops if one is not None]
        return _Inside(
            next((opcode for opcode in _HEAVY if opcode in heavy), None),
            sum(told) if told else None,
            is_partial,
        )

    def _flops(self, raw: Any, depth: int) -> int | None:
        opcode = raw.opcode.decode("utf-8", "replace")
        if opcode in _CALLERS:
            told = [self._inside(i, depth).flops for i in raw.called_computation_ids]
            return sum(filter(None, told)) if any(one is not None for one in told) else None
        kind = raw.custom_call_target.decode("utf-8", "replace") if opcode == "custom-call" else opcode
        try:
            if kind == "dot":
                return self._dot(raw, raw.dot_dimension_numbers.lhs_contracting_dimensions)
            if kind in _GEMM_TARGETS:
                config = _CONTRACTED.search(raw.backend_config.decode("utf-8", "replace"))
                return self._dot(raw, [int(i) for i in re.findall(r"\d{1,3}", config[1])]) if config else None
            if kind in _CONVOLUTIONS:
                return self._convolution(raw, _CONVOLUTIONS[kind])
        except (IndexError, KeyError):  # numbers that do not fit the shapes
            pass
        return None

    def _dot(self, raw: Any, contracted: Sequence[int]) -> int | None:
        left = _dimensions(self._operand(raw, 0))
        sizes = [*_dimensions(_result(raw)), *(left[i] for i in contracted)]
        return 2 * math.prod(sizes) if min(sizes, default=0) >= 0 else None

    def _convolution(self, raw: Any, roles: tuple[int, int, int]) -> int | None:
        shapes = [_result(raw) if role < 0 else self._operand(raw, role) for role in roles]
        given, kernel, result = map(_dimensions, shapes)
        numbers = raw.convolution_dimension_numbers
        sizes = [
            result[numbers.output_batch_dimension],
            kernel[numbers.kernel_input_feature_dimension],
            kernel[numbers.kernel_output_feature_dimension],
        ]
        spatial = zip(
            raw.window.dimensions,
            [given[i] for i in numbers.input_spatial_dimensions],
            [result[i] for i in numbers.output_spatial_dimensions],
            strict=False,
        )
        for window, before, after in spatial:
            steps = (window.stride or 1, window.window_dilation or 1, window.base_dilation or 1)
            if window.size > _WINDOW or min(before, after, *steps) < 0:
                return None
            sizes.append(_positions(before, window.size, after, window.padding_low, *steps))
        return 2 * math.prod(sizes) if min(sizes) >= 0 else None

    def _bytes(self, raw: Any) -> int | None:
        if any(i not in self.instructions for i in raw.operand_ids):
            return None
        shapes = [self.instructions[i].shape for i in raw.operand_ids]
        is_call = raw.opcode == b"custom-call"  # which also gives back its scratch space
        sizes = [*map(_shape_bytes, shapes), _shape_bytes(_result(raw) if is_call else raw.shape)]
        total = sum(size for size in sizes if size is not None)
        return total if None not in sizes and total <= _MOST else None

    def _operand(self, raw: Any, position: int) -> Any:
        return self.instructions[raw.operand_ids[position]].shape


def _result(raw: Any) -> Any:
    """The shape of the result; of a tuple the first, what follows is scratch space."""
    return raw.shape.tuple_shapes[0] if raw.shape.tuple_shapes else raw.shape


def _dimensions(shape: Any) -> Sequence[int]:
    return list(shape.dimensions)


def _shape_bytes(shape: Any) -> int | None:
    if shape.tuple_shapes:
        parts = [_shape_bytes(part) for part in shape.tuple_shapes]
        return None if None in parts else sum(part for part in parts if part is not None)
    bits = _BITS.get(shape.element_type)
    sizes = list(shape.dimensions)
    return None if bits is None or min(sizes, default=0) < 0 else -(-math.prod(sizes) * bits // 8)


@lru_cache(maxsize=4096)
def _positions(
    before: int, size: int, after: int, padding: int, stride: int, dilation: int, base_dilation: int
) -> int:
    """Pairs of an output and a kernel position whose input is an element, along one dimension.

    The input of output o and kernel k is o * stride + k * dilation - padding; it is an element where it is a
    multiple of base_dilation from 0 to (before - 1) * base_dilation.
    """
    count = 0
    shared = math.gcd(stride, base_dilation)
    period = base_dilation // shared  # every so many outputs meet an element again
    inverse = pow(stride // shared, -1, period)
    for k in range(size):
        offset = padding - k * dilation  # o * stride is to be between offset and offset + the input's width
        if offset % shared or before < 1:
            continue
        first = max(0, -(-offset // stride))
        last = min(after - 1, (offset + (before - 1) * base_dilation) // stride)
        residue = offset // shared * inverse % period
        count += max(0, (last - residue) // period - (first - 1 - residue) // period) if last >= first else 0
    return count
