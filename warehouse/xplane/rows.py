"""Protobuf bytes to Arrow columns. This is the only place that knows ptars."""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

import numpy as np
import pyarrow as pa
from ptars import HandlerPool

from .schema import descriptor


@contextmanager
def memory_given_back() -> Iterator[None]:
    """Arrow memory from the system's allocator, which gives it back: a third less at an ingest's peak."""
    pool = pa.default_memory_pool()
    pa.set_memory_pool(pa.system_memory_pool())
    try:
        yield
    finally:
        pa.set_memory_pool(pool)
        pa.system_memory_pool().release_unused()


@cache
def _handler(message: str) -> Any:
    return HandlerPool([descriptor(message).file]).get_for_message(descriptor(message))


def decode(message: str, rows: Any) -> Any:
    """The messages of type `message` in a binary array as a record batch. Raises ValueError."""
    return _handler(message).array_to_record_batch(rows)


def one_row(data: memoryview) -> Any:
    """The bytes as a binary array of one row, without a copy."""
    offsets = pa.py_buffer(np.array([0, len(data)], np.int32))
    return pa.Array.from_buffers(pa.binary(), 1, [None, offsets, pa.py_buffer(data)])
