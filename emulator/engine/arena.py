"""The memory a host thread lends to the core it is running: UB, register file and spare copies of UB."""

from __future__ import annotations

from typing import Any

import numpy as np

from emulator.engine.dma import POISON_BYTE
from emulator.engine.registers import REGISTER_FILE_BYTES, VECTOR_BYTES
from emulator.isa import layout as at

_ALIGNMENT = 4096


class Arena:
    """Host memory for one core; ``ub`` is its UB as bytes.

    UB has a guard of one vector behind it, since the last load of a buffer may read past its end.  Fresh UB holds a
    fixed poison pattern: on the chip its contents are arbitrary.
    """

    def __init__(self, ub_bytes: int) -> None:
        self.stride = -(-(ub_bytes + 2 * VECTOR_BYTES) // _ALIGNMENT) * _ALIGNMENT
        spare = 2 * at.PIPES * self.stride
        # np.empty leaves pages untouched, so the spare copies cost nothing until a race needs them.
        raw = np.empty(self.stride + REGISTER_FILE_BYTES + spare + _ALIGNMENT, np.uint8)
        first = -raw.ctypes.data % _ALIGNMENT
        self._memory: np.ndarray[Any, np.dtype[np.uint8]] = raw[first:]
        self.ub = self._memory[: self.stride]
        self.ub_address = self._memory.ctypes.data
        self.file_address = self.ub_address + self.stride
        self.shadow_address = self.file_address + REGISTER_FILE_BYTES

    def reset(self) -> None:
        """Poison UB, as a core that starts a kernel finds it."""
        self.ub.fill(POISON_BYTE)
