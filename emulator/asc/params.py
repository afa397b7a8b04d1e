"""Parameter records of copies, with pyasc's field names and defaults."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from emulator.dtypes import DataType


@dataclass(frozen=True, slots=True)
class DataCopyParams:
    """``block_count`` blocks of ``block_len`` x 32 B; gaps from tail to head in 32 B."""

    block_count: int = 1
    block_len: int = 0
    src_stride: int = 0
    dst_stride: int = 0


@dataclass(frozen=True, slots=True)
class DataCopyExtParams:
    """``block_count`` blocks of ``block_len`` bytes; the gap is in bytes on the GM side, in 32 B on the UB side."""

    block_count: int = 1
    block_len: int = 0
    src_stride: int = 0
    dst_stride: int = 0
    rsv: int = 0


@dataclass(frozen=True, slots=True)
class DataCopyPadExtParams:
    """Padding of a copy into UB, in elements of ``dtype``; each side at most 32 B."""

    dtype: DataType
    is_pad: bool = False
    left_padding: int = 0
    right_padding: int = 0
    pad_value: float = 0


@dataclass(frozen=True, slots=True)
class NdDmaLoopInfo:
    """Loops of an N-dimensional copy, innermost first; sizes, strides and paddings in elements."""

    loop_size: Sequence[int]
    loop_src_stride: Sequence[int]
    loop_dst_stride: Sequence[int]
    loop_lp_size: Sequence[int] = field(default=())
    loop_rp_size: Sequence[int] = field(default=())


@dataclass(frozen=True, slots=True)
class NdDmaParams:
    """An N-dimensional copy: its loops, and how padding is filled."""

    loop_info: NdDmaLoopInfo
    constant_value: float = 0
    is_nearest_value_mode: bool = False
