"""Operators on NumPy arrays, by one call."""

from __future__ import annotations

from contextlib import ExitStack
from typing import Any

import numpy as np

from host_api import acl, aclnn
from host_api.acl.dtypes import DataType, Format, MemcpyKind
from host_api.acl.status import Status
from host_api.errors import AclError
from kernels.softplus_v2_grad.op_def import BETA, THRESHOLD

Array = np.ndarray[Any, np.dtype[Any]]


def softplus_backward(
    grad_output: Array,
    self: Array,
    beta: float = BETA.default,
    threshold: float = THRESHOLD.default,
    soc: str = "Ascend950",
) -> Array:
    """aclnnSoftplusBackward on NumPy arrays of one shape; the result has grad_output's dtype.

    grad_output is float16, bfloat16 (ml_dtypes), float32 or float64; self is one of these, bool, uint8 or a signed
    integer.  Goes through the acl and aclnn calls a C program makes and releases what it allocated.  Where the caller
    has acl in use, its device serves, which must then be a ``soc``.  Raises AclError with the status and message of
    the call that failed.
    """
    with ExitStack() as cleanup:
        if acl.init() == Status.SUCCESS:
            cleanup.callback(acl.finalize)
        _require(acl.rt.set_device(0, soc))
        cleanup.callback(acl.rt.reset_device, 0)
        return _run(np.asarray(grad_output), np.asarray(self), beta, threshold, cleanup)


def _run(grad_output: Array, features: Array, beta: float, threshold: float, cleanup: ExitStack) -> Array:
    result = np.empty(grad_output.shape, grad_output.dtype)
    status, stream = acl.rt.create_stream()
    _require(status)
    assert stream is not None
    cleanup.callback(acl.rt.destroy_stream, stream)
    tensors = [
        _tensor(name, array, cleanup)
        for name, array in (("gradOutput", grad_output), ("self", features), ("gradInput", result))
    ]
    for tensor, array in zip(tensors, (grad_output, features), strict=False):
        host = np.ascontiguousarray(array)
        _require(acl.rt.memcpy(tensor.address, host.nbytes, host, host.nbytes, MemcpyKind.HOST_TO_DEVICE))
    scalars = [acl.create_scalar(value, DataType.FLOAT) for value in (beta, threshold)]
    for scalar in scalars:
        cleanup.callback(acl.destroy_scalar, scalar)
    status, nbytes, executor = aclnn.softplus_backward_get_workspace_size(
        tensors[0], tensors[1], scalars[0], scalars[1], tensors[2]
    )
    _require(status)
    workspace = _allocate("workspace", nbytes, cleanup) if nbytes else 0
    _require(aclnn.softplus_backward(workspace, nbytes, executor, stream))
    _require(acl.rt.synchronize_stream(stream))
    _require(acl.rt.memcpy(result, result.nbytes, tensors[2].address, result.nbytes, MemcpyKind.DEVICE_TO_HOST))
    return result


def _allocate(name: str, nbytes: int, cleanup: ExitStack) -> int:
    status, address = acl.rt.malloc(nbytes, label=name)
    _require(status)
    cleanup.callback(acl.rt.free, address)
    return address


def _tensor(name: str, array: Array, cleanup: ExitStack) -> acl.AclTensor:
    dtype = DataType.of_numpy(array.dtype)
    if dtype is None:
        raise AclError(Status.ACLNN_PARAM_INVALID, f"{name} has dtype {array.dtype}, which has no acl counterpart")
    address = _allocate(name, array.nbytes, cleanup) if array.nbytes else 0
    tensor = acl.create_tensor(array.shape, dtype, None, 0, Format.ND, array.shape, address)
    cleanup.callback(acl.destroy_tensor, tensor)
    return tensor


def _require(status: Status) -> None:
    if status != Status.SUCCESS:
        message = acl.get_recent_err_msg()
        raise AclError(status, message.removesuffix(f" (status {int(status)})"))
