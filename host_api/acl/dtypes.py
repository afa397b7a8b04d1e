"""aclDataType, aclFormat and aclrtMemcpyKind, with the values of the C enumerations.

Source: the enumerations page of the CANN runtime reference.  Names are the aclnn documentation's short forms: FLOAT is
ACL_FLOAT.
"""

from __future__ import annotations

from enum import IntEnum
from typing import Any

import ml_dtypes
import numpy as np

from host_api.acl.status import Status
from host_api.errors import AclError


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
    STRING = 13
    COMPLEX64 = 16
    COMPLEX128 = 17
    BF16 = 27
    INT4 = 29
    UINT1 = 30
    COMPLEX32 = 33
    HIFLOAT8 = 34
    FLOAT8_E5M2 = 35
    FLOAT8_E4M3FN = 36
    FLOAT8_E8M0 = 37
    FLOAT6_E3M2 = 38
    FLOAT6_E2M3 = 39
    FLOAT4_E2M1 = 40
    FLOAT4_E1M2 = 41

    @property
    def numpy(self) -> np.dtype[Any]:
        """The NumPy dtype with the same bits; AclError for a type that can be named but not computed with here."""
        found = _NUMPY.get(self)
        if found is None:
            raise AclError(Status.INVALID_PARAM, f"dtype {self.name} has no NumPy counterpart here")
        return found

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
    """aclFormat: how the dimensions are to be understood.  The operators here look at shape and strides only."""

    UNDEFINED = -1
    NCHW = 0
    NHWC = 1
    ND = 2
    NC1HWC0 = 3
    FRACTAL_Z = 4
    NC1HWC0_C04 = 12
    HWCN = 16
    NDHWC = 27
    FRACTAL_NZ = 29
    NCDHW = 30
    NDC1HWC0 = 32
    FRACTAL_Z_3D = 33
    NC = 35
    NCL = 47


class MemcpyKind(IntEnum):
    """aclrtMemcpyKind."""

    HOST_TO_HOST = 0
    HOST_TO_DEVICE = 1
    DEVICE_TO_HOST = 2
    DEVICE_TO_DEVICE = 3
