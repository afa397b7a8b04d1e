"""The comparison that ``aivemu bench`` prints."""

from __future__ import annotations

import os
import platform
from collections.abc import Callable
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np

from emulator import Device
from host_api.bench import contestants, interpreters
from host_api.bench.measure import Measurement, interleave

DTYPES: dict[str, np.dtype[Any]] = {
    "float32": np.dtype(np.float32),
    "float16": np.dtype(np.float16),
    "bfloat16": np.dtype(ml_dtypes.bfloat16),
}


def environment() -> dict[str, object]:
    """The machine, for whoever reads the figures."""
    name = platform.processor() or platform.machine()
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.exists():
        models = [line.partition(":")[2].strip() for line in cpuinfo.read_text().splitlines() if "model name" in line]
        name = models[0] if models else name
    return {
        "processor": name,
        "processors": os.cpu_count(),
        "python": platform.python_version(),
        "numpy": np.__version__,
    }


def compare(dtype: str, elements: int, rounds: int, *, slow_peers: bool = False) -> dict[str, Any]:
    """Measure every contestant on ``elements`` elements of ``dtype``; ratios are emulator over peer, below 1 is faster.

    ``slow_peers`` adds the interpreters that are installed, on fewer elements and with their cost an element.
    """
    threads = os.cpu_count() or 1
    operands = contestants.Operands((elements,), DTYPES[dtype])
    with Device("Ascend950") as device:
        runs: dict[str, Callable[[], object]] = {
            "emulated": contestants.emulated(device, operands),
            "numpy": contestants.numpy_expression(operands),
            "numpy, with temporaries": contestants.plain_numpy_expression(operands),
        }
        torch = contestants.torch_kernel(operands, threads)
        if torch is not None:
            runs["torch"] = torch
        measured = interleave(runs, rounds)
        # A cold launch forgets the program that the warm one needs, so the two cannot take turns.
        cold = interleave(
            {"emulated, cold": contestants.emulated(device, operands, cold=True), "numpy": runs["numpy"]}, rounds
        )
    report: dict[str, Any] = {
        "dtype": dtype,
        "elements": elements,
        "rounds": rounds,
        "results": {
            **{name: _entry(measured["emulated"], value, elements) for name, value in measured.items()},
            "emulated, cold": _entry(cold["emulated, cold"], cold["emulated, cold"], elements)
            | {"ratio_to_numpy": _ratio(cold["emulated, cold"], cold["numpy"])},
        },
    }
    if slow_peers:
        report["interpreters_ns_per_element"] = {
            name: interpreters.nanoseconds_per_element(name) for name in interpreters.ELEMENTS
        }
    return report


def _entry(emulated: Measurement, value: Measurement, elements: int) -> dict[str, object]:
    return {
        "median_ms": value.median * 1e3,
        "spread_ms": [min(value.seconds) * 1e3, max(value.seconds) * 1e3],
        "ns_per_element": value.median / elements * 1e9,
        "emulated_over_this": _ratio(emulated, value),
    }


def _ratio(mine: Measurement, theirs: Measurement) -> dict[str, float]:
    middle, low, high = mine.ratio_to(theirs)
    return {"median": middle, "min": low, "max": high}
