"""aclDataType and aclFormat, with the values of the C enumerations."""

from __future__ import annotations

from enum import IntEnum
from typing import Any

import ml_dtypes
import numpy as np


class DataType(IntEnum):
    """aclDataType."""

    FLOAT = 0
    FLOAT16 = 1
    INT8 = 2
    INT32 = 3
    UINT8 = 4
    INT16 = 6
    UINT16 = 7
    UINT32 = 8
    INT64 = 9
    UINT64 = 10
    DOUBLE = 11
    BOOL = 12
    COMPLEX64 = 16
    COMPLEX128 = 17
    BF16 = 27

    @property
    def numpy(self) -> np.dtype[Any]:
        """The NumPy dtype with the same bits."""
        return _NUMPY[self]

    @classmethod
    def of_numpy(cls, dtype: np.dtype[Any]) -> DataType | None:
        """The acl type of a NumPy dtype, or None where there is none."""
        return next((candidate for candidate, known in _NUMPY.items() if known == dtype), None)


_NUMPY: dict[DataType, np.dtype[Any]] = {
    DataType.FLOAT: np.dtype(np.float32),
    DataType.FLOAT16: np.dtype(np.float16),
    DataType.INT8: np.dtype(np.int8),
    DataType.INT32: np.dtype(np.int32),
    DataType.UINT8: np.dtype(np.uint8),
    DataType.INT16: np.dtype(np.int16),
    DataType.UINT16: np.dtype(np.uint16),
    DataType.UINT32: np.dtype(np.uint32),
    DataType.INT64: np.dtype(np.int64),
    DataType.UINT64: np.dtype(np.uint64),
    DataType.DOUBLE: np.dtype(np.float64),
    DataType.BOOL: np.dtype(np.bool_),
    DataType.COMPLEX64: np.dtype(np.complex64),
    DataType.COMPLEX128: np.dtype(np.complex128),
    DataType.BF16: np.dtype(ml_dtypes.bfloat16),
}


class Format(IntEnum):
    """aclFormat; ND is the only one these operators take."""

    ND = 2


class MemcpyKind(IntEnum):
    """aclrtMemcpyKind."""

    HOST_TO_HOST = 0
    HOST_TO_DEVICE = 1
    DEVICE_TO_HOST = 2
    DEVICE_TO_DEVICE = 3
