"""Which op an execution is: one record per distinct op, with its attribution.

A fact comes from the event's own stats, else from its event metadata, else from the HLO proto.
"""

import hashlib
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from .hlo import Instruction, Module, parse_text
from .hlo_work import NOTHING
from .xplane.line import Events
from .xplane.plane import EventName, Plane, StatValue

Ints = npt.NDArray[np.int64]

KEY_STATS = ("hlo_op", "hlo_module", "tf_op", "name")
"""Text stats that, with the event's metadata and program_id, tell which op it is."""
_GENERIC_TF_OP = re.compile(r"(XlaModule:?)?")
_SUFFIX = re.compile(r"(?:[._]\d+|\.clone|\.remat\d*|\.kd)\Z")
_SUFFIX_LENGTH = 24
_SOURCE = re.compile(r"(.+):(\d{1,9})")


@dataclass
class Op:
    """A distinct op: a row of the table `ops` (without run) and what pairing needs."""

    row: dict[str, Any]
    shaped_ps: int = 0
    """Device time, where flops come from shapes."""

    @property
    def op_id(self) -> int:
        """Signed 64-bit id, equal on all hosts and runs."""
        return self.row["op_id"]  # type: ignore[no-any-return]

    @cached_property
    def half(self) -> tuple[str, bool] | None:
        """What the op begins or ends, and whether it begins it; None for an op that is no half of a pair."""
        opcode = self.row["opcode"] or self.row["hlo_category"] or self.row["canonical_name"]
        for half in ("-start", "-done"):
            if opcode.endswith(half):
                return opcode.removesuffix(half), half == "-start"
        return None


@dataclass
class Programs:
    """The compiled programs of a file, by id and by name."""

    by_id: dict[int, Module] = field(default_factory=dict)
    by_name: dict[str, list[Module]] = field(default_factory=dict)
    names: dict[int, str] = field(default_factory=dict)
    """Module names by program id, also of programs without an HLO proto."""

    def add(self, module: Module) -> None:
        """Add a program with its HLO proto."""
        self.by_name.setdefault(module.name, []).append(module)
        if module.program_id is not None:
            self.by_id[module.program_id] = module
            self.names[module.program_id] = module.name

    def instruction(
        self, program_id: int | None, module: str | None, hlo_op: str | None
    ) -> Instruction | None:
        """The HLO instruction of an op: by program id, else by module name where only one program has it."""
        if hlo_op is None:
            return None
        found = self.by_id.get(program_id) if program_id is not None else None
        if found is None and module is not None:
            named = self.by_name.get(module, [])
            found = named[0] if len(named) == 1 else None
        return found.instruction(hlo_op) if found else None


def op_id(*parts: object) -> int:
    """Signed 64-bit hash of the parts; None is a marker of its own."""
    text = "\x1f".join("\x00" if part is None else f"={part}" for part in parts)
    return int.from_bytes(
        hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "big", signed=True
    )


def codes_of(values: Ints) -> tuple[Ints, int]:
    """Each value as a small code, and how many there are."""
    coded = pa.array(values).dictionary_encode()
    return np.asarray(coded.indices).astype(np.int64), len(coded.dictionary)


def distinct(keys: list[Ints]) -> tuple[Ints, Ints]:
    """Distinct rows of equally long columns: a code per row, and the first row of each code."""
    codes, count = codes_of(keys[0])
    for key in keys[1:]:
        other, others = codes_of(key)
        if others > 1:
            codes, count = codes_of(codes * others + other)
    first = np.empty(count, np.int64)
    first[codes[::-1]] = np.arange(len(codes), dtype=np.int64)[::-1]
    return codes, first


@dataclass
class OpNamer:
    """Names the op executions of one process."""

    programs: Programs
    registry: dict[int, Op]
    """All ops of the run so far, by op_id; filled here."""
    _known: dict[tuple[object, ...], Op] = field(default_factory=dict)

    def name(self, events: Events) -> tuple[Ints, list[Op]]:
        """For each event the position of its op in the list returned."""
        program, has_program = events.ints("program_id")
        ici, has_ici = events.ints("uses_ici")
        texts = {stat: text for stat in KEY_STATS if (text := events.texts(stat)).words}
        keys = [events.metadata_id, *(text.codes for text in texts.values())]
        if has_program.any():
            keys += [program, has_program.astype(np.int64)]
        if has_ici.any():
            keys.append(np.where(has_ici, ici, -1))
        codes, first = distinct(keys)
        stats = {
            stat: [text.word(code) for code in text.codes[first].tolist()] for stat, text in texts.items()
        }
        if has_ici.any():
            stats["uses_ici"] = [str(told) if has else None for told, has in _pairs(ici, has_ici, first)]
        program_ids = [
            number % (1 << 64) if has else None for number, has in _pairs(program, has_program, first)
        ]
        rows = zip(events.metadata_id[first].tolist(), program_ids, *stats.values(), strict=True)
        return codes, [self._op(events.plane, row, tuple(stats)) for row in rows]

    def _op(self, plane: Plane, row: tuple[Any, ...], stats: tuple[str, ...]) -> Op:
        """The op of a plane's metadata id, a program id and the values of these stats."""
        key = (id(plane), stats, row)
        if key not in self._known:
            metadata_id, *told = row
            entry = plane.event_name(metadata_id)  # planes that repeat each other share their entries
            self._known[key] = self._named((id(entry), stats, *told), entry)
        return self._known[key]

    def _named(self, key: tuple[Any, ...], entry: EventName) -> Op:
        if key not in self._known:
            _, stats, program_id, *values = key
            row = describe(entry, dict(zip(stats, values, strict=True)), program_id, self.programs)
            self._known[key] = self.registry.setdefault(row["op_id"], Op(row))
        return self._known[key]


def _pairs(values: Ints, present: Any, rows: Ints) -> Iterable[tuple[int, bool]]:
    return zip(values[rows].tolist(), present[rows].tolist(), strict=True)


def describe(
    entry: EventName, stats: Mapping[str, str | None], program_id: int | None, programs: Programs
) -> dict[str, Any]:
    """The row of table `ops` (without run) for an event with this metadata and these stats."""
    constants = entry.stats
    program_id = program_id if program_id is not None else _unsigned(constants.get("program_id"))
    written = parse_text(entry.name)
    hlo_op = stats.get("hlo_op") or _text(constants.get("hlo_op")) or (written.name if written else None)
    name = (entry.display_name or written.name) if written else entry.name
    module = stats.get("hlo_module") or _text(constants.get("hlo_module"))
    if module is None and program_id is not None:
        module = programs.names.get(program_id)
    proto = programs.instruction(program_id, module, hlo_op)
    told = written or proto
    scope, source = _scope(stats, constants, proto)
    source_file, source_line = _source(constants, proto)
    # TPU events have their own, if not in the metadata.
    shapes = proto.work if proto and not written else NOTHING
    flops, flops_source = _known(constants.get("flops"), shapes.flops)
    bytes_accessed, bytes_source = _known(constants.get("bytes_accessed"), shapes.bytes_accessed)
    hlo_category = _text(constants.get("hlo_category"))
    is_custom_call = "custom-call" in (told.opcode if told else None, hlo_category)
    return {
        "op_id": op_id(program_id, hlo_op, name, scope),
        "program_id": program_id,
        "hlo_op": hlo_op,
        "name": name,
        "canonical_name": canonical_name(hlo_op or name),
        "opcode": told.opcode if told else None,
        "wrapped_opcode": (proto.wrapped_opcode if proto else None)
        or (told.wrapped_opcode if told else None),
        "custom_call_target": told.custom_call_target if told else None,
        "uses_ici": _uses_ici(stats, constants) if is_custom_call else None,
        "operands": list(told.operands) if told else None,
        "replica_groups": told.replica_groups if told else None,
        "channel_id": told.channel_id if told else None,
        "hlo_category": hlo_category,
        "module": module,
        "scope": scope,
        "source_file": source_file,
        "source_line": source_line,
        "shape": _text(constants.get("shape_with_layout")) or (told.shape if told else None),
        "flops": flops,
        "flops_source": flops_source,
        "bytes_accessed": bytes_accessed,
        "bytes_source": bytes_source,
        "attribution_source": source,
    }


def settle_work(ops: Iterable[Op]) -> None:
    """Where one HLO instruction ran as several kernels, leave what its shapes tell to the longest of them.

    An im2col before it, or a sum after it, has none of the flops; nothing tells its bytes.
    """
    by_instruction: dict[tuple[object, ...], list[Op]] = {}
    for op in ops:
        if op.row["flops_source"] == "hlo_shapes":
            key = (op.row["program_id"], op.row["module"], op.row["hlo_op"])
            by_instruction.setdefault(key, []).append(op)
    for kernels in by_instruction.values():
        longest = max(kernels, key=lambda op: (op.shaped_ps, op.op_id))
        for op in kernels:
            if op is not longest:
                op.row["flops"] = 0
                if op.row["bytes_source"] == "hlo_shapes":
                    op.row |= {"bytes_accessed": None, "bytes_source": None}


def canonical_name(name: str) -> str:
    """The name without the suffixes that number and clone it, however many; a name of nothing else stays.

    Suffix by suffix from the end: one pattern for all of them takes time quadratic in a long name.
    """
    end = len(name)
    while match := _SUFFIX.search(name, max(0, end - _SUFFIX_LENGTH), end):
        end = match.start()
    return name[:end] or name


def _scope(
    stats: Mapping[str, str | None], constants: Mapping[str, StatValue], proto: Instruction | None
) -> tuple[str | None, str]:
    """Framework path and where it comes from. `name` counts only where tf_op tells nothing."""
    for tf_op, source in ((stats.get("tf_op"), "event"), (_text(constants.get("tf_op")), "metadata")):
        if tf_op and not _GENERIC_TF_OP.fullmatch(tf_op):
            return tf_op, source
    name = stats.get("name")
    if name and "/" in name:
        return name, "event"
    if proto and proto.op_name:
        return proto.op_name, "hlo_proto"
    return None, "none"


def _source(constants: Mapping[str, StatValue], proto: Instruction | None) -> tuple[str | None, int | None]:
    match = _SOURCE.fullmatch(_text(constants.get("source")) or "")
    if match:
        return match[1], int(match[2])
    return (proto.source_file, proto.source_line) if proto else (None, None)


def _uses_ici(stats: Mapping[str, str | None], constants: Mapping[str, StatValue]) -> bool | None:
    told = stats.get("uses_ici") or constants.get("uses_ici")
    return None if told is None else str(told) != "0"


def _known(told: StatValue | None, shapes: int | None) -> tuple[int | None, str | None]:
    """A number and where it comes from: the producer, else the shapes."""
    if (value := _integer(told)) is not None:
        return value, "producer"
    return shapes, None if shapes is None else "hlo_shapes"


def _text(value: StatValue | None) -> str | None:
    return value if isinstance(value, str) and value else None


def _integer(value: StatValue | None) -> int | None:
    return min(int(value), (1 << 63) - 1) if isinstance(value, (int, float)) and value >= 0 else None


def _unsigned(value: StatValue | None) -> int | None:
    return value % (1 << 64) if isinstance(value, int) else None
