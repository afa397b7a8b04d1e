"""``aivemu run``: one operator on random data."""

from __future__ import annotations

import json
import sys

import click

from emulator import Device
from emulator.engine.schedule import Schedule
from host_api.cli.experiment import Experiment, random_inputs, run_softplus_v2_grad
from host_api.cli.options import DTYPE, OPERATOR, Shape
from host_api.cli.report import make_console, progress_bar, show_experiment
from kernels.softplus_v2_grad.op_def import BETA, THRESHOLD


@click.command()
@click.argument("operator", type=OPERATOR)
@click.option("--shape", type=Shape(), required=True, help="Shape of both inputs and the output, like 4,2.")
@click.option("--dtype", type=DTYPE, default="float32", show_default=True)
@click.option("--beta", type=float, default=BETA.default, show_default=True)
@click.option("--threshold", type=float, default=THRESHOLD.default, show_default=True)
@click.option("--soc", default="Ascend950", show_default=True, help="Chip to emulate; see aivemu info.")
@click.option("--cores", type=int, default=None, help="Vector cores to use instead of the SoC's.")
@click.option("--ub-bytes", type=int, default=None, help="Usable UB instead of the SoC's.")
@click.option("--schedule", type=click.Choice(list(Schedule.__members__)), default="timed", show_default=True)
@click.option("--seed", type=int, default=0, show_default=True, help="Seed of the random inputs.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object instead of a table.")
def run(
    operator: str,
    shape: tuple[int, ...],
    dtype: str,
    beta: float,
    threshold: float,
    soc: str,
    cores: int | None,
    ub_bytes: int | None,
    schedule: str,
    seed: int,
    as_json: bool,
) -> None:
    """Run OPERATOR on random data and compare it with golden.

    Exits with 1 when elements are beyond the accuracy limit.
    """
    console = make_console(stderr=as_json)
    gradients, features = random_inputs(shape, dtype, seed)
    with Device(soc, cores, ub_bytes, schedule, seed) as device, progress_bar(console, gradients.size) as progress:
        experiment = run_softplus_v2_grad(device, gradients, features, beta, threshold, progress)
    if as_json:
        click.echo(json.dumps(as_object(operator, experiment)))
    else:
        show_experiment(console, experiment)
    if experiment.accuracy.mismatches:
        sys.exit(1)


def as_object(operator: str, experiment: Experiment) -> dict[str, object]:
    """The experiment as plain values."""
    accuracy, result = experiment.accuracy, experiment.result
    return {
        "status": "mismatch" if accuracy.mismatches else "success",
        "operator": operator,
        "soc": result.soc.name,
        "tiling": experiment.tiling.to_dict(),
        "max_abs_error": accuracy.max_abs_error,
        "max_rel_error": accuracy.max_rel_error,
        "max_ulp": accuracy.max_ulp,
        "mismatches": accuracy.mismatches,
        "cycles": result.cycles,
        "microseconds": result.microseconds,
        "seconds": experiment.seconds,
        "seconds_recording": result.seconds_recording,
    }
