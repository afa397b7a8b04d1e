"""Operators by one call: on device memory for the aclnn layer, on NumPy arrays for everybody."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from emulator import Device, LaunchResult
from emulator.asc.jit import Kernel
from emulator.dtypes import DTYPES
from host_api.acl.dtypes import DataType, Format, MemcpyKind
from host_api.acl.status import Status
from host_api.errors import AclError
from kernels.softplus_v2_grad.op_def import BETA, SOFTPLUS_V2_GRAD, THRESHOLD
from tiling.softplus_v2_grad import make_tiling

Array = np.ndarray[Any, np.dtype[Any]]


def find_softplus_v2_grad(device: Device) -> Kernel:
    """The operator's kernel for a device's architecture; AclError where it has none."""
    if not device.soc.capabilities.register_level:
        raise AclError(
            Status.ACLNN_INNER_FIND_KERNEL_ERROR,
            f"{SOFTPLUS_V2_GRAD.name} has a kernel for {', '.join(SOFTPLUS_V2_GRAD.soc_families)} only, none for "
            f"{device.soc.name} ({device.soc.arch})",
        )
    from kernels.softplus_v2_grad.arch35 import softplus_v2_grad

    return softplus_v2_grad


def launch_softplus_v2_grad(
    device: Device,
    gradients: int,
    features: int,
    output: int,
    shape: Sequence[int],
    dtype: DataType,
    beta: float,
    threshold: float,
) -> LaunchResult:
    """Tile and run the operator on contiguous tensors of one shape in device memory, given by address."""
    kernel = find_softplus_v2_grad(device)
    tiling = make_tiling(
        [shape, shape],
        [shape],
        dtype.numpy,
        ub_bytes=device.soc.ub_bytes,
        aiv_cores=device.soc.aiv_cores,
        beta=beta,
        threshold=threshold,
    )
    element = DTYPES[dtype.numpy.name]
    tensors = [device.tensor(address, element, math.prod(shape)) for address in (gradients, features, output)]
    return device.launch(kernel, tiling.multicore.num_cores, (*tensors, tiling))


def softplus_backward(
    grad_output: Array,
    self: Array,
    beta: float = BETA.default,
    threshold: float = THRESHOLD.default,
    soc: str = "Ascend950",
) -> Array:
    """aclnnSoftplusBackward on NumPy arrays of one shape; the result has grad_output's dtype.

    Goes through the acl and aclnn calls a C program makes and releases what it allocated.  Raises AclError with the
    status and message of the call that failed.
    """
    from host_api import acl

    owns_runtime = acl.init() == Status.SUCCESS
    try:
        _require(acl.rt.set_device(0, soc))
        return _run(np.asarray(grad_output), np.asarray(self), beta, threshold)
    finally:
        if owns_runtime:
            acl.finalize()


def _run(grad_output: Array, features: Array, beta: float, threshold: float) -> Array:
    from host_api import acl, aclnn

    result = np.empty(grad_output.shape, grad_output.dtype)
    cleanup: list[Callable[[], Any]] = []
    try:
        status, stream = acl.rt.create_stream()
        _require(status)
        assert stream is not None
        cleanup.append(lambda: acl.rt.destroy_stream(stream))
        tensors = [_upload(array, cleanup) for array in (grad_output, features, result)]
        scalars = [acl.create_scalar(value, DataType.FLOAT) for value in (beta, threshold)]
        status, nbytes, executor = aclnn.softplus_backward_get_workspace_size(
            tensors[0], tensors[1], scalars[0], scalars[1], tensors[2]
        )
        _require(status)
        workspace = _allocate(nbytes, cleanup) if nbytes else 0
        _require(aclnn.softplus_backward(workspace, nbytes, executor, stream))
        _require(acl.rt.synchronize_stream(stream))
        if result.nbytes:
            address = tensors[2].address
            _require(acl.rt.memcpy(result, result.nbytes, address, result.nbytes, MemcpyKind.DEVICE_TO_HOST))
        return result
    finally:
        for release in reversed(cleanup):
            release()


def _allocate(nbytes: int, cleanup: list[Callable[[], Any]]) -> int:
    from host_api import acl

    status, address = acl.rt.malloc(max(nbytes, 1))
    _require(status)
    cleanup.append(lambda: acl.rt.free(address))
    return address


def _upload(array: Array, cleanup: list[Callable[[], Any]]) -> Any:
    from host_api import acl

    dtype = DataType.of_numpy(array.dtype)
    if dtype is None:
        raise AclError(Status.ACLNN_PARAM_INVALID, f"dtype {array.dtype} has no acl counterpart")
    address = _allocate(array.nbytes, cleanup)
    host = np.ascontiguousarray(array)
    _require(acl.rt.memcpy(address, max(host.nbytes, 1), host, host.nbytes, MemcpyKind.HOST_TO_DEVICE))
    tensor = acl.create_tensor(array.shape, dtype, None, 0, Format.ND, array.shape, address)
    cleanup.append(lambda: acl.destroy_tensor(tensor))
    return tensor


def _require(status: Status) -> None:
    from host_api import acl

    if status != Status.SUCCESS:
        raise AclError(status, acl.get_recent_err_msg())
