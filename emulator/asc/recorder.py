"""Records what one core is told to do."""

from __future__ import annotations

import sys
from array import array
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NoReturn

from emulator.errors import EmulatorError, OperandError
from emulator.isa.record import Instruction, Pipe
from emulator.program import OPCODES, ProgramBuilder
from emulator.soc import SocSpec

if TYPE_CHECKING:
    from emulator.asc.reg.recorder import VectorRecorder
    from emulator.asc.tpipe import TPipe

ReadBack = Callable[["CoreRecorder", int, int], bytes]
"""Runs the core up to its last recorded row and returns ``nbytes`` at an address: (recorder, address, nbytes)."""


class CoreRecorder:
    """Appends instruction rows for one core; one instance a core and launch."""

    def __init__(
        self, builder: ProgramBuilder, soc: SocSpec, block_idx: int, block_num: int, read_back: ReadBack
    ) -> None:
        self.builder = builder
        self.soc = soc
        self.event_ids = soc.event_ids
        self.block_idx = block_idx
        self.block_num = block_num
        self.rows = array("q")
        self.pipe: TPipe | None = None
        self.vector: VectorRecorder | None = None
        self.data_dependent = False
        self._read_back = read_back

    def emit(
        self,
        record: Instruction,
        pipe: Pipe,
        dst: int = 0,
        src0: int = 0,
        src1: int = 0,
        count: int = 0,
        aux: int = 0,
        param: int = -1,
        imm: int = 0,
    ) -> None:
        """Append one instruction; the columns are those of :mod:`emulator.isa.layout`."""
        if self.vector is not None:
            self.refuse(f"{record.name} works on memory and cannot be used inside a vector function")
        location = self.builder.location(sys._getframe(2))
        self.rows.extend((OPCODES[id(record)], pipe, dst, src0, src1, count, aux, param, imm, location))

    def read_back(self, address: int, nbytes: int) -> bytes:
        """Memory as the scalar unit sees it after everything recorded so far."""
        self.data_dependent = True
        return self._read_back(self, address, nbytes)

    def refuse(self, message: str, error: type[EmulatorError] = OperandError) -> NoReturn:
        """Raise ``error`` with the author's line."""
        raise error(message, location=self.builder.here())

    def check_range(self, name: str, value: Any, low: int, high: int) -> None:
        """Refuse an integer operand outside [low, high]."""
        if not low <= value <= high:
            self.refuse(f"{name} is {value}; the hardware takes {low}..{high}")
