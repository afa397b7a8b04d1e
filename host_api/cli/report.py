"""How an experiment is shown to a person."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table

from host_api.cli.experiment import ULP_LIMITS, Experiment

LONG_RUN_ELEMENTS = 1 << 20
PIPE_WIDTH = 200


def make_console(*, stderr: bool = False) -> Console:
    """A console that does not squeeze tables where nobody looks at a terminal."""
    console = Console(stderr=stderr)
    return console if console.is_terminal else Console(stderr=stderr, width=PIPE_WIDTH)


@contextmanager
def progress_bar(console: Console, elements: int) -> Iterator[Callable[[int, int], None] | None]:
    """A bar over the cores of a launch, for runs long enough to wait for."""
    if elements < LONG_RUN_ELEMENTS:
        yield None
        return
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=console, transient=not console.is_terminal) as progress:
        task = progress.add_task("vector cores", total=None)
        yield lambda done, total: progress.update(task, completed=done, total=total)


def show_experiment(console: Console, experiment: Experiment) -> None:
    """Tiling, cores, tiles, error and time as a table."""
    tiling, result, accuracy = experiment.tiling, experiment.result, experiment.accuracy
    split, cores = tiling.split, tiling.multicore
    table = Table(show_header=False, box=None, pad_edge=False)
    table.add_column(style="bold")
    table.add_column()
    table.add_row("SoC", f"{result.soc.name} ({result.soc.arch}), {result.soc.ub_bytes} B of UB a core")
    table.add_row("shape", f"{' x '.join(map(str, experiment.output.shape)) or 'scalar'} {experiment.output.dtype}")
    table.add_row("template", f"rank {tiling.template_rank}, {tiling.per_buf_bytes} B a buffer")
    table.add_row(
        "split", f"axis {split.axis}: {split.a_o} segment(s) of {split.a_i} row(s), the last of {split.a_i_tail}"
    )
    table.add_row("cores", f"{cores.num_cores} of {result.soc.aiv_cores}")
    table.add_row("tiles", f"{cores.total_tiles}: {_deal(cores.num_cores, cores.tiles_main, cores.cores_tail)}")
    table.add_row("instructions", f"{result.program.instruction_count} in {result.program.block_num} program(s)")
    if result.microseconds is not None:
        table.add_row(
            "modelled time",
            f"{result.cycles} cycles, {result.microseconds:.1f} µs at {result.soc.clock_mhz:g} MHz"
            f" (clock: {result.soc.clock.provenance})",
        )
    table.add_row(
        "host time", f"{experiment.seconds * 1e3:.1f} ms, of which recording {result.seconds_recording * 1e3:.1f} ms"
    )
    limit = ULP_LIMITS[experiment.output.dtype.name]
    table.add_row(
        "error against golden",
        f"max abs {accuracy.max_abs_error:.3g}, max rel {accuracy.max_rel_error:.3g}, "
        f"{accuracy.max_ulp:.2f} ULP (limit {limit:g})",
    )
    table.add_row("elements beyond the limit", f"{accuracy.mismatches} of {experiment.output.size}")
    console.print(table)


def _deal(cores: int, main: int, tail: int) -> str:
    if not tail:
        return f"{main} a core"
    return f"{main + 1} on {tail} core(s), {main} on {cores - tail}"
