"""Interpreters of other kernel languages on the same operator, each in a process of its own.

They have to be told before they are imported that they shall interpret.  ``python -m host_api.bench.interpreters NAME``
prints seconds, one a line; it fails where the package is missing.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np

ELEMENTS = {"Triton interpreter": 1 << 18, "Pallas interpreter": 1 << 18, "numba CUDA simulator": 1 << 10}
BLOCK = 1 << 15
ROUNDS = 3
_TIMEOUT_SECONDS = 120

Array = np.ndarray[Any, np.dtype[Any]]


def nanoseconds_per_element(name: str) -> float | None:
    """Median cost of an interpreter, or None where it cannot run here."""
    try:
        done = subprocess.run(
            [sys.executable, "-m", "host_api.bench.interpreters", name],
            capture_output=True,
            text=True,
            timeout=_TIMEOUT_SECONDS,
            env=os.environ | {"TRITON_INTERPRET": "1", "NUMBA_ENABLE_CUDASIM": "1", "JAX_PLATFORMS": "cpu"},
        )
    except subprocess.TimeoutExpired:
        return None
    if done.returncode:
        return None
    seconds = [float(line) for line in done.stdout.split()]
    return statistics.median(seconds) / ELEMENTS[name] * 1e9


def _triton(gradients: Array, features: Array) -> Callable[[], Array]:
    import torch
    import triton
    import triton.language as tl

    @triton.jit
    def kernel(g: Any, x: Any, out: Any, n: Any, beta: Any, threshold: Any, block: tl.constexpr) -> None:
        index = tl.program_id(0) * block + tl.arange(0, block)
        inside = index < n
        gradient = tl.load(g + index, mask=inside)
        product = tl.load(x + index, mask=inside) * beta
        result = tl.where(product > threshold, gradient, gradient / (tl.exp(-product) + 1.0))
        tl.store(out + index, result, mask=inside)

    tensors = [torch.from_numpy(array) for array in (gradients, features, np.zeros_like(gradients))]
    grid = (-(-gradients.size // BLOCK),)

    def run() -> Array:
        kernel[grid](*tensors, gradients.size, 1.1, 20.0, block=BLOCK)
        return np.asarray(tensors[2])

    return run


def _pallas(gradients: Array, features: Array) -> Callable[[], Array]:
    import jax
    import jax.numpy as jnp
    from jax.experimental import pallas as pl

    def kernel(g: Any, x: Any, out: Any) -> None:
        product = x[...] * 1.1
        out[...] = jnp.where(product > 20.0, g[...], g[...] / (jnp.exp(-product) + 1.0))

    rows = gradients.size // BLOCK
    spec = pl.BlockSpec((1, BLOCK), lambda i: (i, 0))
    call = pl.pallas_call(
        kernel,
        out_shape=jax.ShapeDtypeStruct((rows, BLOCK), jnp.float32),
        grid=(rows,),
        in_specs=[spec, spec],
        out_specs=spec,
        interpret=True,
    )
    inputs = [jnp.asarray(array.reshape(rows, BLOCK)) for array in (gradients, features)]
    return lambda: np.asarray(call(*inputs).block_until_ready()).reshape(-1)


def _cuda_simulator(gradients: Array, features: Array) -> Callable[[], Array]:
    import math

    from numba import cuda

    @cuda.jit
    def kernel(g: Any, x: Any, out: Any) -> None:
        i = cuda.grid(1)
        if i < g.size:
            product = x[i] * np.float32(1.1)
            out[i] = g[i] if product > 20 else g[i] / (math.exp(-product) + 1)

    output = np.zeros_like(gradients)

    def run() -> Array:
        kernel[-(-gradients.size // 64), 64](gradients, features, output)
        return output

    return run


_MAKERS = {"Triton interpreter": _triton, "Pallas interpreter": _pallas, "numba CUDA simulator": _cuda_simulator}


def _main(name: str) -> None:
    generator = np.random.default_rng(0)
    gradients = generator.uniform(-2, 2, ELEMENTS[name]).astype(np.float32)
    features = generator.uniform(-6, 6, ELEMENTS[name]).astype(np.float32)
    run = _MAKERS[name](gradients, features)
    product = features * np.float32(1.1)
    np.testing.assert_allclose(run(), gradients / (np.exp(-product) + 1), rtol=1e-5)
    for _ in range(ROUNDS):
        started = time.perf_counter()
        run()
        print(time.perf_counter() - started)


if __name__ == "__main__":
    _main(sys.argv[1])
