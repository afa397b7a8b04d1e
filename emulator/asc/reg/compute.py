"""Register-level computation: one author function for each record of the instruction table.

``muls(dst, src, scalar, mask)``, ``add(dst, src0, src1, mask)``, ``neg(dst, src, mask)``,
``compare(dst, src0, src1, cmp_mode, mask)``, ``select(dst, src0, src1, mask)``, ``duplicate(dst, scalar, mask)``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from emulator.asc.enums import CMPMODE, MaskMergeMode
from emulator.asc.reg.memory import check_mask
from emulator.asc.reg.recorder import VectorRecorder
from emulator.asc.reg.registers import MaskReg, RegTensor, current_vector
from emulator.asc.vector import VectorCall, document
from emulator.dtypes import DataType, immediate_bits
from emulator.isa import layout as at
from emulator.isa.layout import LaneFlags
from emulator.isa.record import Execute, Form, Instruction, Level
from emulator.isa.table import TABLE


def _checked(vector: VectorRecorder, record: Instruction, **registers: Any) -> DataType:
    dtype: DataType | None = None
    for name, register in registers.items():
        if not isinstance(register, RegTensor):
            vector.core.refuse(f"reg.{record.name}: {name} must be a RegTensor, not {type(register).__name__}")
        if dtype is not None and register.dtype is not dtype:
            vector.core.refuse(f"reg.{record.name}: {name} holds {register.dtype}, the other registers {dtype}")
        dtype = register.dtype
    assert dtype is not None
    arch = vector.core.soc.arch
    accepted = record.dtypes.get(arch, ())
    if dtype.name not in accepted:
        known = ", ".join(accepted) or "no type at all"
        vector.core.refuse(f"reg.{record.name} on {arch} takes {known}, not {dtype}")
    return dtype


def _emit(vector: VectorRecorder, record: Instruction, lane: str, dtype: DataType, columns: dict[int, int]) -> None:
    number = vector.core.builder.lane(record, (lane, dtype.name))
    vector.emit(record, {at.V_LANE: number, at.V_SIZE: dtype.size_bytes, **columns})


def _merging(vector: VectorRecorder, record: Instruction, mode: MaskMergeMode) -> int:
    if mode is MaskMergeMode.MERGING and not record.merging:
        vector.core.refuse(f"reg.{record.name} knows MaskMergeMode.ZEROING only")
    return int(LaneFlags.MERGING) if mode is MaskMergeMode.MERGING else 0


def _vectors(record: Instruction) -> VectorCall:
    sources = {Form.UNARY: ("src",), Form.BINARY: ("src0", "src1")}[record.form]

    def call(dst: RegTensor, *operands: Any, mask_merge_mode: MaskMergeMode = MaskMergeMode.ZEROING) -> None:
        vector = current_vector()
        if len(operands) != len(sources) + 1:
            vector.core.refuse(f"reg.{record.name} takes dst, {', '.join(sources)}, mask")
        dtype = _checked(vector, record, dst=dst, **dict(zip(sources, operands, strict=False)))
        columns = {at.V_DST: dst.index, at.V_SRC0: operands[0].index, at.V_SRC1: operands[-2].index}
        columns[at.V_MASK] = check_mask(vector, f"reg.{record.name}", operands[-1])
        columns[at.V_AUX] = _merging(vector, record, mask_merge_mode)
        _emit(vector, record, record.lane, dtype, columns)

    return call


def _scalar(record: Instruction) -> VectorCall:
    def call(dst: RegTensor, src: RegTensor, scalar: float, mask: MaskReg) -> None:
        vector = current_vector()
        dtype = _checked(vector, record, dst=dst, src=src)
        columns = {at.V_DST: dst.index, at.V_SRC0: src.index, at.V_IMM: immediate_bits(scalar, dtype)}
        columns[at.V_MASK] = check_mask(vector, f"reg.{record.name}", mask)
        _emit(vector, record, record.lane, dtype, columns)

    return call


def _fill(record: Instruction) -> VectorCall:
    def call(
        dst: RegTensor,
        scalar: float,
        mask: MaskReg | None = None,
        *,
        mask_merge_mode: MaskMergeMode = MaskMergeMode.ZEROING,
    ) -> None:
        vector = current_vector()
        dtype = _checked(vector, record, dst=dst)
        columns = {at.V_DST: dst.index, at.V_IMM: immediate_bits(scalar, dtype)}
        if mask is not None:
            columns[at.V_MASK] = check_mask(vector, f"reg.{record.name}", mask)
        columns[at.V_AUX] = _merging(vector, record, mask_merge_mode)
        _emit(vector, record, record.lane, dtype, columns)

    return call


def _compare(record: Instruction) -> VectorCall:
    with_scalar = record.form is Form.COMPARE_SCALAR

    def call(dst: MaskReg, src0: RegTensor, src1: Any, cmp_mode: CMPMODE, mask: MaskReg) -> None:
        vector = current_vector()
        sources = {"src0": src0} if with_scalar else {"src0": src0, "src1": src1}
        dtype = _checked(vector, record, **sources)
        if not isinstance(dst, MaskReg):
            vector.core.refuse(f"reg.{record.name}: dst must be a MaskReg, not {type(dst).__name__}")
        if not isinstance(cmp_mode, CMPMODE):
            vector.core.refuse(f"reg.{record.name}: cmp_mode must be a CMPMODE, not {cmp_mode!r}")
        columns = {at.V_DST: dst.index, at.V_SRC0: src0.index, at.V_AUX: int(LaneFlags.TO_MASK)}
        columns[at.V_MASK] = check_mask(vector, f"reg.{record.name}", mask)
        if with_scalar:
            columns[at.V_IMM] = immediate_bits(src1, dtype)
        else:
            columns[at.V_SRC1] = src1.index
        dst.dtype = dtype
        vector.counters.pop(dst.index, None)
        vector.leading.pop(dst.index, None)
        _emit(vector, record, f"{record.lane}_{cmp_mode.value}", dtype, columns)

    return call


def _select(record: Instruction) -> VectorCall:
    def call(dst: RegTensor, src0: RegTensor, src1: RegTensor, mask: MaskReg) -> None:
        vector = current_vector()
        dtype = _checked(vector, record, dst=dst, src0=src0, src1=src1)
        columns = {at.V_DST: dst.index, at.V_SRC0: src0.index, at.V_SRC1: src1.index}
        columns[at.V_MASK] = check_mask(vector, f"reg.{record.name}", mask)
        columns[at.V_AUX] = int(LaneFlags.FROM_MASK)
        _emit(vector, record, record.lane, dtype, columns)

    return call


_MAKERS: dict[Form, Callable[[Instruction], VectorCall]] = {
    Form.UNARY: _vectors,
    Form.BINARY: _vectors,
    Form.SCALAR: _scalar,
    Form.FILL: _fill,
    Form.COMPARE: _compare,
    Form.COMPARE_SCALAR: _compare,
    Form.SELECT: _select,
}

REGISTER_CALLS: dict[str, VectorCall] = {
    record.name: document(_MAKERS[record.form](record), record)
    for record in TABLE
    if record.level is Level.REG and record.execute is Execute.REG_LANE
}
globals().update(REGISTER_CALLS)
__all__ = list(REGISTER_CALLS)

if TYPE_CHECKING:

    def __getattr__(name: str) -> VectorCall: ...
