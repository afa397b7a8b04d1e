"""Global memory: the virtual address space of one device.

Memory is a table of allocations.  Each is a range of addresses with a host buffer behind it and a guard gap of at least
4 KiB on both sides, so that an access outside an allocation meets no other one.  An address is never given out twice:
what is used after it was freed is told from what was never allocated.
"""

from __future__ import annotations

import bisect
import operator
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from emulator.errors import GlobalMemoryError

Bytes: TypeAlias = np.ndarray[Any, np.dtype[np.uint8]]
Data: TypeAlias = bytes | bytearray | memoryview | np.ndarray[Any, np.dtype[Any]]

ADDRESS_ALIGNMENT = 512
"""Kernel arguments are 512-byte aligned on the chip."""
GUARD_BYTES = 4096
FIRST_ADDRESS = 1 << 32
POISON_BYTE = 0xA5
"""Fresh memory is not cleared on the chip; a fixed byte that is no zero shows what relies on it, in every run alike."""
_HOST_ALIGNMENT = 64


@dataclass(slots=True, eq=False)
class Allocation:
    """A range of global memory: ``nbytes`` from ``address``, held by ``buffer`` (1-D uint8, empty once freed)."""

    address: int
    nbytes: int
    buffer: Bytes
    label: str
    writable: bool = True
    freed: bool = False

    @property
    def end(self) -> int:
        """The first address past the range."""
        return self.address + self.nbytes

    def __str__(self) -> str:
        return f"{self.label or 'allocation'} at {self.address:#x} ({self.nbytes} B)"


class GlobalMemory:
    """A table of allocations with guard gaps.

    ``capacity_bytes`` bounds the bytes allocated at one time, None for no bound but the host's; bound arrays are host
    memory already and do not count.  Every misuse raises GlobalMemoryError, before anything is changed.
    """

    def __init__(self, capacity_bytes: int | None = None) -> None:
        self.capacity_bytes = capacity_bytes
        self._addresses: list[int] = []
        self._allocations: list[Allocation] = []
        self._bound: dict[int, np.ndarray[Any, Any]] = {}
        self._next = FIRST_ADDRESS
        self._live = 0
        self._allocated_bytes = 0
        self._reserved_bytes = 0

    @property
    def live(self) -> int:
        """Number of allocations and bound arrays that are not released."""
        return self._live

    @property
    def allocated_bytes(self) -> int:
        """Bytes of everything that is not released, bound arrays included."""
        return self._allocated_bytes

    def allocate(self, nbytes: int, *, label: str = "") -> int:
        """Allocate ``nbytes``; returns a 512-byte aligned address.  The contents are a fixed poison pattern."""
        size = _integer("nbytes", nbytes)
        if size <= 0:
            raise GlobalMemoryError(f"cannot allocate {size} B{_of(label)}: at least 1 is needed")
        if self.capacity_bytes is not None and self._reserved_bytes + size > self.capacity_bytes:
            raise GlobalMemoryError(
                f"cannot allocate {size} B{_of(label)}: {self._reserved_bytes} of {self.capacity_bytes} B are in use"
            )
        try:
            raw = np.empty(size + _HOST_ALIGNMENT, np.uint8)
        except (MemoryError, ValueError, OverflowError):
            raise GlobalMemoryError(f"cannot allocate {size} B{_of(label)}: the host has not so much memory") from None
        first = -raw.ctypes.data % _HOST_ALIGNMENT
        buffer = raw[first : first + size]
        buffer.fill(POISON_BYTE)
        self._reserved_bytes += size
        return self._place(buffer, label, writable=True)

    def bind(self, array: np.ndarray[Any, Any], *, label: str = "", writable: bool = True) -> int:
        """Make a C-contiguous array part of global memory without a copy; returns its address.

        The array is kept alive until ``unbind``.  It is writable where both ``writable`` and the array say so.
        """
        name = label or "the array"
        if not isinstance(array, np.ndarray):
            raise GlobalMemoryError(f"{name} is a {type(array).__name__}; only a NumPy array can be bound")
        if array.dtype.hasobject:
            raise GlobalMemoryError(f"{name} has dtype {array.dtype}, which is no plain memory")
        if not array.flags.c_contiguous:
            raise GlobalMemoryError(
                f"{name} of shape {array.shape} with strides {array.strides} B is not C-contiguous: bind a copy"
            )
        if array.nbytes == 0:
            raise GlobalMemoryError(f"{name} of shape {array.shape} has no bytes to bind")
        buffer = array.reshape(-1).view(np.uint8)
        writable = writable and array.flags.writeable
        buffer.flags.writeable = writable
        address = self._place(buffer, label, writable=writable)
        self._bound[address] = array
        return address

    def _place(self, buffer: Bytes, label: str, *, writable: bool) -> int:
        address = self._next
        allocation = Allocation(address, buffer.nbytes, buffer, label, writable)
        self._addresses.append(address)
        self._allocations.append(allocation)
        self._next = -(-(allocation.end + GUARD_BYTES) // ADDRESS_ALIGNMENT) * ADDRESS_ALIGNMENT
        self._live += 1
        self._allocated_bytes += buffer.nbytes
        return address

    def free(self, address: int) -> None:
        """Free an allocation by its first address; whoever uses it later is told so."""
        allocation = self._starting_at(address)
        if allocation.address in self._bound:
            raise GlobalMemoryError(f"{allocation} is a bound array: unbind it")
        self._reserved_bytes -= allocation.nbytes
        self._release(allocation)

    def unbind(self, address: int) -> None:
        """Take a bound array out of global memory by its first address; the array itself is untouched."""
        allocation = self._starting_at(address)
        if allocation.address not in self._bound:
            raise GlobalMemoryError(f"{allocation} was allocated, not bound: free it")
        del self._bound[allocation.address]
        self._release(allocation)

    def _release(self, allocation: Allocation) -> None:
        allocation.freed = True
        allocation.buffer = np.empty(0, np.uint8)
        self._live -= 1
        self._allocated_bytes -= allocation.nbytes

    def _starting_at(self, address: int) -> Allocation:
        address = _integer("address", address)
        allocation = self._at_or_below(address)
        if allocation is None or address > allocation.end:
            raise GlobalMemoryError(f"{address:#x} is no address of global memory{self._neighbour(address)}")
        if address != allocation.address:
            offset = address - allocation.address
            raise GlobalMemoryError(
                f"{address:#x} is not the start of an allocation: it is byte {offset} of {allocation}"
            )
        if allocation.freed:
            raise GlobalMemoryError(f"{allocation} was freed before")
        return allocation

    def find(self, address: int, nbytes: int = 1) -> Allocation:
        """The allocation that holds all of ``nbytes`` from ``address``.

        GlobalMemoryError names label, address, offset, size and by how many bytes the range overshoots, and says
        where the memory was freed.
        """
        address = _integer("address", address)
        size = _integer("nbytes", nbytes)
        if size < 0:
            raise GlobalMemoryError(f"{size} B from {address:#x}: a size cannot be negative")
        allocation = self._at_or_below(address)
        if allocation is None or address > allocation.end:
            raise GlobalMemoryError(
                f"{size} B from {address:#x} lie in no allocation of global memory{self._neighbour(address)}"
            )
        offset = address - allocation.address
        if allocation.freed:
            raise GlobalMemoryError(f"{size} B from byte {offset} of {allocation}: it was freed")
        over = offset + size - allocation.nbytes
        if over > 0:
            raise GlobalMemoryError(f"{size} B from byte {offset} of {allocation} end {over} B past its end")
        return allocation

    def _at_or_below(self, address: int) -> Allocation | None:
        """The allocation that starts last at or below ``address``."""
        position = bisect.bisect_right(self._addresses, address) - 1
        return self._allocations[position] if position >= 0 else None

    def _neighbour(self, address: int) -> str:
        """Where ``address`` lies, seen from the nearest allocation."""
        position = bisect.bisect_right(self._addresses, address)
        told = []
        if position > 0:
            below = self._allocations[position - 1]
            told.append((address - below.end, "past the end of", below))
        if position < len(self._allocations):
            above = self._allocations[position]
            told.append((above.address - address, "before the start of", above))
        if not told:
            return ": nothing is allocated"
        distance, where, allocation = min(told, key=lambda entry: entry[0])
        return f": {distance} B {where} {allocation}{', which was freed' if allocation.freed else ''}"

    def view(self, address: int, nbytes: int) -> Bytes:
        """``nbytes`` of global memory as a uint8 array, not copied; read-only where the memory is."""
        allocation = self.find(address, nbytes)
        first = int(address) - allocation.address
        return allocation.buffer[first : first + int(nbytes)]

    def read(self, address: int, nbytes: int) -> Bytes:
        """A copy of ``nbytes`` of global memory, as uint8."""
        return self.view(address, nbytes).copy()

    def write(self, address: int, data: Data) -> None:
        """Overwrite global memory with the bytes of ``data``: bytes, or an array in C order."""
        if isinstance(data, np.ndarray):
            source = np.ascontiguousarray(data).reshape(-1).view(np.uint8)
        else:
            source = np.frombuffer(data, np.uint8)
        allocation = self.find(address, source.nbytes)
        if not allocation.writable:
            raise GlobalMemoryError(f"{source.nbytes} B cannot be written to {allocation}: it is read-only")
        self.view(address, source.nbytes)[:] = source


def _integer(name: str, value: int) -> int:
    try:
        if isinstance(value, bool):
            raise TypeError
        return operator.index(value)
    except TypeError:
        raise GlobalMemoryError(f"{name} is {value!r}; an integer is needed") from None


def _of(label: str) -> str:
    return f" for {label}" if label else ""
