"""The operator's official example, call for call: {4, 2} values 0.1 … 0.8, beta 1.1, threshold 1.2."""

import sys

import numpy as np

from host_api import acl, aclnn
from host_api.acl import DataType, Format, MemcpyKind, Status


def check(status: Status, what: str) -> None:
    if status != Status.SUCCESS:
        sys.exit(f"{what} failed with {status}: {acl.get_recent_err_msg()}")


def create_device_tensor(host: np.ndarray, dtype: DataType) -> tuple[int, acl.AclTensor]:
    status, address = acl.rt.malloc(host.nbytes)
    check(status, "malloc")
    check(acl.rt.memcpy(address, host.nbytes, host, host.nbytes, MemcpyKind.HOST_TO_DEVICE), "memcpy to device")
    strides = tuple(stride // host.itemsize for stride in host.strides)
    return address, acl.create_tensor(host.shape, dtype, strides, 0, Format.ND, host.shape, address)


def main() -> None:
    # 1. device and stream
    check(acl.init(), "init")
    check(acl.rt.set_device(0), "set_device")
    status, stream = acl.rt.create_stream()
    check(status, "create_stream")

    # 2. inputs and output
    values = np.arange(1, 9, dtype=np.float32).reshape(4, 2) / np.float32(10)
    grad_output_address, grad_output = create_device_tensor(values, DataType.FLOAT)
    self_address, self_tensor = create_device_tensor(values, DataType.FLOAT)
    grad_input_address, grad_input = create_device_tensor(np.zeros((4, 2), np.float32), DataType.FLOAT)
    beta = acl.create_scalar(1.1, DataType.FLOAT)
    threshold = acl.create_scalar(1.2, DataType.FLOAT)

    # 3. the two-phase call
    status, workspace_size, executor = aclnn.softplus_backward_get_workspace_size(
        grad_output, self_tensor, beta, threshold, grad_input
    )
    check(status, "softplus_backward_get_workspace_size")
    workspace = 0
    if workspace_size > 0:
        status, workspace = acl.rt.malloc(workspace_size)
        check(status, "malloc of the workspace")
    check(aclnn.softplus_backward(workspace, workspace_size, executor, stream), "softplus_backward")

    # 4. wait, then fetch the result
    check(acl.rt.synchronize_stream(stream), "synchronize_stream")
    result = np.empty((4, 2), np.float32)
    check(
        acl.rt.memcpy(result, result.nbytes, grad_input_address, result.nbytes, MemcpyKind.DEVICE_TO_HOST),
        "memcpy to host",
    )
    for index, value in enumerate(result.reshape(-1)):
        print(f"result[{index}] is: {value:f}")

    # 5. release everything
    for tensor in (grad_output, self_tensor, grad_input):
        acl.destroy_tensor(tensor)
    for scalar in (beta, threshold):
        acl.destroy_scalar(scalar)
    for address in (grad_output_address, self_address, grad_input_address):
        check(acl.rt.free(address), "free")
    if workspace_size > 0:
        check(acl.rt.free(workspace), "free of the workspace")
    check(acl.rt.destroy_stream(stream), "destroy_stream")
    check(acl.rt.reset_device(0), "reset_device")
    check(acl.finalize(), "finalize")


if __name__ == "__main__":
    main()
