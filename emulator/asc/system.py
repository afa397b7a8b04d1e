"""What a kernel can ask about where it runs."""

from __future__ import annotations

import builtins
from collections.abc import Iterable, Iterator
from typing import Any

from emulator.asc.context import current_recorder, is_recording
from emulator.dtypes import DataType


def get_block_idx() -> int:
    """Index of this core within the launch, 0..get_block_num() - 1."""
    return current_recorder().block_idx


def get_block_num() -> int:
    """Number of cores of the launch."""
    return current_recorder().block_num


def get_data_block_size_in_bytes() -> int:
    """Bytes of a data block."""
    return 32


def number(value: float, dtype: DataType) -> Any:
    """A scalar of ``dtype``: inside a vector function a scalar register, elsewhere a plain Python number."""
    recorder = current_recorder()
    if recorder.vector is not None:
        return recorder.vector.scalar(value, dtype)
    return float(value) if dtype.is_float else int(value)


def range(*bounds: int) -> Iterator[Any]:  # noqa: A001  (pyasc's name)
    """A loop.  Inside a vector function it is a hardware loop, recorded once; elsewhere Python's range."""
    if is_recording():
        vector = current_recorder().vector
        if vector is not None:
            return vector.loop(*bounds)
    return iter(builtins.range(*bounds))


def static_range(*bounds: int) -> Iterable[int]:
    """A loop that is unrolled while it is recorded."""
    return builtins.range(*bounds)
