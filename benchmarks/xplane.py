"""The plain XPlane messages, as a user of protobuf declares them, with upb behind them.

Field numbers: xplane.proto of openxla. Maps are declared as the repeated entries that they are on the wire.
"""

from functools import cache

from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

_FIELD = descriptor_pb2.FieldDescriptorProto
_SCALARS = {
    "int64": _FIELD.TYPE_INT64,
    "uint64": _FIELD.TYPE_UINT64,
    "double": _FIELD.TYPE_DOUBLE,
    "string": _FIELD.TYPE_STRING,
    "bytes": _FIELD.TYPE_BYTES,
}
# message -> "name number type"; "*" repeats, "?" is a member of the message's oneof
_MESSAGES = {
    "XStat": (
        "metadata_id 1 int64, double_value 2 double?, uint64_value 3 uint64?, int64_value 4 int64?, "
        "str_value 5 string?, bytes_value 6 bytes?, ref_value 7 uint64?, compressed_str_value 8 bytes?"
    ),
    "XEvent": (
        "metadata_id 1 int64, offset_ps 2 int64?, duration_ps 3 int64, stats 4 XStat*, "
        "num_occurrences 5 int64?"
    ),
    "XLine": (
        "id 1 int64, name 2 string, timestamp_ns 3 int64, events 4 XEvent*, duration_ps 9 int64, "
        "display_id 10 int64, display_name 11 string"
    ),
    "XEventMetadata": (
        "id 1 int64, name 2 string, metadata 3 bytes, display_name 4 string, "
        "stats 5 XStat*, child_id 6 int64*"
    ),
    "XStatMetadata": "id 1 int64, name 2 string, description 3 string",
    "EventEntry": "key 1 int64, value 2 XEventMetadata",
    "StatEntry": "key 1 int64, value 2 XStatMetadata",
    "XPlane": (
        "id 1 int64, name 2 string, lines 3 XLine*, event_metadata 4 EventEntry*, "
        "stat_metadata 5 StatEntry*, stats 6 XStat*"
    ),
    "XSpace": "planes 1 XPlane*, errors 2 string*, warnings 3 string*, hostnames 4 string*",
}


@cache
def _pool():
    file = descriptor_pb2.FileDescriptorProto(name="bench/xplane.proto", package="bench", syntax="proto3")
    for name, fields in _MESSAGES.items():
        message = file.message_type.add(name=name)
        for declared in fields.split(", "):
            field_name, number, kind = declared.split()
            base = kind.rstrip("*?")
            field = message.field.add(name=field_name, number=int(number))
            field.label = _FIELD.LABEL_REPEATED if kind.endswith("*") else _FIELD.LABEL_OPTIONAL
            if base in _SCALARS:
                field.type = _SCALARS[base]
            else:
                field.type, field.type_name = _FIELD.TYPE_MESSAGE, f".bench.{base}"
            if kind.endswith("?"):
                if not message.oneof_decl:
                    message.oneof_decl.add(name="value")
                field.oneof_index = 0
    pool = descriptor_pool.DescriptorPool()
    pool.AddSerializedFile(file.SerializeToString())
    return pool


@cache
def message(name: str):
    """Message class of one of the messages above, for example XSpace."""
    return message_factory.GetMessageClass(_pool().FindMessageTypeByName(f"bench.{name}"))
