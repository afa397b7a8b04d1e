"""``aivemu info``: SoCs and instructions, with where the numbers come from."""

from __future__ import annotations

from collections.abc import Iterator

import click
from rich.console import Console
from rich.table import Table

from emulator.isa.record import Instruction
from emulator.isa.table import FAMILIES
from emulator.soc import SocSpec, load_soc, soc_names, variants
from emulator.soc.spec import Sourced
from host_api.cli.report import make_console


@click.command()
@click.option("--soc", default=None, help="Every number group of one SoC, with source and provenance.")
@click.option("--instruction", default=None, help="One instruction, like add or reg.exp.")
def info(soc: str | None, instruction: str | None) -> None:
    """List SoCs and instructions with their sources."""
    console = make_console()
    if soc is not None:
        _show_soc(console, load_soc(soc))
    elif instruction is not None:
        _show_instruction(console, instruction)
    else:
        _list_socs(console)
        _list_instructions(console)


def _list_socs(console: Console) -> None:
    table = Table("SoC", "architecture", "AIV cores", "usable UB (B)", "clock (MHz)", "figures", title="SoCs")
    for name in soc_names():
        spec = load_soc(name)
        known = variants()[name].provenance if name in variants() else "see aivemu info --soc " + name
        table.add_row(
            name,
            spec.arch,
            str(spec.aiv_cores),
            str(spec.ub_bytes),
            f"{spec.clock_mhz:g} ({spec.clock.provenance})",
            known,
        )
    console.print(table)


def _list_instructions(console: Console) -> None:
    for family, records in FAMILIES.items():
        table = Table("instruction", "pipe", "dav-2201", "dav-3510", "source", "provenance", title=family)
        for record in records:
            table.add_row(
                record.qualified_name,
                record.pipe.name if record.pipe is not None else "by operands",
                _types(record, "dav-2201"),
                _types(record, "dav-3510"),
                record.source,
                record.provenance,
            )
        console.print(table)


def _types(record: Instruction, arch: str) -> str:
    types = record.dtypes.get(arch, ())
    return f"{len(types)} conversions" if types and "->" in types[0] else " ".join(types)


def _show_soc(console: Console, spec: SocSpec) -> None:
    console.print(f"[bold]{spec.name}[/] ({spec.arch})")
    table = Table("group", "numbers", "source", "provenance")
    for name, group in _groups(spec):
        numbers = ", ".join(
            f"{field} = {getattr(group, field)}"
            for field in group.__struct_fields__
            if field not in ("source", "provenance", "rows")
        )
        rows = getattr(group, "rows", None)
        table.add_row(name, numbers or f"{len(rows or ())} rows", group.source, group.provenance)
    console.print(table)


def _groups(spec: SocSpec) -> Iterator[tuple[str, Sourced]]:
    for field in spec.__struct_fields__:
        value = getattr(spec, field)
        if isinstance(value, Sourced):
            yield field, value
        elif isinstance(value, tuple):
            yield from ((field, group) for group in value)
        elif hasattr(value, "__struct_fields__"):
            for inner in value.__struct_fields__:
                group = getattr(value, inner)
                if group is not None:
                    yield f"{field}.{inner}", group


def _show_instruction(console: Console, name: str) -> None:
    found = [
        (family, record) for family, records in FAMILIES.items() for record in records if record.qualified_name == name
    ]
    if not found:
        raise click.BadParameter(f"no instruction {name!r}; aivemu info lists them", param_hint="--instruction")
    for family, record in found:
        console.print(f"[bold]{record.qualified_name}[/]  ({family})\n{record.summary}")
        for arch, types in record.dtypes.items():
            console.print(f"  {arch}: {', '.join(types)}")
        console.print(f"  source: {record.source}\n  provenance: {record.provenance}")
