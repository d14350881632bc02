"""Exact numbers in human units, by the suffix of the column's name."""

from decimal import Decimal
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pyarrow as pa

_TIME_UNITS = ((10**12, "s"), (10**9, "ms"), (10**6, "us"), (10**3, "ns"), (1, "ps"))
_FLOP_UNITS = ((10**15, "PFLOP"), (10**12, "TFLOP"), (10**9, "GFLOP"), (10**6, "MFLOP"), (1, "FLOP"))
_BYTE_UNITS = ((10**12, "TB"), (10**9, "GB"), (10**6, "MB"), (10**3, "KB"), (1, "B"))
_UNITS = {"ps": _TIME_UNITS, "bytes": _BYTE_UNITS, "flops": _FLOP_UNITS}


def human(name: str, value: int | float | Decimal) -> str:
    """A number of the column `name`: time, bytes and shares in human units by the name's suffix."""
    if name.endswith(("start_ps", "at_ps")):
        return f"{value / 1_000_000:.3f} us"  # a position: neighbours have to differ
    if name.endswith("_pct"):
        return f"{float(value):+.1f}%"
    if name.endswith("delta_ps") and value > 0:
        return f"+{_scaled(value, _TIME_UNITS)}"
    amount = name.removesuffix("_per_s")
    for suffix, units in _UNITS.items():
        if value != 0 and _ends(amount, suffix):
            return _scaled(value, units) + ("/s" if amount != name else "")
    if name.endswith(("_share", "_ratio")):
        return f"{float(value) * 100:.1f}%"
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def _ends(name: str, word: str) -> bool:
    return name == word or name.endswith(f"_{word}")


def _scaled(value: int | float | Decimal, units: tuple[tuple[int, str], ...]) -> str:
    """Four significant digits in the largest unit that leaves a whole part."""
    number = float(value)
    size, unit = next((u for u in units if abs(number) >= u[0] * 0.99995), units[-1])
    scaled = number / size
    decimals = 0 if size == 1 else max(0, 3 - len(str(int(abs(scaled) + 0.0005))) + 1)
    return f"{scaled:.{decimals}f} {unit}"


def has_human_form(name: str, kind: "pa.DataType") -> bool:
    """Whether numbers of this column are shown in units."""
    import pyarrow as pa

    amount = name.removesuffix("_per_s")
    counted = any(_ends(amount, suffix) for suffix in _UNITS)
    return counted or name.endswith(("_share", "_ratio")) or bool(pa.types.is_floating(kind))
