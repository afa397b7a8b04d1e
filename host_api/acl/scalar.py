"""Scalars on the host (aclCreateScalar)."""

from __future__ import annotations

from typing import Any

import numpy as np

from host_api.acl.dtypes import DataType
from host_api.acl.status import Status, notes_errors, returns_status
from host_api.errors import AclError

_WIDTH = {"b": 0, "u": 1, "i": 1, "f": 2, "V": 2, "c": 3}
"""NumPy kinds from narrow to wide; bfloat16 is of kind V."""


class AclScalar:
    """A scalar on the host: ``value`` is the Python number that the element type holds."""

    def __init__(self, value: Any, dtype: DataType) -> None:
        try:
            self.dtype = DataType(dtype)
        except ValueError:
            raise AclError(Status.INVALID_PARAM, f"dtype is {dtype!r}, which is no DataType") from None
        self.value = _converted(value, self.dtype)
        self.destroyed = False

    def check(self, name: str) -> None:
        """Refuse a destroyed scalar."""
        if self.destroyed:
            raise AclError(Status.INVALID_PARAM, f"{name} was destroyed and is used again")

    def as_float(self, name: str) -> float:
        """The value as FLOAT, rounded once; AclError where it has an imaginary part."""
        value = self.value
        if isinstance(value, complex):
            if value.imag != 0:
                raise AclError(
                    Status.ACLNN_PARAM_INVALID,
                    f"{name} is {self.dtype.name} {value}, which does not convert to FLOAT",
                )
            value = value.real
        with np.errstate(over="ignore"):
            return float(np.float32(value))


def _converted(value: Any, dtype: DataType) -> bool | int | float | complex:
    target = dtype.numpy
    refused = AclError(Status.INVALID_PARAM, f"value {value!r} is no {dtype.name} scalar")
    given = np.asarray(value)
    if given.ndim or given.dtype.kind not in _WIDTH or _WIDTH[given.dtype.kind] > _WIDTH[target.kind]:
        raise refused
    if target.kind in "ui" and not np.iinfo(target).min <= int(given) <= np.iinfo(target).max:
        raise refused
    with np.errstate(all="ignore"):
        converted: bool | int | float | complex = given.astype(target).item()
    return converted


@notes_errors
def create_scalar(value: Any, dtype: DataType) -> AclScalar:
    """A host scalar of an acl type, from a Python number or a NumPy scalar.  AclError where it does not fit.

    In C the value has the type already.  Here floats are rounded to it; integers must fit it, and a float does not
    become an integer nor a complex number a real one.  Source: CANN opbase, aclCreateScalar.
    """
    return AclScalar(value, dtype)


@returns_status
def destroy_scalar(scalar: AclScalar | None) -> None:
    """Destroy a scalar.  None is accepted, a destroyed scalar refused with 100000."""
    if scalar is None:
        return
    if not isinstance(scalar, AclScalar) or scalar.destroyed:
        raise AclError(Status.INVALID_PARAM, f"{scalar!r} is no living AclScalar")
    scalar.destroyed = True
