"""The XPlane and HLO messages that we read, as protobuf descriptors built at run time.

Field numbers: xplane.proto of openxla. Strings are declared as bytes, so that invalid UTF-8
cannot reject a file. Lines are left out of XPlane: their bytes go to `line.py` one at a time.
"""

from functools import cache
from typing import Any

from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

_FIELD = descriptor_pb2.FieldDescriptorProto
_SCALARS = {
    "int64": _FIELD.TYPE_INT64,
    "uint64": _FIELD.TYPE_UINT64,
    "double": _FIELD.TYPE_DOUBLE,
    "bytes": _FIELD.TYPE_BYTES,
    "bool": _FIELD.TYPE_BOOL,
}
PACKAGE = "profdb"

# message -> (field name, number, type); "*" repeats, "?" is a member of the message's oneof
XPLANE_MESSAGES: dict[str, tuple[tuple[str, int, str], ...]] = {
    "XStat": (
        ("metadata_id", 1, "int64"),
        ("double_value", 2, "double?"),
        ("uint64_value", 3, "uint64?"),
        ("int64_value", 4, "int64?"),
        ("str_value", 5, "bytes?"),
        ("bytes_value", 6, "bytes?"),
        ("ref_value", 7, "uint64?"),
        ("compressed_str_value", 8, "bytes?"),
    ),
    "XEvent": (
        ("metadata_id", 1, "int64"),
        ("offset_ps", 2, "int64?"),
        ("duration_ps", 3, "int64"),
        ("stats", 4, "bytes*"),
        ("num_occurrences", 5, "int64?"),
    ),
    "XStatIntegers": (
        ("metadata_id", 1, "int64"),
        ("uint64_value", 3, "uint64?"),
        ("int64_value", 4, "int64?"),
    ),
    "XLineParts": (
        ("id", 1, "int64"),
        ("name", 2, "bytes"),
        ("timestamp_ns", 3, "int64"),
        ("events", 4, "bytes*"),
        ("display_name", 11, "bytes"),
    ),
    "XPlaneParts": (
        ("id", 1, "int64"),
        ("name", 2, "bytes"),
        ("lines", 3, "bytes*"),
        ("event_metadata", 4, "EventMetadataEntry*"),
        ("stat_metadata", 5, "StatMetadataEntry*"),
    ),
    "XSpaceParts": (("planes", 1, "bytes*"),),
    "XEventTimes": (
        ("offset_ps", 2, "int64?"),
        ("duration_ps", 3, "int64"),
        ("num_occurrences", 5, "int64?"),
    ),
    "XEventMetadata": (
        ("id", 1, "int64"),
        ("name", 2, "bytes"),
        ("metadata", 3, "bytes"),
        ("display_name", 4, "bytes"),
        ("stats", 5, "XStat*"),
        ("child_id", 6, "int64*"),
    ),
    "XStatMetadata": (("id", 1, "int64"), ("name", 2, "bytes"), ("description", 3, "bytes")),
    "EventMetadataEntry": (("key", 1, "int64"), ("value", 2, "XEventMetadata")),
    "StatMetadataEntry": (("key", 1, "int64"), ("value", 2, "XStatMetadata")),
    "XPlane": (
        ("id", 1, "int64"),
        ("name", 2, "bytes"),
        ("event_metadata", 4, "EventMetadataEntry*"),
        ("stat_metadata", 5, "StatMetadataEntry*"),
        ("stats", 6, "XStat*"),
    ),
    "XPlaneHead": (("name", 2, "bytes"), ("stat_metadata", 5, "StatMetadataEntry*"), ("stats", 6, "XStat*")),
    "XSpace": (("errors", 2, "bytes*"), ("warnings", 3, "bytes*"), ("hostnames", 4, "bytes*")),
}

# The part of hlo.proto and xla_data.proto that attribution needs.
HLO_MESSAGES: dict[str, tuple[tuple[str, int, str], ...]] = {
    "Layout": (("minor_to_major", 1, "int64*"),),
    "Shape": (
        ("element_type", 2, "int64"),
        ("dimensions", 3, "int64*"),
        ("tuple_shapes", 4, "Shape*"),
        ("layout", 5, "Layout"),
    ),
    "OpMetadata": (
        ("op_name", 2, "bytes"),
        ("source_file", 3, "bytes"),
        ("source_line", 4, "int64"),
        ("stack_frame_id", 15, "int64"),
    ),
    "WindowDimension": (
        ("size", 1, "int64"),
        ("stride", 2, "int64"),
        ("padding_low", 3, "int64"),
        ("window_dilation", 5, "int64"),
        ("base_dilation", 6, "int64"),
    ),
    "Window": (("dimensions", 1, "WindowDimension*"),),
    "ConvolutionNumbers": (
        ("kernel_input_feature_dimension", 3, "int64"),
        ("kernel_output_feature_dimension", 4, "int64"),
        ("output_batch_dimension", 9, "int64"),
        ("input_spatial_dimensions", 11, "int64*"),
        ("output_spatial_dimensions", 12, "int64*"),
    ),
    "DotNumbers": (("lhs_contracting_dimensions", 1, "int64*"),),
    "ReplicaGroup": (("replica_ids", 1, "int64*"),),
    "IotaGroups": (
        ("num_replica_groups", 1, "int64"),
        ("num_devices_per_group", 2, "int64"),
        ("iota_reshape_dims", 3, "int64*"),
        ("iota_transpose_perm", 4, "int64*"),
    ),
    "DeviceGroups": (("replica_groups", 1, "ReplicaGroup*"), ("iota", 2, "IotaGroups")),
    "MeshAxis": (("name", 1, "bytes"), ("size", 2, "int64")),
    "Mesh": (("axes", 1, "MeshAxis*"),),
    "AxisRef": (("mesh_axis_index", 1, "int64"),),
    "MeshGroups": (("mesh", 1, "Mesh"), ("axes", 2, "AxisRef*")),
    "Instruction": (
        ("name", 1, "bytes"),
        ("opcode", 2, "bytes"),
        ("shape", 3, "Shape"),
        ("metadata", 7, "OpMetadata"),
        ("window", 15, "Window"),
        ("convolution_dimension_numbers", 16, "ConvolutionNumbers"),
        ("channel_id", 26, "int64"),
        ("custom_call_target", 28, "bytes"),
        ("dot_dimension_numbers", 30, "DotNumbers"),
        ("id", 35, "int64"),
        ("operand_ids", 36, "int64*"),
        ("called_computation_ids", 38, "int64*"),
        ("backend_config", 43, "bytes"),
        ("replica_groups", 49, "ReplicaGroup*"),
        ("collective_device_list", 87, "DeviceGroups"),
        ("iota_collective_device_list", 92, "IotaGroups"),
        ("mesh_axes_replica_group_list", 93, "MeshGroups"),
    ),
    "Computation": (
        ("name", 1, "bytes"),
        ("instructions", 2, "Instruction*"),
        ("id", 5, "int64"),
        ("root_id", 6, "int64"),
    ),
    "FileLocation": (("file_name_id", 1, "int64"), ("line", 3, "int64")),
    "StackFrame": (("file_location_id", 1, "int64"), ("parent_frame_id", 2, "int64")),
    "StackFrameIndex": (
        ("file_names", 1, "bytes*"),
        ("file_locations", 3, "FileLocation*"),
        ("stack_frames", 4, "StackFrame*"),
    ),
    "Module": (
        ("name", 1, "bytes"),
        ("computations", 3, "Computation*"),
        ("id", 5, "int64"),
        ("stack_frame_index", 17, "StackFrameIndex"),
    ),
    "HloProto": (("hlo_module", 1, "Module"),),
}


def _add_message(file: Any, name: str, fields: tuple[tuple[str, int, str], ...]) -> None:
    message = file.message_type.add(name=name)
    for field_name, number, kind in fields:
        base = kind.rstrip("*?")
        field = message.field.add(name=field_name, number=number)
        field.label = _FIELD.LABEL_REPEATED if kind.endswith("*") else _FIELD.LABEL_OPTIONAL
        if base in _SCALARS:
            field.type = _SCALARS[base]
        else:
            field.type, field.type_name = _FIELD.TYPE_MESSAGE, f".{PACKAGE}.{base}"
        if kind.endswith("?"):
            if not message.oneof_decl:
                message.oneof_decl.add(name="value")
            field.oneof_index = 0


@cache
def _pool() -> Any:
    pool = descriptor_pool.DescriptorPool()
    for name, messages in (("xplane", XPLANE_MESSAGES), ("hlo", HLO_MESSAGES)):
        file = descriptor_pb2.FileDescriptorProto(
            name=f"profdb/{name}.proto", package=PACKAGE, syntax="proto3"
        )
        for message, fields in messages.items():
            _add_message(file, message, fields)
        pool.AddSerializedFile(file.SerializeToString())
    return pool


def descriptor(name: str) -> Any:
    """Protobuf descriptor of one of the messages above."""
    return _pool().FindMessageTypeByName(f"{PACKAGE}.{name}")


@cache
def message(name: str) -> Any:
    """Message class of one of the messages above."""
    return message_factory.GetMessageClass(descriptor(name))
