"""What an instruction costs to record and to time, and how soon a first result is there."""

import os
import subprocess
import sys

import numpy as np
import pytest

from emulator import Device
from host_api.bench.contestants import Operands, emulated

ELEMENTS = 1 << 24
FIRST_RUN = "import numpy as np; from host_api.ops import softplus_backward as f; f(np.ones(8,'f4'), np.ones(8,'f4'))"


@pytest.mark.parametrize("dtype", [np.float32, np.float16], ids=["float32", "float16"])
def test_recording(benchmark, dtype):
    """Nanoseconds to record an instruction: the author's Python, the checks and the append."""
    operands = Operands((ELEMENTS,), np.dtype(dtype))
    with Device("Ascend950", timing_only=True) as device:
        run = emulated(device, operands, cold=True)
        results = []
        benchmark.pedantic(lambda: results.append(run()), rounds=9, warmup_rounds=1)
    count = results[0].program.instruction_count
    costs = sorted(result.seconds_recording for result in results)
    benchmark.extra_info["ns_per_instruction"] = costs[len(costs) // 2] / count * 1e9
    print(f"\nrecording: {benchmark.extra_info['ns_per_instruction']:,.0f} ns an instruction ({count} instructions)")


def test_timing_only(benchmark):
    """Nanoseconds an instruction when only time is kept."""
    operands = Operands((ELEMENTS,), np.dtype(np.float32))
    with Device("Ascend950", ub_bytes=16384, timing_only=True, threads=1) as device:
        run = emulated(device, operands)
        count = run().program.instruction_count
        benchmark.pedantic(run, rounds=9, warmup_rounds=2)
    cost = benchmark.stats.stats.median / count * 1e9
    benchmark.extra_info["ns_per_instruction"] = cost
    print(f"\ntiming only: {cost:.0f} ns an instruction ({count} instructions, one thread)")


def python(code, **environment):
    subprocess.run([sys.executable, "-c", code], check=True, env=os.environ | environment)


def test_import(benchmark):
    benchmark.pedantic(lambda: python("import emulator"), rounds=9, warmup_rounds=1)


def test_first_run_with_a_warm_cache(benchmark):
    benchmark.pedantic(lambda: python(FIRST_RUN), rounds=5, warmup_rounds=1)


def test_first_run_with_an_empty_cache(benchmark, tmp_path_factory):
    folders = (str(tmp_path_factory.mktemp("cache")) for _ in range(3))
    benchmark.pedantic(lambda: python(FIRST_RUN, AIVEMU_CACHE_DIR=next(folders)), rounds=2)


MEMORY = """
import resource, numpy as np
from emulator import Device
from host_api.bench.contestants import Operands, emulated
count = {count}
operands = Operands.__new__(Operands)
operands.gradients, operands.features = np.full(count, 1.5, np.float32), np.full(count, -1.25, np.float32)
operands.output = np.zeros(count, np.float32)
with Device("Ascend950") as device:
    emulated(device, operands)()
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
"""


def test_peak_memory(benchmark):
    """Resident memory beyond the tensors, interpreter and Numba included."""

    def beyond(count):
        done = subprocess.run(
            [sys.executable, "-c", MEMORY.format(count=count)], capture_output=True, text=True, check=True
        )
        return int(done.stdout) / 1024 - 12 * count / (1 << 20)

    idle, busy = beyond(1024), beyond(1 << 26)
    benchmark.extra_info.update(idle_mib=idle, busy_mib=busy)
    benchmark.pedantic(lambda: None, rounds=1)
    print(f"\npeak memory beyond the tensors: {busy:.0f} MiB at 64 Mi elements, {idle:.0f} MiB at 1 Ki")
