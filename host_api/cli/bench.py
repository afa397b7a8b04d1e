"""``aivemu bench``: how fast the emulator is on this machine, as ratios."""

from __future__ import annotations

import json
from typing import Any

import click
from rich.table import Table

from host_api.cli.options import DTYPE
from host_api.cli.report import make_console


@click.command()
@click.option("--elements", type=click.IntRange(1 << 10, 1 << 28), default=1 << 24, show_default=True)
@click.option("--dtype", type=DTYPE, multiple=True, help="Once for each type; all three by default.")
@click.option("--rounds", type=click.IntRange(3, 99), default=9, show_default=True)
@click.option(
    "--interpreters", is_flag=True, help="Also Triton's, Pallas' and numba CUDA's interpreters where installed."
)
@click.option("--json", "as_json", is_flag=True, help="One JSON object instead of tables.")
def bench(elements: int, dtype: tuple[str, ...], rounds: int, interpreters: bool, as_json: bool) -> None:
    """Measure SoftplusV2Grad against NumPy, and PyTorch where installed, taking turns."""
    from host_api.bench import suite

    console = make_console(stderr=as_json)
    machine = suite.environment()
    reports = []
    for number, name in enumerate(dtype or suite.DTYPES):
        with console.status(f"measuring {name}"):
            reports.append(suite.compare(name, elements, rounds, slow_peers=interpreters and number == 0))
    if as_json:
        click.echo(json.dumps({"machine": machine, "reports": reports}))
        return
    console.print(", ".join(f"{key} {value}" for key, value in machine.items()))
    for report in reports:
        console.print(_table(report))
        for name, cost in report.get("interpreters_ns_per_element", {}).items():
            shown = f"{cost:,.0f} ns an element" if cost is not None else "not installed, or failed"
            console.print(f"{name}: {shown}")


def _table(report: dict[str, Any]) -> Table:
    title = f"{report['dtype']}, {report['elements']:,} elements, {report['rounds']} rounds"
    table = Table(
        "", "median (ms)", "min … max (ms)", "ns an element", "emulated / this: median (min … max)", title=title
    )
    for name, entry in report["results"].items():
        ratio = entry["emulated_over_this"]
        shown = f"{ratio['median']:.2f} ({ratio['min']:.2f} … {ratio['max']:.2f})"
        if "ratio_to_numpy" in entry:
            against = entry["ratio_to_numpy"]
            shown = f"{against['median']:.2f} of numpy ({against['min']:.2f} … {against['max']:.2f})"
        low, high = entry["spread_ms"]
        table.add_row(
            name, f"{entry['median_ms']:.1f}", f"{low:.1f} … {high:.1f}", f"{entry['ns_per_element']:.2f}", shown
        )
    return table
