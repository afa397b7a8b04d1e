"""The operator through `launch` against the NumPy expression it stands for, interleaved in one run."""

from __future__ import annotations

import statistics
import time

import ml_dtypes
import numpy as np
import pytest

from emulator import Device
from kernels.softplus_v2_grad.arch35 import softplus_v2_grad
from tiling.softplus_v2_grad import make_tiling

BETA, THRESHOLD = np.float32(1.1), np.float32(1.2)
ROUNDS = 9


def inputs(elements, dtype):
    generator = np.random.default_rng(0)
    return (
        generator.uniform(-2, 2, elements).astype(dtype),
        generator.uniform(-6, 6, elements).astype(dtype),
        np.zeros(elements, dtype),
    )


def numpy_expression(gradients, features):
    return np.where(BETA * features > THRESHOLD, gradients, gradients / (np.exp(-BETA * features) + np.float32(1)))


def launcher(device, gradients, features, output):
    shape = gradients.shape
    tiling = make_tiling(
        [shape, shape],
        [shape],
        gradients.dtype,
        ub_bytes=device.soc.ub_bytes,
        aiv_cores=device.soc.aiv_cores,
        beta=float(BETA),
        threshold=float(THRESHOLD),
    )
    return lambda: softplus_v2_grad[tiling.multicore.num_cores](gradients, features, output, tiling)


@pytest.mark.parametrize("dtype", [np.float32, np.float16, ml_dtypes.bfloat16], ids=["float32", "float16", "bfloat16"])
@pytest.mark.parametrize("elements", [1 << 10, 1 << 20, 1 << 24], ids=["1Ki", "1Mi", "16Mi"])
def test_warm_launch(benchmark, dtype, elements):
    gradients, features, output = inputs(elements, dtype)
    with Device("Ascend950") as device:
        run = launcher(device, gradients, features, output)
        run()
        benchmark.pedantic(run, rounds=ROUNDS)
    benchmark.extra_info["ns_per_element"] = benchmark.stats.stats.median / elements * 1e9


@pytest.mark.parametrize("dtype", [np.float32, np.float16, ml_dtypes.bfloat16], ids=["float32", "float16", "bfloat16"])
def test_ratio_to_numpy_at_16mi(benchmark, dtype):
    """Emulated and NumPy in turn; the ratio of their medians is what counts, since machines are noisy."""
    elements = 1 << 24
    gradients, features, output = inputs(elements, dtype)
    wide = [array.astype(np.float32) for array in (gradients, features)]
    seconds = {"emulated": [], "numpy": []}
    with Device("Ascend950") as device:
        run = launcher(device, gradients, features, output)
        run()

        def once():
            started = time.perf_counter()
            run()
            between = time.perf_counter()
            numpy_expression(*wide)
            seconds["emulated"].append(between - started)
            seconds["numpy"].append(time.perf_counter() - between)

        benchmark.pedantic(once, rounds=ROUNDS, warmup_rounds=1)
    medians = {name: statistics.median(values[1:]) for name, values in seconds.items()}
    ratio = medians["emulated"] / medians["numpy"]
    benchmark.extra_info.update(medians, ratio=ratio)
    shown = ", ".join(f"{name} {value * 1e3:.1f} ms" for name, value in medians.items())
    print(f"\n{np.dtype(dtype).name}: {shown} (NumPy in float32), ratio {ratio:.2f}")
