"""``aivemu demo``: the official example beside golden, then a large run."""

from __future__ import annotations

import sys

import click
import numpy as np
from rich.table import Table

from emulator import Device
from host_api.cli.experiment import random_inputs, run_softplus_v2_grad
from host_api.cli.report import make_console, progress_bar, show_experiment
from host_api.ops import softplus_backward
from kernels.softplus_v2_grad.golden import softplus_v2_grad as golden

_LARGE = (4096, 4096)


@click.command()
def demo() -> None:
    """Run the operator's official example, then 16 Mi elements, on the emulated Ascend950."""
    console = make_console()
    console.print("[bold]1. aclnnSoftplusBackward, the official example[/]: {4, 2}, beta 1.1, threshold 1.2")
    console.print("   the first run on a machine compiles the engine once (some 15 s); later ones start at once\n")
    values = np.arange(1, 9, dtype=np.float32).reshape(4, 2) / np.float32(10)
    result = softplus_backward(values, values, beta=1.1, threshold=1.2)
    expected = golden(values, values, 1.1, 1.2)
    table = Table("self = gradOutput", "emulated", "golden (float64)", "difference", box=None)
    for value, got, wanted in zip(values.flat, result.flat, expected.flat, strict=True):
        table.add_row(f"{value:.1f}", f"{got:.7f}", f"{wanted:.7f}", f"{abs(got - wanted):.1e}")
    console.print(table)

    console.print(f"\n[bold]2. SoftplusV2Grad on {_LARGE[0]} x {_LARGE[1]} float32[/]\n")
    gradients, features = random_inputs(_LARGE, "float32", seed=0)
    with Device("Ascend950") as device, progress_bar(console, gradients.size) as progress:
        experiment = run_softplus_v2_grad(device, gradients, features, 1.0, 20.0, progress)
    show_experiment(console, experiment)
    if experiment.accuracy.mismatches or not np.allclose(result, expected, rtol=1e-5, atol=1e-7):
        sys.exit(1)
