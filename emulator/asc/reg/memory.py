"""Register-level loads, stores, masks and addresses."""

from __future__ import annotations

from typing import Any

from emulator.asc.enums import LoadDist, MaskPattern
from emulator.asc.reg.affine import Affine
from emulator.asc.reg.recorder import ScalarRegister, VectorRecorder
from emulator.asc.reg.registers import AddrReg, MaskReg, RegTensor, UbPointer, current_vector
from emulator.dtypes import DataType
from emulator.isa import layout as at
from emulator.isa.record import Level
from emulator.isa.table import lookup

VECTOR_BYTES = 256
BLOCK_BYTES = 32

_LOAD = lookup(Level.REG, "load_align")
_STORE = lookup(Level.REG, "store_align")
_UPDATE = lookup(Level.REG, "update_mask")
_CREATE = lookup(Level.REG, "create_mask")
_ADDRESS = lookup(Level.REG, "create_addr_reg")
_BARRIER = lookup(Level.REG, "local_mem_bar")

_PREFIX_PATTERNS = {MaskPattern.H: 2, MaskPattern.Q: 4}


def lanes(dtype: DataType) -> int:
    """Elements of ``dtype`` in a vector register."""
    return VECTOR_BYTES // dtype.size_bytes


def create_addr_reg(dtype: DataType, *index_and_stride: Any) -> AddrReg:
    """An address: sum of index x stride over pairs (index, stride in elements of ``dtype``), at most four."""
    vector = current_vector()
    if not index_and_stride or len(index_and_stride) % 2 or len(index_and_stride) > 2 * at.VF_LOOP_DEPTH:
        vector.core.refuse(
            f"create_addr_reg takes one to {at.VF_LOOP_DEPTH} pairs of index and stride, "
            f"not {len(index_and_stride)} values"
        )
    total = Affine()
    for index, stride in zip(index_and_stride[::2], index_and_stride[1::2], strict=True):
        total = total + Affine.of(index) * stride
    vector.emit(_ADDRESS, {at.V_SIZE: dtype.size_bytes})
    return AddrReg(total * dtype.size_bytes)


def load_align(
    dst: RegTensor, src: UbPointer, offset: AddrReg | Affine | int = 0, *, dist: LoadDist = LoadDist.NORM
) -> None:
    """Load a register from UB at ``src`` + ``offset`` (an address register, or elements).

    NORM reads 256 bytes at a 32-byte aligned address, BRC one element that fills every lane.  Loads have no mask.
    """
    vector = current_vector()
    address = _address(vector, "load_align", src, offset)
    size = _same_type(vector, "load_align", dst, src)
    broadcast = dist is LoadDist.BRC
    _check_alignment(vector, "load_align", address, size if broadcast else BLOCK_BYTES)
    row = vector.emit(
        _LOAD,
        {at.V_DST: dst.index, at.V_ARG: src.argument, at.V_SIZE: size, at.V_AUX: int(dist), **_columns(address)},
    )
    vector.access(row, argument=src.argument, address=address, nbytes=size if broadcast else VECTOR_BYTES)


def store_align(dst: UbPointer, src: RegTensor, *offset_and_mask: Any) -> None:
    """Store the lanes in the mask: ``store_align(dst, src, mask)`` or ``store_align(dst, src, offset, mask)``."""
    vector = current_vector()
    if not offset_and_mask or len(offset_and_mask) > 2:
        vector.core.refuse("store_align takes (dst, src, mask) or (dst, src, offset, mask)")
    offset = offset_and_mask[0] if len(offset_and_mask) == 2 else 0
    mask = check_mask(vector, "store_align", offset_and_mask[-1])
    address = _address(vector, "store_align", dst, offset)
    size = _same_type(vector, "store_align", src, dst)
    _check_alignment(vector, "store_align", address, BLOCK_BYTES)
    columns = {at.V_SRC0: src.index, at.V_ARG: dst.argument, at.V_SIZE: size, at.V_MASK: mask, **_columns(address)}
    row = vector.emit(_STORE, columns)
    vector.access(row, argument=dst.argument, address=address, nbytes=VECTOR_BYTES, mask=mask, size=size)


def update_mask(dtype: DataType, remaining: Any) -> MaskReg:
    """A mask of the first min(remaining, lanes) lanes; ``remaining`` then goes down by the lanes, not below 0.

    ``remaining`` comes from ``asc.number``, since the call changes it.
    """
    vector = current_vector()
    if not isinstance(remaining, ScalarRegister):
        vector.core.refuse(
            f"update_mask changes its count: make it with asc.number(count, asc.uint32), not {remaining!r}"
        )
    mask = MaskReg(dtype)
    vector.emit(_UPDATE, {at.V_DST: mask.index, at.V_SRC0: remaining.index, at.V_SIZE: dtype.size_bytes})
    vector.counters[mask.index] = remaining
    vector.leading.pop(mask.index, None)
    return mask


def create_mask(dtype: DataType, pattern: MaskPattern = MaskPattern.ALL) -> MaskReg:
    """A mask with a fixed pattern of lanes."""
    vector = current_vector()
    if not isinstance(pattern, MaskPattern):
        vector.core.refuse(f"create_mask takes a MaskPattern, not {pattern!r}")
    mask = MaskReg(dtype)
    vector.emit(_CREATE, {at.V_DST: mask.index, at.V_AUX: int(pattern), at.V_SIZE: dtype.size_bytes})
    vector.counters.pop(mask.index, None)
    vector.leading.pop(mask.index, None)
    if pattern in _PREFIX_PATTERNS:
        vector.leading[mask.index] = lanes(dtype) // _PREFIX_PATTERNS[pattern]
    elif pattern.name.startswith("VL"):
        vector.leading[mask.index] = min(int(pattern), lanes(dtype))
    return mask


def local_mem_bar() -> None:
    """Order the loads and stores before it with those after it; accesses through other registers are not ordered."""
    current_vector().emit(_BARRIER, {})


def check_mask(vector: VectorRecorder, name: str, mask: Any) -> int:
    """The number of a mask register operand."""
    if not isinstance(mask, MaskReg):
        vector.core.refuse(f"{name}: mask must be a MaskReg, not {type(mask).__name__}")
    if mask.dtype is None:
        vector.core.refuse(f"{name}: the mask register has not been written yet")
    return mask.index


def _address(vector: VectorRecorder, name: str, pointer: Any, offset: AddrReg | Affine | int) -> Affine:
    if not isinstance(pointer, UbPointer):
        vector.core.refuse(f"{name} takes a pointer argument of the vector function, not {type(pointer).__name__}")
    if isinstance(offset, AddrReg):
        return pointer.nbytes + offset.nbytes
    return pointer.nbytes + Affine.of(offset) * pointer.dtype.size_bytes


def _same_type(vector: VectorRecorder, name: str, register: Any, pointer: UbPointer) -> int:
    if not isinstance(register, RegTensor):
        vector.core.refuse(f"{name} takes a RegTensor, not {type(register).__name__}")
    if register.dtype is not pointer.dtype:
        vector.core.refuse(f"{name}: the register holds {register.dtype}, the pointer is to {pointer.dtype}")
    return register.dtype.size_bytes


def _check_alignment(vector: VectorRecorder, name: str, address: Affine, alignment: int) -> None:
    for value in (address.constant, *address.strides):
        if value % alignment:
            vector.core.refuse(f"{name}: the address moves by {value} B, which is not a multiple of {alignment}")


def _columns(address: Affine) -> dict[int, int]:
    strides = {at.V_STRIDE + level: stride for level, stride in enumerate(address.strides)}
    return {at.V_OFFSET: address.constant, **strides}
