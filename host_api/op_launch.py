"""Tiling and launching an operator on a device: what aclnn calls and the command line have in common."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from emulator import Device, LaunchResult
from emulator.asc.jit import Kernel
from emulator.dtypes import DTYPES
from host_api.acl.status import Status
from host_api.errors import AclError
from kernels.softplus_v2_grad.op_def import SOFTPLUS_V2_GRAD
from kernels.softplus_v2_grad.tiling_data import TilingData
from tiling import TilingError
from tiling.softplus_v2_grad import make_tiling

Shape = Sequence[int]


def find_softplus_v2_grad(device: Device) -> Kernel:
    """The operator's kernel for a device's architecture; AclError (561003) where it has none."""
    if not device.soc.capabilities.register_level:
        raise AclError(
            Status.ACLNN_INNER_FIND_KERNEL_ERROR,
            f"{SOFTPLUS_V2_GRAD.name} has a kernel for {', '.join(SOFTPLUS_V2_GRAD.soc_families)} only, none for "
            f"{device.soc.name} ({device.soc.arch})",
        )
    from kernels.softplus_v2_grad.arch35 import softplus_v2_grad

    return softplus_v2_grad


def tile_softplus_v2_grad(
    device: Device, input_shapes: tuple[Shape, Shape], output_shape: Shape, dtype: Any, beta: float, threshold: float
) -> TilingData:
    """The operator's tiling on a device; AclError (561002) where shapes, UB or cores do not allow one.

    ``dtype`` is a NumPy dtype or a name.
    """
    try:
        return make_tiling(
            input_shapes,
            [output_shape],
            dtype,
            ub_bytes=device.soc.ub_bytes,
            aiv_cores=device.soc.aiv_cores,
            beta=beta,
            threshold=threshold,
        )
    except TilingError as error:
        raise AclError(Status.ACLNN_INNER_TILING_ERROR, str(error)) from error


def launch_softplus_v2_grad(
    device: Device, addresses: tuple[int, int, int], shape: Shape, dtype: Any, beta: float, threshold: float
) -> LaunchResult:
    """Tile and run the operator on contiguous tensors of one shape in device memory.

    ``addresses`` are those of gradients, features and output; ``dtype`` is their NumPy dtype.
    """
    kernel = find_softplus_v2_grad(device)
    tiling = tile_softplus_v2_grad(device, (shape, shape), shape, dtype, beta, threshold)
    tensors = [device.tensor(address, DTYPES[dtype.name], math.prod(shape)) for address in addresses]
    return device.launch(kernel, tiling.multicore.num_cores, (*tensors, tiling))
