"""Tensors in global memory and in the unified buffer."""

from __future__ import annotations

from typing import Any

from emulator.asc.context import current_recorder
from emulator.asc.enums import TPosition
from emulator.dtypes import DataType, element_bits, element_of_bytes
from emulator.errors import GlobalMemoryError, UbCapacityError
from emulator.isa import layout as at
from emulator.isa.record import Level, Pipe
from emulator.isa.table import lookup

_SET_VALUE = lookup(Level.SCALAR, "set_value")
_GET_VALUE = lookup(Level.SCALAR, "get_value")


def start_of(subscript: Any) -> int:
    """The element offset of ``tensor[offset:]`` or ``tensor[offset]``."""
    if isinstance(subscript, slice):
        if subscript.stop is not None or subscript.step is not None:
            current_recorder().refuse(f"tensor[{subscript}]: only tensor[offset:] is known, without stop or step")
        subscript = subscript.start or 0
    try:
        return int(subscript.__index__())
    except AttributeError:
        current_recorder().refuse(f"a tensor offset must be an integer, not {type(subscript).__name__}")


class GlobalAddress:
    """The address of a tensor argument: ``address + n`` moves by elements; ``dtype`` is the element type."""

    __slots__ = ("dtype", "label", "nbytes", "offset", "slot", "writable")

    def __init__(
        self, slot: int, dtype: DataType, nbytes: int, *, label: str, writable: bool = True, offset: int = 0
    ) -> None:
        self.slot = slot
        self.dtype = dtype
        self.nbytes = nbytes
        self.label = label
        self.writable = writable
        self.offset = offset

    def __add__(self, elements: int) -> GlobalAddress:
        offset = self.offset + int(elements) * self.dtype.size_bytes
        return GlobalAddress(
            self.slot, self.dtype, self.nbytes, label=self.label, writable=self.writable, offset=offset
        )

    def __repr__(self) -> str:
        return f"GlobalAddress({self.label} + {self.offset} B, {self.dtype})"

    def encode(self, low: int, nbytes: int, *, writes: bool) -> int:
        """The operand of an instruction that touches ``nbytes`` from byte ``low``; refuses what lies outside."""
        first = self.offset + low
        if first < 0 or first + nbytes > self.nbytes:
            before = f"{-first} B before its start" if first < 0 else ""
            after = f"{first + nbytes - self.nbytes} B past its end" if first + nbytes > self.nbytes else ""
            verb = "writes" if writes else "reads"
            current_recorder().refuse(
                f"{verb} bytes {first}..{first + nbytes} of {self.label}, which has {self.nbytes} B: "
                f"{' and '.join(part for part in (before, after) if part)}",
                GlobalMemoryError,
            )
        if writes and not self.writable:
            current_recorder().refuse(f"writes {self.label}, which is read-only", GlobalMemoryError)
        return ((self.slot + 1) << at.GM_SHIFT) + self.offset


class GlobalTensor:
    """A view of global memory; bind it with ``set_global_buffer``."""

    __slots__ = ("_address", "_limit")

    def __init__(self) -> None:
        self._address: GlobalAddress | None = None
        self._limit: int | None = None

    def set_global_buffer(self, buffer: GlobalAddress, buffer_size: int | None = None) -> None:
        """Bind to ``buffer``; ``buffer_size`` in elements narrows what may be touched."""
        if not isinstance(buffer, GlobalAddress):
            current_recorder().refuse(f"set_global_buffer takes a GlobalAddress, not {type(buffer).__name__}")
        self._address = buffer
        self._limit = None if buffer_size is None else int(buffer_size)

    @property
    def address(self) -> GlobalAddress:
        if self._address is None:
            current_recorder().refuse("this GlobalTensor has no buffer yet: call set_global_buffer first")
        return self._address

    @property
    def dtype(self) -> DataType:
        return self.address.dtype

    def get_phy_addr(self, offset: int = 0) -> GlobalAddress:
        """The address of element ``offset``."""
        return self.address + offset

    def get_size(self) -> int:
        """Elements from here to the end of the buffer."""
        if self._limit is not None:
            return self._limit
        return (self.address.nbytes - self.address.offset) // self.dtype.size_bytes

    def __getitem__(self, subscript: Any) -> GlobalTensor:
        offset = start_of(subscript)
        view = GlobalTensor()
        view._address = self.address + offset
        view._limit = None if self._limit is None else self._limit - offset
        return view

    def operand(self, low: int, nbytes: int, *, writes: bool) -> int:
        """The instruction operand for ``nbytes`` from byte ``low``; checks the buffer and the tensor behind it."""
        if self._limit is not None and (low < 0 or low + nbytes > self._limit * self.dtype.size_bytes):
            current_recorder().refuse(
                f"touches bytes {low}..{low + nbytes} of a GlobalTensor whose buffer_size is {self._limit} elements "
                f"({self._limit * self.dtype.size_bytes} B) of {self.address.label}",
                GlobalMemoryError,
            )
        return self.address.encode(low, nbytes, writes=writes)

    def get_value(self, offset: int) -> Any:
        """Element ``offset``, read by the scalar unit: everything recorded so far runs up to here first."""
        size = self.dtype.size_bytes
        return _scalar_load(self.operand(offset * size, size, writes=False) + offset * size, self.dtype)

    def set_value(self, offset: int, value: float) -> None:
        """Store one element from the scalar unit."""
        size = self.dtype.size_bytes
        _scalar_store(self.operand(offset * size, size, writes=True) + offset * size, value, self.dtype)


class LocalTensor:
    """A tensor in UB: ``addr`` in bytes, ``tile_size`` in elements."""

    __slots__ = ("address", "dtype", "label", "position", "size", "user_tag")

    def __init__(
        self,
        dtype: DataType,
        pos: TPosition = TPosition.VECIN,
        addr: int = 0,
        tile_size: int = 0,
        *,
        label: str = "",
    ) -> None:
        self.dtype = dtype
        self.position = pos
        self.address = addr
        self.size = tile_size
        self.label = label
        self.user_tag = 0
        recorder = current_recorder()
        if addr < 0 or addr + tile_size * dtype.size_bytes > recorder.soc.ub_bytes:
            recorder.refuse(
                f"LocalTensor of {tile_size} x {dtype} at byte {addr} ends at {addr + tile_size * dtype.size_bytes}; "
                f"UB has {recorder.soc.ub_bytes} B",
                UbCapacityError,
            )

    def __repr__(self) -> str:
        return f"LocalTensor({self.name} [{self.size} x {self.dtype}] at {self.address:#x})"

    @property
    def name(self) -> str:
        return self.label or f"{self.position.value}@{self.address:#x}"

    def __getitem__(self, subscript: Any) -> LocalTensor:
        offset = start_of(subscript)
        if not 0 <= offset <= self.size:
            current_recorder().refuse(f"{self.name}[{offset}:] of {self.size} elements", UbCapacityError)
        return self._view(self.dtype, self.address + offset * self.dtype.size_bytes, self.size - offset)

    def _view(self, dtype: DataType, address: int, size: int) -> LocalTensor:
        view = LocalTensor.__new__(LocalTensor)
        view.dtype, view.position, view.address, view.size = dtype, self.position, address, size
        view.label, view.user_tag = self.label, self.user_tag
        return view

    def reinterpret_cast(self, dtype: DataType) -> LocalTensor:
        """The same bytes seen as another element type."""
        return self._view(dtype, self.address, self.size * self.dtype.size_bytes // dtype.size_bytes)

    def get_size(self) -> int:
        """Elements."""
        return self.size

    def set_size(self, size: int = 0) -> None:
        """Change the number of elements; it may shrink only."""
        if not 0 <= size <= self.size:
            current_recorder().refuse(f"set_size({size}) of {self.name} with {self.size} elements", UbCapacityError)
        self.size = size

    def get_length(self) -> int:
        """Bytes."""
        return self.size * self.dtype.size_bytes

    def get_phy_addr(self, offset: int = 0) -> int:
        """UB byte address of element ``offset``."""
        return self.address + offset * self.dtype.size_bytes

    def get_position(self) -> TPosition:
        return self.position

    def get_user_tag(self) -> int:
        return self.user_tag

    def set_user_tag(self, tag: int = 0) -> None:
        self.user_tag = tag

    def operand(self, name: str, nbytes: int, alignment: int = 32) -> int:
        """The instruction operand for ``nbytes`` from the start; checks alignment and the tensor's own size."""
        if self.address % alignment:
            current_recorder().refuse(
                f"{name} ({self.name}) starts at UB byte {self.address}, which is not a multiple of {alignment}"
            )
        if nbytes > self.size * self.dtype.size_bytes:
            current_recorder().refuse(
                f"{name} needs {nbytes} B but {self.name} has {self.get_length()} B ({self.size} x {self.dtype})",
                UbCapacityError,
            )
        return self.address

    def _element(self, index: int) -> int:
        if not 0 <= index < self.size:
            current_recorder().refuse(f"element {index} of {self.name} with {self.size} elements", UbCapacityError)
        return self.address + index * self.dtype.size_bytes

    def get_value(self, index: int) -> Any:
        """Element ``index``, read by the scalar unit: everything recorded so far runs up to here first."""
        return _scalar_load(self._element(index), self.dtype)

    def set_value(self, index: int, value: float) -> None:
        """Store one element from the scalar unit."""
        _scalar_store(self._element(index), value, self.dtype)


def _scalar_load(address: int, dtype: DataType) -> Any:
    recorder = current_recorder()
    recorder.emit(_GET_VALUE, Pipe.S, src0=address, count=dtype.size_bytes)
    return element_of_bytes(recorder.read_back(address, dtype.size_bytes), dtype)


def _scalar_store(address: int, value: float, dtype: DataType) -> None:
    recorder = current_recorder()
    recorder.emit(_SET_VALUE, Pipe.S, dst=address, count=dtype.size_bytes, imm=element_bits(value, dtype))
