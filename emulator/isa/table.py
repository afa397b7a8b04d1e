"""THE instruction table.  An opcode is a position in it."""

from __future__ import annotations

from emulator.isa import compare_select, control, conversion, elementwise, movement, register
from emulator.isa.record import Instruction, Level

FAMILIES: dict[str, tuple[Instruction, ...]] = {
    module.__name__.rpartition(".")[2]: module.RECORDS
    for module in (elementwise, compare_select, conversion, movement, control, register)
}
"""Records by family, which is the name of the module that holds them."""

TABLE: tuple[Instruction, ...] = tuple(record for records in FAMILIES.values() for record in records)

_BY_KEY = {record.key: number for number, record in enumerate(TABLE)}


def opcode(level: Level, name: str) -> int:
    """Position of an instruction in the table; KeyError where there is none."""
    return _BY_KEY[level.value, name]


def lookup(level: Level, name: str) -> Instruction:
    """The record of an instruction; KeyError where there is none."""
    return TABLE[opcode(level, name)]
