"""What jax's own profile reader finds in XPlane files, to the picosecond.

`python profile_data.py FILE...` prints {FILE: [line]} as JSON. A line is {plane, line, name, start_ps,
duration_ps, stats}: its lists hold an entry per event, and `stats` has a list for each of STATS that occurs.
Runs in a process of its own, so that jax stays out of the tests'.

jax.profiler.ProfileData tells whole nanoseconds. So it is given a copy of the profile in which every time is
a thousand times longer: its nanoseconds are the picoseconds of the real one, exact in a double up to 2^53 ps
(2.5 hours). A second look, at the profile itself, checks the copy.
"""

import json
import sys
from functools import cache
from pathlib import Path
from typing import Any

from google.protobuf import descriptor_pb2, descriptor_pool, message_factory
from jax.profiler import ProfileData

STATS = ("hlo_op", "device_ordinal", "run_id", "step_num", "correlation_id", "group_id", "step_name")
_TIMES: dict[str, dict[str, tuple[int, str | None]]] = {
    "XEvent": {"offset_ps": (2, None), "duration_ps": (3, None)},
    "XLine": {"timestamp_ns": (3, None), "events": (4, "XEvent")},
    "XPlane": {"lines": (3, "XLine")},
    "XSpace": {"planes": (1, "XPlane")},
}


@cache
def _space() -> Any:
    """A message class of XSpace that knows only of times; the rest of a file passes through it unread."""
    field_of = descriptor_pb2.FieldDescriptorProto
    file = descriptor_pb2.FileDescriptorProto(name="times.proto", package="times", syntax="proto3")
    for message, fields in _TIMES.items():
        added = file.message_type.add(name=message)
        for name, (number, kind) in fields.items():
            field = added.field.add(name=name, number=number)
            field.type = field_of.TYPE_MESSAGE if kind else field_of.TYPE_INT64
            field.label = field_of.LABEL_REPEATED if kind else field_of.LABEL_OPTIONAL
            if kind:
                field.type_name = f".times.{kind}"
    pool = descriptor_pool.DescriptorPool()
    pool.AddSerializedFile(file.SerializeToString())
    return message_factory.GetMessageClass(pool.FindMessageTypeByName("times.XSpace"))


def slower(content: bytes) -> bytes:
    """The profile with every time multiplied by 1000."""
    space = _space().FromString(content)
    for plane in space.planes:
        for line in plane.lines:
            line.timestamp_ns *= 1000
            for event in line.events:
                event.offset_ps *= 1000
                event.duration_ps *= 1000
    return bytes(space.SerializeToString())


def read(path: str) -> list[dict[str, Any]]:
    """The lines of the profile, in file order."""
    content = Path(path).read_bytes()
    found = []
    copy, original = ProfileData.from_serialized_xspace(slower(content)), ProfileData.from_file(path)
    for plane, true_plane in zip(copy.planes, original.planes, strict=True):
        for line, true_line in zip(plane.lines, true_plane.lines, strict=True):
            found.append({"plane": plane.name, "line": line.name, **_events(line)})
            whole_ns = [(e.start_ns, e.duration_ns) for e in true_line.events]
            times = zip(found[-1]["start_ps"], found[-1]["duration_ps"], strict=True)
            assert whole_ns == [(start // 1000, duration // 1000) for start, duration in times]
    return found


def _events(line: Any) -> dict[str, Any]:
    events = list(line.events)
    stats = [dict(event.stats) for event in events]
    return {
        "name": [event.name for event in events],
        "start_ps": [int(event.start_ns) for event in events],
        "duration_ps": [int(event.duration_ns) for event in events],
        "stats": {
            name: [own.get(name) for own in stats] for name in STATS if any(name in own for own in stats)
        },
    }


if __name__ == "__main__":
    json.dump({path: read(path) for path in sys.argv[1:]}, sys.stdout)
