"""Protobuf messages by the hundred thousand: columns in, the bytes of one message per row out.

`Cells` are the bytes of one part of every row: a matrix of bytes, and which of them are there.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt


@dataclass(frozen=True)
class Cells:
    """`data[i][used[i]]` are the bytes of row i; both are (rows, width)."""

    data: npt.NDArray[np.uint8]
    used: npt.NDArray[np.bool_]

    @property
    def rows(self) -> int:
        """Number of rows."""
        return len(self.data)


def constant(rows: int, raw: bytes) -> Cells:
    """The same bytes in every row."""
    data = np.broadcast_to(np.frombuffer(raw, np.uint8), (rows, len(raw)))
    return Cells(data, np.ones(data.shape, np.bool_))


def varint(values: npt.NDArray[np.int64]) -> Cells:
    """Each value as a varint; a negative one takes ten bytes, as int64 does."""
    rest = values.astype(np.int64).view(np.uint64)
    data, used = [], []
    while True:
        more = rest >= 0x80
        data.append((rest & np.uint64(0x7F)).astype(np.uint8) | np.where(more, 0x80, 0).astype(np.uint8))
        rest = rest >> np.uint64(7)
        used.append(more)
        if not more.any():
            break
    there = [np.ones(len(values), np.bool_), *used[:-1]]
    return Cells(np.stack(data, axis=1), np.stack(there, axis=1))


def join(*parts: Cells) -> Cells:
    """The parts one after the other."""
    return Cells(np.hstack([part.data for part in parts]), np.hstack([part.used for part in parts]))


def integer(number: int, values: npt.NDArray[np.int64]) -> Cells:
    """A varint field."""
    return join(constant(len(values), bytes([number << 3])), varint(values))


def message(number: int, *parts: Cells) -> Cells:
    """A field that holds a message of these parts."""
    body = join(*parts)
    length = body.used.sum(axis=1, dtype=np.int64)
    return join(constant(body.rows, bytes([number << 3 | 2])), varint(length), body)


def only(cells: Cells, present: npt.NDArray[np.bool_]) -> Cells:
    """The part only in some rows."""
    return Cells(cells.data, cells.used & present[:, None])


def to_bytes(cells: Cells) -> bytes:
    """The rows one after the other."""
    return cells.data[cells.used].tobytes()


def field(number: int, raw: bytes) -> bytes:
    """A single field that holds these bytes."""
    return bytes([number << 3 | 2]) + to_bytes(varint(np.array([len(raw)]))) + raw
