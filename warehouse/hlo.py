"""What an HLO instruction says about an op: opcode, shape, operands, framework path, source line.

Two sources give the same record: the HLO text that TPU profiles carry as event names, and the HLO
protos in the plane /host:metadata.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from google.protobuf.message import DecodeError

from .hlo_work import ELEMENT_TYPES, NOTHING, ModuleWork, Work
from .xplane.plane import Plane
from .xplane.schema import message
from .xplane.text import text_of

_HEAD = re.compile(r"^(?:ROOT )?%?(?P<name>[^\s=]+) = ")
_OPCODE = re.compile(r"\s*(?P<opcode>[a-z][a-z0-9-]*)\(")
_OPERAND = re.compile(r"%([\w.\-]+)")
_ATTRIBUTE = {
    "custom_call_target": re.compile(r'"([^"]*)"'),
    "replica_groups": re.compile(r"(\{\{.*?\}\}|\{\}|\[[^\]]*\](?:<=\[[^\]]*\](?:T\([^)]*\))?)?)"),
    "channel_id": re.compile(r"(\d{1,18})\b"),
}


@dataclass(frozen=True)
class Instruction:
    """An HLO instruction. None: not told."""

    name: str
    opcode: str
    wrapped_opcode: str | None = None
    shape: str | None = None
    operands: tuple[str, ...] = ()
    custom_call_target: str | None = None
    replica_groups: str | None = None
    channel_id: int | None = None
    op_name: str | None = None
    source_file: str | None = None
    source_line: int | None = None
    work: Work = NOTHING


def parse_text(text: str) -> Instruction | None:
    """The instruction in a line of HLO text; None where the text is none."""
    head = _HEAD.match(text)
    if not head:
        return None
    shape_end = _shape_end(text, head.end())
    opcode = _OPCODE.match(text, shape_end)
    if not opcode:
        return None
    close = _closing(text, opcode.end() - 1)
    attributes = text[close:]
    found = {name: value for name in _ATTRIBUTE if (value := _attribute(attributes, name)) is not None}
    return Instruction(
        name=head["name"],
        opcode=opcode["opcode"],
        shape=text[head.end() : shape_end] or None,
        operands=tuple(_OPERAND.findall(text[opcode.end() : close])),
        custom_call_target=found.get("custom_call_target"),
        replica_groups=found.get("replica_groups"),
        channel_id=int(found["channel_id"]) if "channel_id" in found else None,
    )


def _attribute(text: str, name: str) -> str | None:
    at = text.find(f"{name}=")
    match = _ATTRIBUTE[name].match(text, at + len(name) + 1) if at >= 0 else None
    return match[1] if match else None


def _shape_end(text: str, at: int) -> int:
    if text.startswith("(", at):
        return _closing(text, at) + 1
    space = text.find(" ", at)
    return len(text) if space < 0 else space


def _closing(text: str, at: int) -> int:
    """Position of the bracket that closes the one at `at`, or the end of the text."""
    depth = 0
    for i in range(at, len(text)):
        if text[i] in "({":
            depth += 1
        elif text[i] in ")}":
            depth -= 1
            if depth == 0:
                return i
    return len(text)


@dataclass(frozen=True)
class Module:
    """A compiled program. An instruction is read when it is asked for: most never run as ops of their own."""

    name: str
    program_id: int | None
    proto: Any
    """Its HloModuleProto."""

    def instruction(self, name: str) -> Instruction | None:
        """The instruction of that name."""
        raw = self._by_name.get(name)
        if raw is None:
            return None
        source_file, source_line = _source(raw.metadata, self.proto.stack_frame_index)
        operands = (self._by_id.get(number) for number in raw.operand_ids)
        return Instruction(
            name=name,
            opcode=text_of(raw.opcode),
            wrapped_opcode=self._work.wrapped(raw),
            shape=shape_text(raw.shape),
            operands=tuple(text_of(operand.name) for operand in operands if operand is not None),
            custom_call_target=text_of(raw.custom_call_target) or None,
            replica_groups=_groups(raw),
            channel_id=raw.channel_id or None,
            op_name=text_of(raw.metadata.op_name) or None,
            source_file=source_file,
            source_line=source_line,
            work=self._work.work(raw),
        )

    @cached_property
    def _by_id(self) -> dict[int, Any]:
        return {i.id: i for c in self.proto.computations for i in c.instructions}

    @cached_property
    def _by_name(self) -> dict[str, Any]:
        return {text_of(i.name): i for c in self.proto.computations for i in c.instructions}

    @cached_property
    def _work(self) -> ModuleWork:
        return ModuleWork({c.id: c for c in self.proto.computations}, self._by_id)


def read_modules(plane: Plane) -> Iterator[Module]:
    """The programs whose HLO proto is in the plane /host:metadata. Protos that do not parse are left out."""
    for metadata_id in plane.event_metadata_ids():
        entry = plane.event_name(metadata_id)
        raw = entry.stats.get("Hlo Proto")
        if not isinstance(raw, bytes):
            continue
        try:
            proto = message("HloProto").FromString(raw).hlo_module
        except DecodeError:
            continue
        name, program_id = split_program(entry.name)
        stated = entry.stats.get("program_id")
        if program_id is None and isinstance(stated, int):
            program_id = stated
        if program_id is None:
            program_id = metadata_id
        yield Module(name or text_of(proto.name), program_id % (1 << 64), proto)


def split_program(name: str) -> tuple[str, int | None]:
    """`jit_step(123)` as (`jit_step`, 123); the program id is None where the name has none."""
    match = re.fullmatch(r"(.*)\((-?\d{1,20})\)", name, re.DOTALL)
    return (match[1], int(match[2]) % (1 << 64)) if match else (name, None)


def _groups(raw: Any) -> str | None:
    """The replica groups of a collective as HLO text, in whichever of the four forms it was written."""
    listed = raw.replica_groups or raw.collective_device_list.replica_groups
    if listed:
        return "{" + ",".join("{" + ",".join(map(str, g.replica_ids)) + "}" for g in listed) + "}"
    for iota in (raw.iota_collective_device_list, raw.collective_device_list.iota):
        if iota.num_replica_groups:
            perm = f"T({','.join(map(str, iota.iota_transpose_perm))})" if iota.iota_transpose_perm else ""
            dims = ",".join(map(str, iota.iota_reshape_dims))
            return f"[{iota.num_replica_groups},{iota.num_devices_per_group}]<=[{dims}]{perm}"
    by_mesh = raw.mesh_axes_replica_group_list
    axes = [(text_of(axis.name), axis.size) for axis in by_mesh.mesh.axes]
    used = [axes[ref.mesh_axis_index][0] for ref in by_mesh.axes if 0 <= ref.mesh_axis_index < len(axes)]
    return f"mesh[{','.join(f'{name}={size}' for name, size in axes)}] {{{','.join(used)}}}" if axes else None


def _source(metadata: Any, frames: Any) -> tuple[str | None, int | None]:
    """Source file and line: told directly, or through the module's table of stack frames (ids from 1)."""
    if metadata.source_file:
        return text_of(metadata.source_file), metadata.source_line or None
    frame_id = metadata.stack_frame_id
    if not 0 < frame_id <= len(frames.stack_frames):
        return None, None
    location_id = frames.stack_frames[frame_id - 1].file_location_id
    if not 0 < location_id <= len(frames.file_locations):
        return None, None
    location = frames.file_locations[location_id - 1]
    if not 0 < location.file_name_id <= len(frames.file_names):
        return None, None
    return text_of(frames.file_names[location.file_name_id - 1]), location.line or None


def shape_text(shape: Any) -> str | None:
    """A shape as HLO text, for example `f32[32,128]{1,0}`."""
    if shape.tuple_shapes:
        return "(" + ", ".join(shape_text(part) or "?" for part in shape.tuple_shapes) + ")"
    if shape.element_type == 13:
        return "()"
    element = ELEMENT_TYPES.get(shape.element_type)
    if element is None:
        return None
    layout = (
        "{" + ",".join(map(str, shape.layout.minor_to_major)) + "}" if shape.layout.minor_to_major else ""
    )
    return f"{element}[{','.join(map(str, shape.dimensions))}]{layout}"
