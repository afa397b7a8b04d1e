"""Registers of a vector function."""

from __future__ import annotations

from emulator.asc.context import current_recorder
from emulator.asc.reg.affine import Affine
from emulator.asc.reg.recorder import VectorRecorder
from emulator.dtypes import DataType


def current_vector() -> VectorRecorder:
    """The vector function being recorded; refuses register-level calls outside one."""
    recorder = current_recorder()
    if recorder.vector is None:
        recorder.refuse("register-level calls work only inside a function marked asc.simd_vf, called with asc.vf_call")
    return recorder.vector


class RegTensor:
    """A vector register of 256 bytes holding elements of ``dtype``."""

    __slots__ = ("_owner", "dtype", "index")

    def __init__(self, dtype: DataType) -> None:
        self._owner = current_vector()
        self.dtype = dtype
        self.index = self._owner.take_vector()

    def __del__(self) -> None:
        if hasattr(self, "index"):
            self._owner.free_vectors.append(self.index)


class MaskReg:
    """A mask register; ``dtype`` is the element type it was last made for."""

    __slots__ = ("_owner", "dtype", "index")

    def __init__(self, dtype: DataType | None = None) -> None:
        self._owner = current_vector()
        self.dtype = dtype
        self.index = self._owner.take_mask()

    def __del__(self) -> None:
        if hasattr(self, "index"):
            self._owner.free_masks.append(self.index)


class AddrReg:
    """An address register: sum of loop index x stride, in bytes."""

    __slots__ = ("nbytes",)

    def __init__(self, nbytes: Affine) -> None:
        self.nbytes = nbytes


class UbPointer:
    """A pointer argument of a vector function; ``pointer + n`` moves by elements."""

    __slots__ = ("argument", "dtype", "nbytes")

    def __init__(self, argument: int, dtype: DataType, nbytes: Affine) -> None:
        self.argument = argument
        self.dtype = dtype
        self.nbytes = nbytes

    def __add__(self, elements: int | Affine) -> UbPointer:
        return UbPointer(self.argument, self.dtype, self.nbytes + Affine.of(elements) * self.dtype.size_bytes)

    def __getitem__(self, subscript: slice | int) -> UbPointer:
        if isinstance(subscript, slice):
            return self + (subscript.start or 0)
        return self + subscript
