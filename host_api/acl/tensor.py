"""Descriptions of device tensors (aclCreateTensor)."""

from __future__ import annotations

import math
import operator
from collections.abc import Sequence
from enum import IntEnum
from typing import Any, TypeVar

import numpy as np

from emulator.memory import GlobalMemory
from host_api.acl.dtypes import DataType, Format
from host_api.acl.status import Status, notes_errors, returns_status
from host_api.errors import AclError

ADDRESS_ALIGNMENT = 32
Array = np.ndarray[Any, np.dtype[Any]]

_INT64_MAX = (1 << 63) - 1
_Enum = TypeVar("_Enum", bound=IntEnum)


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
        address: int | None,
    ) -> None:
        self.shape = _extents("shape", shape)
        self.dtype = _member("dtype", DataType, dtype)
        self.strides = _extents("strides", strides) if strides is not None else contiguous_strides(self.shape)
        self.storage_shape = _extents("storage_shape", storage_shape) if storage_shape is not None else self.shape
        self.offset = _offset(offset)
        self.format = _member("data_format", Format, data_format)
        if len(self.strides) != len(self.shape):
            raise AclError(
                Status.INVALID_PARAM, f"strides has {len(self.strides)} entries, shape has {len(self.shape)}"
            )
        end = self.offset + reach(self.shape, self.strides)
        if self.size and end > math.prod(self.storage_shape):
            raise AclError(
                Status.INVALID_PARAM,
                f"shape {self.shape} with strides {self.strides} and offset {offset} reaches element {end - 1}; "
                f"storage_shape {self.storage_shape} has {math.prod(self.storage_shape)}",
            )
        if math.prod(self.storage_shape) > _INT64_MAX or self.size > _INT64_MAX:
            raise AclError(Status.INVALID_PARAM, f"shape {self.shape}: the element count does not fit 64 bits")
        self.address = _address(address)
        self.destroyed = False

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
        return is_contiguous(self.shape, self.strides)

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
        return strided_view(memory, self.first_address, self.dtype, self.shape, self.strides)


@notes_errors
def create_tensor(
    shape: Sequence[int],
    dtype: DataType,
    strides: Sequence[int] | None = None,
    offset: int = 0,
    data_format: Format = Format.ND,
    storage_shape: Sequence[int] | None = None,
    address: int | None = None,
) -> AclTensor:
    """Describe device memory as a tensor; strides and offset in elements.  AclError names what is wrong.

    Extents, strides and offset count from 0 up; strides are row-major by default, ``storage_shape`` is ``shape``.
    ``address`` is a multiple of 32, None or 0 where there is no memory.  A view that leaves its storage is refused at
    once; the vendor's Contiguous refuses it later.  The memory itself is looked at when the tensor is used.
    Source: CANN opbase, aclCreateTensor.
    """
    return AclTensor(shape, dtype, strides, offset, data_format, storage_shape, address)


@returns_status
def destroy_tensor(tensor: AclTensor | None) -> None:
    """Destroy a description; the memory stays.  None is accepted, a destroyed tensor refused with 100000."""
    if tensor is None:
        return
    if not isinstance(tensor, AclTensor) or tensor.destroyed:
        raise AclError(Status.INVALID_PARAM, f"{tensor!r} is no living AclTensor")
    tensor.destroyed = True


def contiguous_strides(shape: Sequence[int]) -> tuple[int, ...]:
    """Row-major element strides."""
    strides = [1] * len(shape)
    for axis in range(len(shape) - 2, -1, -1):
        strides[axis] = strides[axis + 1] * shape[axis + 1]
    return tuple(strides)


def is_contiguous(shape: Sequence[int], strides: Sequence[int]) -> bool:
    """Whether strides are row-major; the stride of an extent of 1 says nothing."""
    wanted = contiguous_strides(shape)
    return all(extent == 1 or stride == step for extent, stride, step in zip(shape, strides, wanted, strict=True))


def reach(shape: Sequence[int], strides: Sequence[int]) -> int:
    """Elements from the first of a view to one past its last; 0 for an empty view."""
    if math.prod(shape) == 0:
        return 0
    return 1 + sum((extent - 1) * stride for extent, stride in zip(shape, strides, strict=True))


def strided_view(
    memory: GlobalMemory, address: int, dtype: DataType, shape: Sequence[int], strides: Sequence[int]
) -> Array:
    """Elements in device memory as an array, not copied; strides in elements."""
    itemsize = dtype.numpy.itemsize
    if math.prod(shape) == 0:
        return np.empty(shape, dtype.numpy)
    raw = memory.view(address, reach(shape, strides) * itemsize).view(dtype.numpy)
    return np.lib.stride_tricks.as_strided(raw, shape, [stride * itemsize for stride in strides])


def _extents(name: str, values: Sequence[int]) -> tuple[int, ...]:
    try:
        extents = tuple(operator.index(value) for value in values)
    except TypeError:
        raise AclError(Status.INVALID_PARAM, f"{name} is {values!r}; integers are needed") from None
    if any(not 0 <= extent <= _INT64_MAX for extent in extents):
        raise AclError(Status.INVALID_PARAM, f"{name} is {extents}; entries must be at least 0 and fit 64 bits")
    return extents


def _offset(offset: int) -> int:
    try:
        number = operator.index(offset)
    except TypeError:
        number = -1
    if not 0 <= number <= _INT64_MAX:
        raise AclError(Status.INVALID_PARAM, f"offset is {offset!r}; the least is 0, and it must fit 64 bits")
    return number


def _member(name: str, kind: type[_Enum], value: int) -> _Enum:
    try:
        return kind(value)
    except ValueError:
        raise AclError(Status.INVALID_PARAM, f"{name} is {value!r}, which is no {kind.__name__}") from None


def _address(address: int | None) -> int:
    if address is None:
        return 0
    try:
        number = operator.index(address)
    except TypeError:
        raise AclError(Status.INVALID_PARAM, f"address is {address!r}; an integer is needed") from None
    if number < 0 or number % ADDRESS_ALIGNMENT:
        raise AclError(Status.INVALID_PARAM, f"address is {number:#x}; it must be a multiple of {ADDRESS_ALIGNMENT}")
    return number
