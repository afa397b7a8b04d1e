"""The whole state of one running core, in arrays, so that it can be copied, compared and resumed."""

from __future__ import annotations

from dataclasses import dataclass, field
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
    rows: Array = field(default_factory=lambda: np.empty((0, 4), np.int64))

    @classmethod
    def fresh(cls, row_count: int, seed: int) -> CoreState:
        """A core that has not started; ``seed`` drives the random schedule."""
        registers = np.zeros(REGISTERS, np.int64)
        registers[RANDOM] = (seed * 0x9E3779B9 + 0x7F4A7C15) % (1 << 31) | 1
        for column in (HEAD, TAIL, IN_FLIGHT):
            registers[column : column + at.PIPES] = NONE
        flags = np.full((at.FLAGS, 2), NONE, np.int64)
        return cls(registers, flags, np.full((row_count, 4), NONE, np.int64))

    def grow(self, row_count: int) -> None:
        """Make room for rows recorded since the core last ran."""
        if row_count > len(self.rows):
            capacity = max(row_count, 2 * len(self.rows))
            grown = np.full((capacity, 4), NONE, np.int64)
            grown[: len(self.rows)] = self.rows
            self.rows = grown


def elapsed_cycles(state: CoreState) -> int:
    """Cycles until the core's last pipe fell idle."""
    return int(max(state.registers[CLOCK], *state.registers[PIPE_CLOCK : PIPE_CLOCK + at.PIPES]))
