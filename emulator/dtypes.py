"""Element types, named as Ascend C and pyasc name them."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import Any

import numpy as np


@dataclass(frozen=True)
class DataType:
    """An element type: ``name`` as in pyasc, ``size_bytes``, and ``kind`` ('f' float, 'i' signed, 'u' unsigned)."""

    name: str
    size_bytes: int
    kind: str
    significand_bits: int = field(default=0)

    def sizeof(self) -> int:
        """Bytes of one element (pyasc's spelling)."""
        return self.size_bytes

    @cached_property
    def numpy(self) -> np.dtype[Any]:
        """The NumPy dtype with the same bits; bfloat16 comes from ml_dtypes."""
        if self.name == "bfloat16":
            import ml_dtypes

            bfloat16_type: np.dtype[Any] = np.dtype(ml_dtypes.bfloat16)
            return bfloat16_type
        return np.dtype(self.name)

    @property
    def is_float(self) -> bool:
        return self.kind == "f"

    def __str__(self) -> str:
        return self.name

    def __repr__(self) -> str:
        return f"asc.{self.name}"


float16 = DataType("float16", 2, "f", 11)
bfloat16 = DataType("bfloat16", 2, "f", 8)
float32 = DataType("float32", 4, "f", 24)
int8 = DataType("int8", 1, "i")
int16 = DataType("int16", 2, "i")
int32 = DataType("int32", 4, "i")
int64 = DataType("int64", 8, "i")
uint8 = DataType("uint8", 1, "u")
uint16 = DataType("uint16", 2, "u")
uint32 = DataType("uint32", 4, "u")
uint64 = DataType("uint64", 8, "u")
half = float16

DTYPES: dict[str, DataType] = {
    dtype.name: dtype
    for dtype in (float16, bfloat16, float32, int8, int16, int32, int64, uint8, uint16, uint32, uint64)
}


def of_array(array: np.ndarray[Any, Any]) -> DataType | None:
    """The element type of a NumPy array, or None where Ascend C has no such type (bool arrays count as uint8)."""
    name = "uint8" if array.dtype == np.bool_ else array.dtype.name
    return DTYPES.get(name)


def element_bits(value: float, dtype: DataType) -> int:
    """The bits of one element as an int64; floats are rounded to the type, integers wrap."""
    if dtype.is_float:
        with np.errstate(over="ignore"):
            return int.from_bytes(np.array(value, np.float64).astype(dtype.numpy).tobytes(), "little")
    return _as_int64(int(value) % (1 << (8 * dtype.size_bytes)))


def element_of_bytes(data: bytes, dtype: DataType) -> float | int:
    """One element from its bytes, as a Python number."""
    element = np.frombuffer(data, dtype.numpy)[0]
    return float(element) if dtype.is_float else int(element)


def immediate_bits(scalar: float, dtype: DataType) -> int:
    """A scalar operand as the 64 bits an instruction carries: rounded to the element type, then widened."""
    if not dtype.is_float:
        return _as_int64(int(scalar) % (1 << 64))
    return _float_immediate(float(scalar), math.copysign(1.0, scalar), dtype)


@lru_cache(4096)
def _float_immediate(scalar: float, _sign: float, dtype: DataType) -> int:
    # The sign is an argument because 0.0 and -0.0 are one key of the cache.
    with np.errstate(over="ignore"):
        rounded = np.array([scalar], np.float64).astype(dtype.numpy).astype(np.float64)
    return int(rounded.view(np.int64)[0])


def _as_int64(bits: int) -> int:
    return bits - (1 << 64) if bits >> 63 else bits
