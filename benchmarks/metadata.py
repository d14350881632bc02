"""The dictionaries of a synthetic plane: names of events and stats, and the facts of its ops."""

from typing import Any

from profdb.benchmarks.program import PROGRAM_ID, Op
from profdb.benchmarks.xplane import message


class PlaneNames:
    """A plane without lines; events and stats get their ids as they are first named."""

    def __init__(self, plane_id: int, name: str) -> None:
        self.plane = message("XPlane")(id=plane_id, name=name)
        self._stats: dict[str, int] = {}
        self._events: dict[str, int] = {}

    def stat_id(self, name: str) -> int:
        """Id of the stat called `name`."""
        if name not in self._stats:
            self._stats[name] = len(self._stats) + 1
            entry = self.plane.stat_metadata.add(key=self._stats[name])
            entry.value.id, entry.value.name = self._stats[name], name
        return self._stats[name]

    def event(self, name: str, display_name: str = "") -> int:
        """Id of the event metadata with these names."""
        key = f"{name}\0{display_name}"
        if key not in self._events:
            self._events[key] = len(self._events) + 1
            entry = self.plane.event_metadata.add(key=self._events[key])
            entry.value.id, entry.value.name, entry.value.display_name = self._events[key], name, display_name
        return self._events[key]

    def plane_stat(self, name: str, **value: Any) -> None:
        """Add a stat of the plane."""
        self.plane.stats.add(metadata_id=self.stat_id(name), **value)

    def describe_tpu(self, device: int) -> None:
        """The plane stats of a TPU core."""
        self.plane_stat("device_type_string", str_value="TPU v6 Lite")
        self.plane_stat("peak_teraflops_per_second", double_value=918.0)
        self.plane_stat("peak_hbm_bw_gigabytes_per_second", double_value=1637.993152512)
        self.plane_stat("has_megacore", int64_value=0)
        self.plane_stat("core_details", bytes_value=bytes([8, device, 0x30, device]))

    def op(self, op: Op, symbol: int) -> int:
        """Id of an op's event metadata, with its facts."""
        return self._described(self.event(op.text, op.name), op, symbol)

    def async_op(self, op: Op) -> int:
        """Id of the metadata of an op's asynchronous span."""
        known = f"{op.text}\0async-{op.opcode}" in self._events
        number = self.event(op.text, f"async-{op.opcode}")
        return number if known else self._described(number, op, op.source_line)

    def _described(self, number: int, op: Op, symbol: int) -> int:
        metadata = self.plane.event_metadata[number - 1].value
        work = op.ticks * 1250 * 128
        traced = f"/home/user/train/model.py:{op.source_line}:6\n"
        facts: dict[str, dict[str, Any]] = {
            "hlo_category": {"str_value": op.category},
            "program_id": {"uint64_value": PROGRAM_ID},
            "symbol_id": {"uint64_value": symbol},
            "flops": {"int64_value": work if "fusion" in op.category else 0},
            "model_flops": {"int64_value": work if "fusion" in op.category else 0},
            "bytes_accessed": {"int64_value": work // 3},
            "raw_bytes_accessed": {"int64_value": work // 2},
            "memory_access_breakdown": {"bytes_value": bytes([10, 8, 8, 1, 16, 1, 24, symbol & 127, 1, 0])},
            "shape_with_layout": {"str_value": op.shape},
            "source": {"str_value": f"/home/user/train/model.py:{op.source_line}"},
            "source_stack": {"str_value": traced + "/home/user/train/train.py:88:10\n" * 3},
            "tf_op": {"str_value": f"{op.scope}:"},
        }
        for name, value in facts.items():
            metadata.stats.add(metadata_id=self.stat_id(name), **value)
        return number
