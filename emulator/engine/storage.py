"""Widening and rounding: how each element type is read into a lane and written back.

Lanes are float32 for floating types and int64 for integers.  Writing back rounds to nearest even once; integers wrap.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from emulator.dtypes import DTYPES, DataType
from emulator.engine.intrinsics import (
    POINTER_TO,
    bits_of_float32,
    float32_of_bits,
    float32_of_half,
    float64_of_bits,
    half_of_float32,
)
from emulator.engine.jit import inlined
from emulator.engine.lanes.registry import Flush, Lane

NAN_BITS = np.uint32(0x7FFFFFFF)
"""The NaN that arithmetic produces, as the division page documents it; the other calls are assumed to agree."""


class Storage(NamedTuple):
    """How the engine handles one element type."""

    pointer: Any
    load: Callable[[Any], Any]
    store: Callable[[Any], Any]
    scalar: Callable[[Any], Any]
    flush: Callable[[Any], Any]


@inlined
def _identity(x: Any) -> Any:
    return x


@inlined
def _store_float32(x: Any) -> Any:
    return np.float32(x)


@inlined
def _load_bfloat16(x: Any) -> Any:
    return float32_of_bits(np.uint32(np.uint32(x) << np.uint32(16)))


@inlined
def _store_float16(x: Any) -> Any:
    return half_of_float32(np.float32(x))


@inlined
def _store_bfloat16(x: Any) -> Any:
    # Written out because the instruction that some hosts have for it flushes denormals.
    value = np.float32(x)
    bits = bits_of_float32(value)
    odd = np.uint32((bits >> np.uint32(16)) & np.uint32(1))
    rounded = np.uint32((bits + np.uint32(0x7FFF) + odd) >> np.uint32(16))
    return np.uint16(rounded) if value == value else np.uint16(0x7FFF)


@inlined
def _scalar_float(bits: Any) -> Any:
    return np.float32(float64_of_bits(bits))


@inlined
def _load_integer(x: Any) -> Any:
    return np.int64(x)


@inlined
def canonical_nan(x: Any) -> Any:
    """The value, or the canonical NaN in place of any NaN."""
    value = np.float32(x)
    return value if value == value else float32_of_bits(NAN_BITS)


def _flush_below(smallest_normal: float) -> Callable[[Any], Any]:
    limit = np.float32(smallest_normal).view(np.uint32)
    magnitude, sign = np.uint32(0x7FFFFFFF), np.uint32(0x80000000)

    @inlined
    def flush(x: Any) -> Any:
        # On the bits, since arithmetic on denormals is slow on some hosts.
        bits = bits_of_float32(np.float32(x))
        return float32_of_bits(bits if bits & magnitude >= limit else bits & sign)

    return flush


def _integer(name: str) -> Storage:
    wrap = getattr(np, name)

    @inlined
    def store(x: Any) -> Any:
        return wrap(x)

    return Storage(POINTER_TO[name], _load_integer, store, _identity, _identity)


_NORMAL_FLOAT32 = 2.0**-126

STORAGE: dict[str, Storage] = {
    "float32": Storage(POINTER_TO["float32"], _identity, _store_float32, _scalar_float, _flush_below(_NORMAL_FLOAT32)),
    "float16": Storage(POINTER_TO["uint16"], float32_of_half, _store_float16, _scalar_float, _flush_below(2.0**-14)),
    "bfloat16": Storage(
        POINTER_TO["uint16"], _load_bfloat16, _store_bfloat16, _scalar_float, _flush_below(_NORMAL_FLOAT32)
    ),
} | {name: _integer(name) for name, dtype in DTYPES.items() if not dtype.is_float}


def result_of(lane: Lane, dtype: DataType) -> Any:
    """What happens to a lane function's result before it is stored: flushing, and one NaN for all."""
    if not dtype.is_float or lane.keeps_nan:
        return _identity
    if lane.flush is Flush.NONE:
        return canonical_nan
    flush = STORAGE[dtype.name].flush

    @inlined
    def flush_and_canonicalise(x: Any) -> Any:
        return canonical_nan(flush(x))

    return flush_and_canonicalise
