"""One run of an operator on random data, compared with golden."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import ml_dtypes
import numpy as np

from emulator import Device, LaunchResult
from host_api.op_launch import find_softplus_v2_grad, tile_softplus_v2_grad
from kernels.softplus_v2_grad.golden import bound_applies, softplus_v2_grad_from_product, ulp_error
from kernels.softplus_v2_grad.tiling_data import TilingData

Array = np.ndarray[Any, np.dtype[Any]]

ULP_LIMITS = {"float32": 3.0, "float16": 1.0, "bfloat16": 1.0}
_CHUNK = 1 << 22


@dataclass(frozen=True)
class Accuracy:
    """Error against the float64 reference that starts from the float32 product beta x self.

    ``max_ulp`` and ``mismatches`` (elements beyond the dtype's limit) count where the bounds hold
    (see golden.bound_applies).
    """

    max_abs_error: float
    max_rel_error: float
    max_ulp: float
    mismatches: int


@dataclass(frozen=True)
class Experiment:
    """What a run gave."""

    tiling: TilingData
    result: LaunchResult
    accuracy: Accuracy
    output: Array
    seconds: float


def random_inputs(shape: tuple[int, ...], dtype: str, seed: int) -> tuple[Array, Array]:
    """Gradients uniform in -2…2 and features uniform in -6…6, in ``dtype``."""
    generator = np.random.default_rng(seed)
    kind = np.dtype(ml_dtypes.bfloat16) if dtype == "bfloat16" else np.dtype(dtype)
    gradients = generator.uniform(-2, 2, shape).astype(kind)
    features = generator.uniform(-6, 6, shape).astype(kind)
    return np.asarray(gradients), np.asarray(features)


def run_softplus_v2_grad(
    device: Device,
    gradients: Array,
    features: Array,
    beta: float,
    threshold: float,
    on_progress: Callable[[int, int], None] | None = None,
) -> Experiment:
    """Tile, launch on ``device`` and compare."""
    kernel = find_softplus_v2_grad(device)
    shape = np.broadcast_shapes(gradients.shape, features.shape)
    shapes = (gradients.shape, features.shape)
    tiling = tile_softplus_v2_grad(device, shapes, shape, gradients.dtype, beta, threshold)
    output = np.zeros(shape, gradients.dtype)
    device.on_progress = on_progress
    started = time.perf_counter()
    result = device.launch(kernel, tiling.multicore.num_cores, (gradients, features, output, tiling))
    seconds = time.perf_counter() - started
    device.on_progress = None
    return Experiment(tiling, result, measure(gradients, features, output, tiling), output, seconds)


def measure(gradients: Array, features: Array, output: Array, tiling: TilingData) -> Accuracy:
    """Compare with golden in pieces, so that large tensors need no float64 copies of themselves."""
    flat = [np.broadcast_to(array, output.shape).reshape(-1) for array in (gradients, features, output)]
    worst_abs = worst_rel = worst_ulp = 0.0
    mismatches = 0
    limit = ULP_LIMITS[output.dtype.name]
    for first in range(0, output.size, _CHUNK):
        part = [array[first : first + _CHUNK] for array in flat]
        reference = softplus_v2_grad_from_product(part[0], part[1], tiling.beta, tiling.threshold)
        value = part[2].astype(np.float64)
        normal = bound_applies(reference, part[1], tiling.beta, output.dtype)
        with np.errstate(all="ignore"):
            error = np.abs(value - reference)
            relative = error[normal] / np.abs(reference[normal])
        ulp = ulp_error(part[2], reference)[normal]
        worst_abs = max(worst_abs, _largest(error[np.isfinite(reference)]))
        worst_rel = max(worst_rel, _largest(relative))
        worst_ulp = max(worst_ulp, _largest(ulp))
        mismatches += int(np.count_nonzero(~(ulp <= limit)))
    return Accuracy(worst_abs, worst_rel, worst_ulp, mismatches)


def _largest(values: Array) -> float:
    return float(np.max(values)) if values.size else 0.0
