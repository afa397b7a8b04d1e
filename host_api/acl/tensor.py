"""Descriptions of device tensors and host scalars (aclCreateTensor, aclCreateScalar)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from emulator.memory import GlobalMemory
from host_api.acl.dtypes import DataType, Format
from host_api.acl.status import Status, note_error
from host_api.errors import AclError

Array = np.ndarray[Any, np.dtype[Any]]


class AclTensor:
    """A view of device memory: element (i, j, …) lies at ``offset`` + i x strides[0] + j x strides[1] + … elements."""

    def __init__(
        self,
        shape: Sequence[int],
        dtype: DataType,
        strides: Sequence[int] | None,
        offset: int,
        data_format: Format,
        storage_shape: Sequence[int] | None,
        address: int,
    ) -> None:
        self.shape = _extents("shape", shape)
        self.dtype = DataType(dtype)
        self.strides = _extents("strides", strides) if strides is not None else contiguous_strides(self.shape)
        self.storage_shape = _extents("storage_shape", storage_shape) if storage_shape is not None else self.shape
        self.offset = int(offset)
        self.format = data_format
        self.address = address
        self.destroyed = False
        if len(self.strides) != len(self.shape):
            raise AclError(
                Status.INVALID_PARAM, f"strides has {len(self.strides)} entries, shape has {len(self.shape)}"
            )
        if self.offset < 0:
            raise AclError(Status.INVALID_PARAM, f"offset is {offset}; the least is 0")
        last = self.offset + sum((extent - 1) * stride for extent, stride in zip(self.shape, self.strides, strict=True))
        if self.size and last >= math.prod(self.storage_shape):
            raise AclError(
                Status.INVALID_PARAM,
                f"shape {self.shape} with strides {self.strides} and offset {offset} reaches element {last}; "
                f"storage_shape {self.storage_shape} has {math.prod(self.storage_shape)}",
            )

    @property
    def size(self) -> int:
        """Elements."""
        return math.prod(self.shape)

    @property
    def nbytes(self) -> int:
        return self.size * self.dtype.numpy.itemsize

    @property
    def is_contiguous(self) -> bool:
        """Whether the elements lie one after another in row-major order."""
        wanted = contiguous_strides(self.shape)
        return all(
            extent == 1 or stride == needed
            for extent, stride, needed in zip(self.shape, self.strides, wanted, strict=True)
        )

    @property
    def first_address(self) -> int:
        """Address of the first element."""
        return self.address + self.offset * self.dtype.numpy.itemsize

    def check(self, name: str) -> None:
        """Refuse a destroyed tensor."""
        if self.destroyed:
            raise AclError(Status.INVALID_PARAM, f"{name} was destroyed and is used again")

    def view(self, memory: GlobalMemory) -> Array:
        """The elements in device memory as an array, not copied."""
        itemsize = self.dtype.numpy.itemsize
        if self.size == 0:
            return np.empty(self.shape, self.dtype.numpy)
        last = sum((extent - 1) * stride for extent, stride in zip(self.shape, self.strides, strict=True))
        raw = memory.view(self.first_address, (last + 1) * itemsize).view(self.dtype.numpy)
        strides = [stride * itemsize for stride in self.strides]
        return np.lib.stride_tricks.as_strided(raw, self.shape, strides)


class AclScalar:
    """A scalar on the host."""

    def __init__(self, value: Any, dtype: DataType) -> None:
        self.dtype = DataType(dtype)
        try:
            self.value = np.asarray(value).astype(self.dtype.numpy).item()
        except (TypeError, ValueError):
            raise AclError(Status.INVALID_PARAM, f"value {value!r} is no {self.dtype.name} scalar") from None
        self.destroyed = False

    def as_float(self, name: str) -> float:
        """The value as FLOAT; AclError where it cannot become one."""
        if self.destroyed:
            raise AclError(Status.INVALID_PARAM, f"{name} was destroyed and is used again")
        if isinstance(self.value, complex):
            raise AclError(Status.ACLNN_PARAM_INVALID, f"{name} is {self.dtype.name}, which does not convert to FLOAT")
        with np.errstate(over="ignore"):
            return float(np.float32(self.value))


def create_tensor(
    shape: Sequence[int],
    dtype: DataType,
    strides: Sequence[int] | None,
    offset: int,
    data_format: Format,
    storage_shape: Sequence[int] | None,
    address: int,
) -> AclTensor:
    """Describe device memory as a tensor; strides and offset in elements.  AclError names what is wrong."""
    return AclTensor(shape, dtype, strides, offset, data_format, storage_shape, address)


def create_scalar(value: Any, dtype: DataType) -> AclScalar:
    """A host scalar of an acl type."""
    return AclScalar(value, dtype)


def destroy_tensor(tensor: AclTensor) -> Status:
    """Destroy a description; the memory stays."""
    return _destroy(tensor, AclTensor)


def destroy_scalar(scalar: AclScalar) -> Status:
    """Destroy a scalar."""
    return _destroy(scalar, AclScalar)


def _destroy(thing: AclTensor | AclScalar, kind: type) -> Status:
    if not isinstance(thing, kind) or thing.destroyed:
        note_error(f"{thing!r} is no living {kind.__name__}")
        return Status.INVALID_PARAM
    thing.destroyed = True
    return Status.SUCCESS


def contiguous_strides(shape: Sequence[int]) -> tuple[int, ...]:
    """Row-major element strides."""
    strides = [1] * len(shape)
    for axis in range(len(shape) - 2, -1, -1):
        strides[axis] = strides[axis + 1] * shape[axis + 1]
    return tuple(strides)


def _extents(name: str, values: Sequence[int]) -> tuple[int, ...]:
    extents = tuple(int(value) for value in values)
    for value in extents:
        if value < 0:
            raise AclError(Status.INVALID_PARAM, f"{name} is {extents}; entries must be at least 0")
    return extents
