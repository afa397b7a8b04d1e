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
class CoreState:
    """Everything the scheduler knows about a core; UB and registers live beside it in the engine's arena."""

    registers: Array
    flags: Array
    rows: Array

    def grow(self, row_count: int) -> None:
        """Make room for rows recorded since the core last ran."""
        if row_count > len(self.rows):
            capacity = max(row_count, 2 * len(self.rows))
            grown = np.full((capacity, 4), NONE, np.int64)
            grown[: len(self.rows)] = self.rows
            self.rows = grown


@dataclass
class MachineState:
    """The states of all cores of a launch, side by side: the first axis of ``registers`` and ``flags`` is the core,
    ``rows`` runs over the rows of the whole program."""

    registers: Array
    flags: Array
    rows: Array
    offsets: Array

    @classmethod
    def fresh(cls, offsets: Array, seed: int) -> MachineState:
        """Cores that have not started; core c has rows ``offsets[c]`` to ``offsets[c + 1]``.

        ``seed`` drives the random schedule, differently on each core.
        """
        cores = len(offsets) - 1
        registers = np.zeros((cores, REGISTERS), np.int64)
        numbers = np.arange(cores, dtype=np.int64) + seed % (1 << 20) * 4096
        registers[:, RANDOM] = (numbers * 0x9E3779B9 + 0x7F4A7C15) % (1 << 31) | 1
        for column in (HEAD, TAIL, IN_FLIGHT):
            registers[:, column : column + at.PIPES] = NONE
        flags = np.full((cores, at.FLAGS, 2), NONE, np.int64)
        return cls(registers, flags, np.full((int(offsets[-1]), 4), NONE, np.int64), offsets)

    def core(self, number: int) -> CoreState:
        """The state of one core, sharing its memory with this."""
        rows = self.rows[self.offsets[number] : self.offsets[number + 1]]
        return CoreState(self.registers[number], self.flags[number], rows)

    def adopt(self, number: int, state: CoreState) -> None:
        """Take over a core that ran on its own while its rows were still being recorded."""
        own = self.core(number)
        own.registers[:], own.flags[:] = state.registers, state.flags
        count = min(len(own.rows), len(state.rows))
        own.rows[:count] = state.rows[:count]


def fresh_core(row_count: int, core: int, seed: int) -> CoreState:
    """One core that has not started, as it would be number ``core`` of a machine."""
    offsets = np.zeros(core + 2, np.int64)
    offsets[-1] = row_count
    return MachineState.fresh(offsets, seed).core(core)


def elapsed_cycles(registers: Array) -> Array:
    """Cycles until the last pipe of each core fell idle."""
    clocks = registers[:, PIPE_CLOCK : PIPE_CLOCK + at.PIPES].max(axis=1)
    return np.maximum(clocks, registers[:, CLOCK])
