"""aclnnSoftplusBackward: gradInput = gradOutput x sigmoid(beta x self), or gradOutput above the threshold.

Checks, their order and codes: ops-nn, activation/softplus_v2_grad/op_api/aclnn_softplus_backward.cpp and its page.
The page also speaks of gradOutput broadcasting to self; the shipped check wants equal shapes, and so do we.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from emulator import Device
from host_api import op_launch
from host_api.acl.dtypes import DataType
from host_api.acl.runtime import RUNTIME
from host_api.acl.scalar import AclScalar
from host_api.acl.status import Status, note_error, returns_status
from host_api.acl.tensor import AclTensor
from host_api.aclnn.executor import Executor, Operand, Step
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
_BF16_SOCS = ("ascend950", "ascend910b", "ascend910_93")
"""Products with BFLOAT16; the first Ascend910 (Atlas training series) has none."""
_UNSUPPORTED_SOCS = ("ascend310",)
"""Atlas 200I/500 A2 inference (Ascend310B) and Atlas inference (Ascend310P) do not have the operator."""


def softplus_backward_get_workspace_size(
    grad_output: AclTensor | None,
    self: AclTensor | None,
    beta: AclScalar | None,
    threshold: AclScalar | None,
    grad_input: AclTensor | None,
) -> tuple[Status, int, Executor | None]:
    """Phase one: check the arguments and record the steps; returns (status, workspace bytes, executor).

    The C call also checks its two out-pointers, which Python does not have.  Then, in this order: null arguments
    (161001; beta and threshold too, as the documentation demands and the shipped code forgets), dtypes, more than 8
    dimensions, self against gradOutput, self against gradInput (161002).  An empty tensor needs neither workspace nor
    kernel.  Last come what the documentation leaves open: a product without the operator (561003), and a beta or
    threshold that is no real number (161002).  361001 where no device is set.
    """
    try:
        arguments = _check_not_null(grad_output, self, beta, threshold, grad_input)
        device = _current_device()
        _check_types(arguments, device)
        _check_shapes(arguments)
        executor = Executor(NAME, device, arguments.tensors())
        if arguments.features.size:
            _check_product(device)
            factors = arguments.beta.as_float("beta"), arguments.threshold.as_float("threshold")
            _plan(executor, device, *factors)
    except AclError as error:
        note_error(str(error))
        return Status(error.status), 0, None
    return Status.SUCCESS, executor.workspace_bytes, executor


@returns_status
def softplus_backward(workspace: int | None, workspace_size: int, executor: Executor | None, stream: Any) -> None:
    """Phase two: queue the recorded steps on ``stream``; they run when it is synchronised.

    An executor serves one call.  161001 for a null executor, stream or workspace, 161002 for a spent executor or a
    workspace too small, 100000 for a destroyed tensor, 107003 for a destroyed stream, 107000 for freed memory, 561002
    and 561003 where the operator cannot be tiled or has no kernel for the device.
    """
    if not isinstance(executor, Executor):
        raise AclError(Status.ACLNN_PARAM_NULLPTR, f"executor must come from phase one, not {executor!r}")
    executor.submit(workspace, workspace_size, stream)


@dataclass(frozen=True)
class _Arguments:
    """The call's arguments, all present."""

    grad_output: AclTensor
    features: AclTensor
    beta: AclScalar
    threshold: AclScalar
    grad_input: AclTensor

    def tensors(self) -> dict[str, AclTensor]:
        return {"gradOutput": self.grad_output, "self": self.features, "gradInput": self.grad_input}


def _check_not_null(grad_output: Any, features: Any, beta: Any, threshold: Any, grad_input: Any) -> _Arguments:
    given = {
        "gradOutput": (grad_output, AclTensor),
        "self": (features, AclTensor),
        "gradInput": (grad_input, AclTensor),
        "beta": (beta, AclScalar),
        "threshold": (threshold, AclScalar),
    }
    for name, (value, _) in given.items():
        if value is None:
            raise AclError(Status.ACLNN_PARAM_NULLPTR, f"{name} is null")
    for name, (value, kind) in given.items():
        if not isinstance(value, kind):
            raise AclError(Status.ACLNN_PARAM_INVALID, f"{name} is a {type(value).__name__}, not an {kind.__name__}")
    arguments = _Arguments(grad_output, features, beta, threshold, grad_input)
    for name, tensor in arguments.tensors().items():
        tensor.check(name)
    beta.check("beta")
    threshold.check("threshold")
    return arguments


def _current_device() -> Device:
    try:
        return RUNTIME.current_device()
    except AclError as error:
        raise AclError(Status.ACLNN_RUNTIME_ERROR, error.message) from error


def _check_types(arguments: _Arguments, device: Device) -> None:
    has_bf16 = device.soc.name.lower().startswith(_BF16_SOCS)
    allowed = {"gradOutput": _GRADIENT_TYPES, "self": _SELF_TYPES, "gradInput": _GRADIENT_TYPES}
    for name, tensor in arguments.tensors().items():
        known = [dtype for dtype in allowed[name] if has_bf16 or dtype != DataType.BF16]
        if tensor.dtype not in known:
            names = ", ".join(dtype.name for dtype in known)
            raise AclError(
                Status.ACLNN_PARAM_INVALID, f"{name} is {tensor.dtype.name}; {device.soc.name} takes {names}"
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


def _check_product(device: Device) -> None:
    if device.soc.name.lower().startswith(_UNSUPPORTED_SOCS):
        raise AclError(Status.ACLNN_INNER_FIND_KERNEL_ERROR, f"{device.soc.name} is no product that has {NAME}")


def _plan(executor: Executor, device: Device, beta: float, threshold: float) -> None:
    gradients, features, output = (executor.operand(name) for name in ("gradOutput", "self", "gradInput"))
    same = gradients.dtype == features.dtype and features.dtype in _KERNEL_TYPES
    dtype = features.dtype if same else DataType.FLOAT
    gradients, features = (executor.contiguous(source) for source in (gradients, features))
    gradients, features = (executor.cast(source, dtype) for source in (gradients, features))
    result = _result(executor, output, dtype, (gradients, features))

    def run(device: Device, workspace: int) -> None:
        addresses = gradients.address(workspace), features.address(workspace), result.address(workspace)
        op_launch.launch_softplus_v2_grad(device, addresses, output.shape, dtype.numpy, beta, threshold)

    shapes = (output.shape, output.shape)
    executor.checks.append(lambda: op_launch.find_softplus_v2_grad(device))
    executor.checks.append(
        lambda: op_launch.tile_softplus_v2_grad(device, shapes, output.shape, dtype.numpy, beta, threshold)
    )
    executor.steps.append(Step("SoftplusV2Grad", run))
    executor.view_copy(executor.cast(result, output.dtype, into=output), output)


def _result(executor: Executor, output: Operand, dtype: DataType, inputs: tuple[Operand, ...]) -> Operand:
    """Where the kernel writes: gradInput itself where its layout allows and no input lies in the same memory."""
    direct = output.is_contiguous and output.dtype == dtype and not any(output.overlaps(source) for source in inputs)
    return output if direct else executor.intermediate("SoftplusV2Grad", output.shape, dtype)
