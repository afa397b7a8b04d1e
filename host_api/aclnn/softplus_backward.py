"""aclnnSoftplusBackward: gradInput = gradOutput x sigmoid(beta x self), or gradOutput above the threshold.

Checks, their order and codes: ops-nn, activation/softplus_v2_grad/op_api/aclnn_softplus_backward.cpp and its page.
The steps around the kernel (Contiguous, Cast, ViewCopy) run on the host, on device memory: only the operator itself is
emulated.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from emulator import Device
from host_api import ops
from host_api.acl.dtypes import DataType
from host_api.acl.runtime import RUNTIME
from host_api.acl.status import Status, note_error, returns_status
from host_api.acl.tensor import AclScalar, AclTensor
from host_api.aclnn.executor import Executor
from host_api.errors import AclError

NAME = "aclnnSoftplusBackward"
MAX_DIMENSIONS = 8

_KERNEL_TYPES = (DataType.FLOAT, DataType.FLOAT16, DataType.BF16)
_GRADIENT_TYPES = (DataType.FLOAT, DataType.FLOAT16, DataType.DOUBLE, DataType.BF16)
_SELF_TYPES = (
    *_GRADIENT_TYPES,
    DataType.INT8,
    DataType.INT16,
    DataType.INT32,
    DataType.INT64,
    DataType.UINT8,
    DataType.BOOL,
)


def softplus_backward_get_workspace_size(
    grad_output: AclTensor | None,
    self: AclTensor | None,
    beta: AclScalar | None,
    threshold: AclScalar | None,
    grad_input: AclTensor | None,
) -> tuple[Status, int, Executor | None]:
    """Phase one: check the arguments and record the steps; returns (status, workspace bytes, executor).

    The C call also checks its two out-pointers, which Python does not have.  beta and threshold are checked for null,
    as the documentation demands and the shipped code forgets.
    """
    try:
        tensors = _check_not_null(grad_output, self, grad_input, beta, threshold)
        _check_types(tensors)
        _check_shapes(tensors)
        factors = tensors.beta.as_float("beta"), tensors.threshold.as_float("threshold")
        executor = _plan(tensors, *factors)
    except AclError as error:
        note_error(str(error))
        return Status(error.status), 0, None
    return Status.SUCCESS, executor.workspace_bytes, executor


@returns_status
def softplus_backward(workspace: int, workspace_size: int, executor: Executor | None, stream: Any) -> None:
    """Phase two: queue the recorded steps on ``stream``; they run when it is synchronised."""
    if not isinstance(executor, Executor):
        raise AclError(Status.ACLNN_PARAM_NULLPTR, f"executor must come from phase one, not {executor!r}")
    executor.submit(workspace, workspace_size, stream)


class _Arguments:
    """The call's arguments, all present."""

    def __init__(
        self, grad_output: AclTensor, features: AclTensor, grad_input: AclTensor, beta: AclScalar, threshold: AclScalar
    ) -> None:
        self.grad_output = grad_output
        self.features = features
        self.grad_input = grad_input
        self.beta = beta
        self.threshold = threshold

    def tensors(self) -> dict[str, AclTensor]:
        return {"gradOutput": self.grad_output, "self": self.features, "gradInput": self.grad_input}


def _check_not_null(
    grad_output: AclTensor | None,
    features: AclTensor | None,
    grad_input: AclTensor | None,
    beta: AclScalar | None,
    threshold: AclScalar | None,
) -> _Arguments:
    for name, value in (
        ("gradOutput", grad_output),
        ("self", features),
        ("gradInput", grad_input),
        ("beta", beta),
        ("threshold", threshold),
    ):
        if value is None:
            raise AclError(Status.ACLNN_PARAM_NULLPTR, f"{name} is null")
    assert grad_output is not None
    assert features is not None
    assert grad_input is not None
    assert beta is not None
    assert threshold is not None
    arguments = _Arguments(grad_output, features, grad_input, beta, threshold)
    for name, tensor in arguments.tensors().items():
        tensor.check(name)
    return arguments


def _check_types(arguments: _Arguments) -> None:
    device = RUNTIME.current_device()
    allowed = {"gradOutput": _GRADIENT_TYPES, "self": _SELF_TYPES, "gradInput": _GRADIENT_TYPES}
    for name, tensor in arguments.tensors().items():
        if tensor.dtype not in allowed[name]:
            known = ", ".join(dtype.name for dtype in allowed[name])
            raise AclError(
                Status.ACLNN_PARAM_INVALID, f"{name} is {tensor.dtype.name}; {device.soc.name} takes {known}"
            )


def _check_shapes(arguments: _Arguments) -> None:
    for name, tensor in arguments.tensors().items():
        if len(tensor.shape) > MAX_DIMENSIONS:
            raise AclError(
                Status.ACLNN_PARAM_INVALID, f"{name} has {len(tensor.shape)} dimensions; at most {MAX_DIMENSIONS}"
            )
    features = arguments.features.shape
    for name, other in (("gradOutput", arguments.grad_output), ("gradInput", arguments.grad_input)):
        if features != other.shape:
            raise AclError(
                Status.ACLNN_PARAM_INVALID, f"self is {features}, {name} is {other.shape}; they must be equal"
            )


def _plan(arguments: _Arguments, beta: float, threshold: float) -> Executor:
    executor = Executor(NAME)
    if arguments.features.size == 0:
        return executor
    inputs = (arguments.grad_output, arguments.features)
    types = {tensor.dtype for tensor in inputs}
    same = len(types) == 1 and arguments.features.dtype in _KERNEL_TYPES
    kernel_type = arguments.features.dtype if same else DataType.FLOAT
    sources = [_plan_input(executor, tensor, kernel_type) for tensor in inputs]
    output = arguments.grad_input
    direct = output.is_contiguous and output.dtype == kernel_type
    offset = None if direct else executor.reserve(output.size * kernel_type.numpy.itemsize)

    def run(device: Device, workspace: int) -> None:
        for name, tensor in arguments.tensors().items():
            tensor.check(name)
        target = output.first_address if offset is None else workspace + offset
        gradients, features = (source(workspace) for source in sources)
        ops.launch_softplus_v2_grad(device, gradients, features, target, output.shape, kernel_type, beta, threshold)

    def view_copy(device: Device, workspace: int) -> None:
        assert offset is not None
        raw = device.memory.view(workspace + offset, output.size * kernel_type.numpy.itemsize)
        output.view(device.memory)[...] = raw.view(kernel_type.numpy).reshape(output.shape).astype(output.dtype.numpy)

    executor.steps.append(run)
    if not direct:
        executor.steps.append(view_copy)
    return executor


def _plan_input(executor: Executor, tensor: AclTensor, kernel_type: DataType) -> Any:
    """Where the kernel finds an input: in place, or in the workspace after Contiguous and Cast."""
    if tensor.is_contiguous and tensor.dtype == kernel_type:
        return lambda _workspace: tensor.first_address
    offset = executor.reserve(tensor.size * kernel_type.numpy.itemsize)

    def copy(device: Device, workspace: int) -> None:
        tensor.check("input")
        with np.errstate(over="ignore", invalid="ignore"):
            values = np.ascontiguousarray(tensor.view(device.memory)).astype(kernel_type.numpy)
        device.memory.write(workspace + offset, values)

    executor.steps.append(copy)
    return lambda workspace: workspace + offset
