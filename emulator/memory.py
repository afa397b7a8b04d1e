"""Global memory: the virtual address space of one device."""

from __future__ import annotations

import bisect
from dataclasses import dataclass
from typing import Any

import numpy as np

from emulator.errors import GlobalMemoryError

Bytes = np.ndarray[Any, np.dtype[np.uint8]]

ADDRESS_ALIGNMENT = 512
"""Kernel arguments are 512-byte aligned on the chip."""
GUARD_BYTES = 4096
FIRST_ADDRESS = 1 << 32
POISON_BYTE = 0xA5
_HOST_ALIGNMENT = 64


@dataclass(slots=True, eq=False)
class Allocation:
    """A range of global memory: ``buffer`` is its host memory as bytes."""

    address: int
    nbytes: int
    buffer: Bytes
    label: str
    writable: bool = True
    freed: bool = False

    def __str__(self) -> str:
        return f"{self.label or 'allocation'} at {self.address:#x} ({self.nbytes} B)"


class GlobalMemory:
    """A table of allocations with guard gaps; addresses are never used twice.

    ``capacity_bytes`` bounds what may be allocated at one time (no bound by default).
    """

    def __init__(self, capacity_bytes: int | None = None) -> None:
        self.capacity_bytes = capacity_bytes
        self._addresses: list[int] = []
        self._allocations: list[Allocation] = []
        self._next = FIRST_ADDRESS

    @property
    def live(self) -> int:
        """Number of allocations that are not freed."""
        return sum(not allocation.freed for allocation in self._allocations)

    @property
    def allocated_bytes(self) -> int:
        """Bytes of all allocations that are not freed."""
        return sum(allocation.nbytes for allocation in self._allocations if not allocation.freed)

    def allocate(self, nbytes: int, *, label: str = "") -> int:
        """Allocate ``nbytes``; returns a 512-byte aligned address.  The contents are a fixed poison pattern."""
        if isinstance(nbytes, bool) or not isinstance(nbytes, int) or nbytes <= 0:
            raise GlobalMemoryError(f"cannot allocate {nbytes!r} bytes; at least 1 is needed")
        if self.capacity_bytes is not None and self.allocated_bytes + nbytes > self.capacity_bytes:
            raise GlobalMemoryError(
                f"cannot allocate {nbytes} B: {self.allocated_bytes} of {self.capacity_bytes} B are in use"
            )
        try:
            raw = np.empty(nbytes + _HOST_ALIGNMENT, np.uint8)
        except MemoryError:
            raise GlobalMemoryError(f"the host has no memory for {nbytes} B") from None
        first = -raw.ctypes.data % _HOST_ALIGNMENT
        buffer = raw[first : first + nbytes]
        buffer.fill(POISON_BYTE)
        return self._place(buffer, label, writable=True)

    def bind(self, array: np.ndarray[Any, Any], *, label: str = "", writable: bool = True) -> int:
        """Make a C-contiguous array part of global memory without copying it; returns its address."""
        if not array.flags.c_contiguous or array.nbytes == 0:
            raise GlobalMemoryError(f"{label or 'the array'} must be C-contiguous and not empty to be bound")
        buffer = array.reshape(-1).view(np.uint8)
        return self._place(buffer, label, writable=writable and array.flags.writeable)

    def _place(self, buffer: Bytes, label: str, *, writable: bool) -> int:
        address = self._next
        self._addresses.append(address)
        self._allocations.append(Allocation(address, buffer.nbytes, buffer, label, writable))
        end = address + buffer.nbytes + GUARD_BYTES
        self._next = -(-end // ADDRESS_ALIGNMENT) * ADDRESS_ALIGNMENT
        return address

    def free(self, address: int) -> None:
        """Free an allocation by its first address; what is read there later is an error."""
        allocation = self._containing(address)
        if allocation is None or allocation.address != address:
            inside = f": it lies inside {allocation}" if allocation else ""
            raise GlobalMemoryError(f"{address:#x} is not the start of an allocation{inside}")
        if allocation.freed:
            raise GlobalMemoryError(f"{allocation} is freed already")
        allocation.freed = True
        allocation.buffer = np.empty(0, np.uint8)

    def find(self, address: int, nbytes: int = 1) -> Allocation:
        """The allocation that holds ``nbytes`` from ``address``; GlobalMemoryError where they are not all in one."""
        allocation = self._containing(address)
        if allocation is None:
            raise GlobalMemoryError(f"{address:#x} lies in no allocation of global memory")
        if allocation.freed:
            raise GlobalMemoryError(f"{allocation} was freed and is used again")
        over = address + nbytes - allocation.address - allocation.nbytes
        if over > 0:
            raise GlobalMemoryError(
                f"{nbytes} B from byte {address - allocation.address} of {allocation} end {over} B past its end"
            )
        return allocation

    def _containing(self, address: int) -> Allocation | None:
        position = bisect.bisect_right(self._addresses, address) - 1
        if position < 0:
            return None
        allocation = self._allocations[position]
        # One past the end still belongs to it, so that an overshoot is told with its name.
        return allocation if address <= allocation.address + allocation.nbytes else None

    def view(self, address: int, nbytes: int) -> Bytes:
        """Bytes of global memory, not copied."""
        allocation = self.find(address, nbytes)
        first = address - allocation.address
        return allocation.buffer[first : first + nbytes]

    def read(self, address: int, nbytes: int) -> Bytes:
        """A copy of bytes of global memory."""
        return self.view(address, nbytes).copy()

    def write(self, address: int, data: bytes | Bytes) -> None:
        """Overwrite bytes of global memory."""
        source = np.frombuffer(data, np.uint8) if isinstance(data, bytes | bytearray | memoryview) else data
        allocation = self.find(address, source.nbytes)
        if not allocation.writable:
            raise GlobalMemoryError(f"{allocation} is read-only")
        self.view(address, source.nbytes)[:] = source.reshape(-1).view(np.uint8)
