"""The whole state of one running core, in arrays, so that it can be copied, compared and resumed."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from typing import Any

import numpy as np

from emulator.isa import layout as at

Array = np.ndarray[Any, np.dtype[np.int64]]

# Positions in CoreState.registers: the next row to issue, the scalar unit's clock, the random generator, the status of
# the last run and the row it concerns; then six columns a pipe.
PC, CLOCK, RANDOM, STATUS, STATUS_ROW = range(5)
HEAD, TAIL, PIPE_CLOCK, IN_FLIGHT, END_CLOCK, CAPTURED = (8 + column * at.PIPES for column in range(6))
REGISTERS = 8 + 6 * at.PIPES
NONE = -1

# Columns of CoreState.rows: when the row was issued, started and ended, and the next row in the same queue.
ISSUED, STARTED, ENDED, LINK = range(4)
# Columns of CoreState.flags: since when the flag is set (or NONE), and the row that set it.
SET_AT, SET_BY = range(2)


class Status(IntEnum):
    """How a run of a core ended."""

    DONE = 0
    DEADLOCK = 1
    FLAG_SET_TWICE = 2


@dataclass
class MachineState:
    """Everything the scheduler knows about the cores of a launch; UB and registers live beside it in the arenas.

    The first axis of ``registers`` and ``flags`` is the core; ``rows`` runs over the rows of the whole program, of
    which core c has ``offsets[c]`` to ``offsets[c + 1]``.
    """

    registers: Array
    flags: Array
    rows: Array
    offsets: Array

    @classmethod
    def fresh(cls, offsets: Array, seed: int, *, first_core: int = 0) -> MachineState:
        """Cores that have not started, numbered from ``first_core``.

        ``seed`` drives the random schedule, differently on each core.
        """
        cores = len(offsets) - 1
        registers = np.zeros((cores, REGISTERS), np.int64)
        numbers = np.arange(first_core, first_core + cores, dtype=np.int64) + seed % (1 << 20) * 4096
        registers[:, RANDOM] = (numbers * 0x9E3779B9 + 0x7F4A7C15) % (1 << 31) | 1
        for column in (HEAD, TAIL, IN_FLIGHT):
            registers[:, column : column + at.PIPES] = NONE
        flags = np.full((cores, at.FLAGS, 2), NONE, np.int64)
        # The scheduler writes a row's columns before it reads them.
        return cls(registers, flags, np.empty((int(offsets[-1]), 4), np.int64), offsets)

    def core_rows(self, core: int) -> Array:
        """What is known of each row of one core."""
        return self.rows[self.offsets[core] : self.offsets[core + 1]]

    def grow(self, row_count: int) -> None:
        """Make room for rows recorded since the only core of this machine last ran."""
        if row_count > len(self.rows):
            grown = np.empty((max(row_count, 2 * len(self.rows)), 4), np.int64)
            grown[: len(self.rows)] = self.rows
            self.rows = grown
        self.offsets = np.array([0, row_count], np.int64)

    def adopt(self, core: int, other: MachineState) -> None:
        """Take over the only core of a machine that ran while its rows were still being recorded."""
        self.registers[core], self.flags[core] = other.registers[0], other.flags[0]
        known = other.core_rows(0)
        self.core_rows(core)[: len(known)] = known


def elapsed_cycles(registers: Array) -> Array:
    """Cycles until the last pipe of each core fell idle."""
    clocks = registers[:, PIPE_CLOCK : PIPE_CLOCK + at.PIPES].max(axis=1)
    return np.maximum(clocks, registers[:, CLOCK])
