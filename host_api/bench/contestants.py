"""What is measured: the emulator warm and cold, the NumPy expression, and PyTorch where it is installed."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from typing import Any

import numpy as np

from emulator import Device, LaunchResult
from host_api.op_launch import find_softplus_v2_grad, tile_softplus_v2_grad

Array = np.ndarray[Any, np.dtype[Any]]
BETA, THRESHOLD = 1.1, 20.0


class Operands:
    """Inputs in a storage type and in float32, with outputs allocated beforehand."""

    def __init__(self, shape: tuple[int, ...], dtype: np.dtype[Any], seed: int = 0) -> None:
        generator = np.random.default_rng(seed)
        self.gradients = generator.uniform(-2, 2, shape).astype(dtype)
        self.features = generator.uniform(-6, 6, shape).astype(dtype)
        self.output = np.zeros(shape, dtype)


def emulated(device: Device, operands: Operands, *, cold: bool = False) -> Callable[[], LaunchResult]:
    """A launch on ``device``; ``cold`` forgets the recorded program first."""
    kernel = find_softplus_v2_grad(device)
    shape = operands.output.shape
    shapes = (operands.gradients.shape, operands.features.shape)
    tiling = tile_softplus_v2_grad(device, shapes, shape, operands.output.dtype, BETA, THRESHOLD)
    arguments = (operands.gradients, operands.features, operands.output, tiling)

    def run() -> LaunchResult:
        if cold:
            kernel.programs.clear()
        return device.launch(kernel, tiling.multicore.num_cores, arguments)

    return run


def numpy_expression(operands: Operands) -> Callable[[], object]:
    """np.where(b x > t, g, g / (np.exp(-b x) + 1)) in float32, each step into memory allocated beforehand."""
    gradients, features = (array.astype(np.float32) for array in (operands.gradients, operands.features))
    product, work, above = np.empty_like(features), np.empty_like(features), np.empty(features.shape, np.bool_)
    beta, threshold, one = np.float32(BETA), np.float32(THRESHOLD), np.float32(1)

    def run() -> object:
        np.multiply(features, beta, out=product)
        np.greater(product, threshold, out=above)
        np.negative(product, out=work)
        with np.errstate(over="ignore"):
            np.exp(work, out=work)
        np.add(work, one, out=work)
        np.divide(gradients, work, out=work)
        np.copyto(work, gradients, where=above)
        return work

    return run


def plain_numpy_expression(operands: Operands) -> Callable[[], object]:
    """The same as one would type it, with temporaries."""
    gradients, features = (array.astype(np.float32) for array in (operands.gradients, operands.features))
    beta, threshold, one = np.float32(BETA), np.float32(THRESHOLD), np.float32(1)

    def run() -> object:
        with np.errstate(over="ignore"):
            quotient = gradients / (np.exp(-beta * features) + one)
        return np.where(beta * features > threshold, gradients, quotient)

    return run


def torch_kernel(operands: Operands, threads: int) -> Callable[[], object] | None:
    """PyTorch's native softplus_backward into a tensor allocated beforehand, or None where torch is not installed."""
    if importlib.util.find_spec("torch") is None:
        return None
    import torch

    torch.set_num_threads(threads)
    kind = getattr(torch, operands.output.dtype.name)
    gradients, features = (
        torch.from_numpy(array.astype(np.float32)).to(kind) for array in (operands.gradients, operands.features)
    )
    output = torch.empty_like(gradients)
    backward = torch.ops.aten.softplus_backward.grad_input
    return lambda: backward(gradients, features, BETA, THRESHOLD, grad_input=output)
