"""The operator through `launch`, its program recorded already: sizes, types, broadcasting, the rank-8 template."""

import statistics

import numpy as np
import pytest

from host_api.bench.contestants import Operands, emulated, numpy_expression, plain_numpy_expression, torch_kernel
from host_api.bench.measure import interleave
from host_api.bench.suite import DTYPES

SIZES = {"1Ki": 1 << 10, "64Ki": 1 << 16, "1Mi": 1 << 20, "16Mi": 1 << 24}
ROUNDS = 9


def measured(benchmark, run, elements, rounds=ROUNDS):
    run()
    benchmark.pedantic(run, rounds=rounds)
    benchmark.extra_info["ns_per_element"] = benchmark.stats.stats.median / elements * 1e9


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("size", SIZES)
def test_warm(benchmark, device, dtype, size):
    operands = Operands((SIZES[size],), DTYPES[dtype])
    measured(benchmark, emulated(device, operands), SIZES[size])


def test_256mi_against_16mi(benchmark, device):
    """The time of 16 times the elements over the time of one: 16 is proportional."""
    small, large = 1 << 24, 1 << 28
    seconds = {}
    for elements in (small, large):
        operands = Operands.__new__(Operands)
        operands.gradients, operands.features = (np.full(elements, value, np.float32) for value in (1.5, -1.25))
        operands.output = np.zeros(elements, np.float32)
        run = emulated(device, operands)
        values = interleave({"run": run}, 5, warmups=2)["run"].seconds
        seconds[elements] = statistics.median(values)
    benchmark.pedantic(run, rounds=1)
    ratio = seconds[large] / seconds[small]
    benchmark.extra_info["ratio"] = ratio
    print(f"\n256 Mi takes {ratio:.1f} times as long as 16 Mi")


BROADCAST = {
    "row": ((4096, 1024), (1, 1024)),
    "column": ((4096, 1024), (4096, 1)),
    "both": ((4096, 1), (1, 1024)),
    "rank 8": ((8, 4, 8, 4, 8, 4, 8, 4), (8, 4, 8, 4, 8, 4, 8, 4)),
    "rank 8, broadcast": ((8, 1, 8, 1, 8, 1, 8, 4), (1, 4, 1, 4, 1, 4, 1, 4)),
}


@pytest.mark.parametrize("name", BROADCAST)
def test_broadcast(benchmark, device, name):
    shapes = BROADCAST[name]
    output = np.broadcast_shapes(*shapes)
    operands = Operands(output, DTYPES["float32"])
    operands.gradients, operands.features = operands.gradients[:], operands.features[:]
    operands.gradients = np.ascontiguousarray(operands.gradients[tuple(slice(0, extent) for extent in shapes[0])])
    operands.features = np.ascontiguousarray(operands.features[tuple(slice(0, extent) for extent in shapes[1])])
    measured(benchmark, emulated(device, operands), operands.output.size)


@pytest.mark.parametrize("dtype", DTYPES)
def test_ratios_at_16mi(benchmark, device, dtype):
    """All contestants in turn; ratios of the same round, since machines are noisy."""
    operands = Operands((1 << 24,), DTYPES[dtype])
    runs = {
        "emulated": emulated(device, operands),
        "numpy": numpy_expression(operands),
        "numpy, with temporaries": plain_numpy_expression(operands),
    }
    torch = torch_kernel(operands, 2)
    if torch is not None:
        runs["torch"] = torch
    result = interleave(runs, ROUNDS)
    benchmark.pedantic(runs["emulated"], rounds=3)
    for name, value in result.items():
        middle, low, high = result["emulated"].ratio_to(value)
        benchmark.extra_info[f"emulated / {name}"] = middle
        print(f"\n{dtype}: emulated / {name}: {middle:.2f} ({low:.2f} … {high:.2f}), {value.median * 1e3:.1f} ms")


@pytest.mark.parametrize("dtype", DTYPES)
def test_cold_recording_included(benchmark, device, dtype):
    operands = Operands((1 << 24,), DTYPES[dtype])
    measured(benchmark, emulated(device, operands, cold=True), 1 << 24)
