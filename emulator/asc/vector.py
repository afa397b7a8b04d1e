"""Memory-level vector calls, count form: one author function for each record of the instruction table.

The functions are made from the records, so this module has no list of instructions.  Their argument order follows
pyasc: ``add(dst, src0, src1, count)``, ``muls(dst, src, scalar, count)``, ``exp(dst, src, count)``,
``compare(dst, src0, src1, cmp_mode, count)``, ``select(dst, sel_mask, src0, src1, sel_mode, count)``,
``cast(dst, src, round_mode, count)``, ``duplicate(dst, scalar, count)``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from emulator.asc.context import current_recorder
from emulator.asc.enums import CMPMODE, RoundMode, SelMode
from emulator.asc.recorder import CoreRecorder
from emulator.asc.tensors import LocalTensor
from emulator.dtypes import immediate_bits
from emulator.isa.record import Form, Instruction, Level, Pipe
from emulator.isa.table import TABLE, lookup

VectorCall = Callable[..., None]

# Ascend C asks compares for whole repeats of 256 bytes.
_COMPARE_BYTES = 256


def _checked(recorder: CoreRecorder, record: Instruction, count: Any, **tensors: LocalTensor) -> int:
    """The count, after checking that every operand is a UB tensor of one accepted element type."""
    first: LocalTensor | None = None
    for name, tensor in tensors.items():
        if not isinstance(tensor, LocalTensor):
            recorder.refuse(f"{record.name}: {name} must be a LocalTensor, not {type(tensor).__name__}")
        if first is None:
            first = tensor
        elif tensor.dtype is not first.dtype:
            recorder.refuse(f"{record.name}: {name} holds {tensor.dtype}, the other operands {first.dtype}")
    assert first is not None
    accepted = record.dtypes.get(recorder.soc.arch, ())
    if first.dtype.name not in accepted:
        known = ", ".join(accepted) or "no type at all"
        recorder.refuse(f"{record.name} on {recorder.soc.arch} takes {known}, not {first.dtype}")
    if not isinstance(count, int) and not hasattr(count, "__index__"):
        recorder.refuse(f"{record.name}: count must be an integer, not {count!r}")
    if count < 0:
        recorder.refuse(f"{record.name}: count is {count}, the least is 0")
    return int(count)


def _check_overlap(
    recorder: CoreRecorder, record: Instruction, dst: tuple[int, int], *sources: tuple[int, int]
) -> None:
    """Source and destination overlap fully or not at all; a result wider than its source may not lie over it."""
    for source in sources:
        apart = dst[0] >= source[0] + source[1] or source[0] >= dst[0] + dst[1]
        if not apart and (dst[0] != source[0] or dst[1] > source[1]):
            recorder.refuse(
                f"{record.name}: dst {dst[0]:#x}..{sum(dst):#x} overlaps src {source[0]:#x}..{sum(source):#x} in part; "
                "the result is undefined unless both start together and dst is not the wider one"
            )


def _unary(record: Instruction) -> VectorCall:
    def call(dst: LocalTensor, src: LocalTensor, count: int) -> None:
        recorder = current_recorder()
        count = _checked(recorder, record, count, dst=dst, src=src)
        nbytes = count * dst.dtype.size_bytes
        to, a = dst.operand("dst", nbytes), src.operand("src", nbytes)
        _check_overlap(recorder, record, (to, nbytes), (a, nbytes))
        lane = recorder.builder.lane(record, (record.lane_on(recorder.soc.arch), dst.dtype.name))
        recorder.emit(record, Pipe.V, to, a, count=count, aux=lane)

    return call


def _binary(record: Instruction) -> VectorCall:
    def call(dst: LocalTensor, src0: LocalTensor, src1: LocalTensor, count: int) -> None:
        recorder = current_recorder()
        count = _checked(recorder, record, count, dst=dst, src0=src0, src1=src1)
        nbytes = count * dst.dtype.size_bytes
        to, a, b = dst.operand("dst", nbytes), src0.operand("src0", nbytes), src1.operand("src1", nbytes)
        _check_overlap(recorder, record, (to, nbytes), (a, nbytes), (b, nbytes))
        lane = recorder.builder.lane(record, (record.lane_on(recorder.soc.arch), dst.dtype.name))
        recorder.emit(record, Pipe.V, to, a, b, count=count, aux=lane)

    return call


def _scalar(record: Instruction) -> VectorCall:
    def call(dst: LocalTensor, src: LocalTensor, scalar: float, count: int) -> None:
        recorder = current_recorder()
        count = _checked(recorder, record, count, dst=dst, src=src)
        nbytes = count * dst.dtype.size_bytes
        to, a = dst.operand("dst", nbytes), src.operand("src", nbytes)
        _check_overlap(recorder, record, (to, nbytes), (a, nbytes))
        lane = recorder.builder.lane(record, (record.lane_on(recorder.soc.arch), dst.dtype.name))
        recorder.emit(record, Pipe.V, to, a, count=count, aux=lane, imm=immediate_bits(scalar, dst.dtype))

    return call


def _fill(record: Instruction) -> VectorCall:
    def call(dst: LocalTensor, scalar: float, count: int) -> None:
        recorder = current_recorder()
        count = _checked(recorder, record, count, dst=dst)
        to = dst.operand("dst", count * dst.dtype.size_bytes)
        lane = recorder.builder.lane(record, (record.lane_on(recorder.soc.arch), dst.dtype.name))
        recorder.emit(record, Pipe.V, to, count=count, aux=lane, imm=immediate_bits(scalar, dst.dtype))

    return call


def _compare(record: Instruction) -> VectorCall:
    with_scalar = record.form is Form.COMPARE_SCALAR

    def call(dst: LocalTensor, src0: LocalTensor, src1: Any, cmp_mode: CMPMODE, count: int) -> None:
        recorder = current_recorder()
        sources = {"src0": src0} if with_scalar else {"src0": src0, "src1": src1}
        count = _checked(recorder, record, count, **sources)
        if not isinstance(cmp_mode, CMPMODE):
            recorder.refuse(f"{record.name}: cmp_mode must be a CMPMODE, not {cmp_mode!r}")
        nbytes = count * src0.dtype.size_bytes
        if nbytes % _COMPARE_BYTES:
            recorder.refuse(f"{record.name}: count x element size is {nbytes} B, no multiple of {_COMPARE_BYTES} B")
        if not isinstance(dst, LocalTensor) or dst.dtype.size_bytes != 1:
            recorder.refuse(f"{record.name}: dst must be a LocalTensor of int8 or uint8, for one bit an element")
        a = src0.operand("src0", nbytes)
        b = 0 if with_scalar else src1.operand("src1", nbytes)
        to = dst.operand("dst", count // 8)
        imm = immediate_bits(src1, src0.dtype) if with_scalar else 0
        lane_name = f"{record.lane_on(recorder.soc.arch)}_{cmp_mode.value}"
        lane = recorder.builder.lane(record, (lane_name, src0.dtype.name, "bits"))
        recorder.emit(record, Pipe.V, to, a, b, count=count, aux=lane, imm=imm)

    return call


def _select(record: Instruction) -> VectorCall:
    scalar_record = lookup(Level.MEMORY, f"{record.name}_scalar")

    def call(
        dst: LocalTensor, sel_mask: LocalTensor, src0: LocalTensor, src1: Any, sel_mode: SelMode, count: int
    ) -> None:
        recorder = current_recorder()
        if sel_mode not in (SelMode.VSEL_TENSOR_SCALAR_MODE, SelMode.VSEL_TENSOR_TENSOR_MODE):
            recorder.refuse(f"select: sel_mode {sel_mode!r} has no count form")
        with_scalar = sel_mode is SelMode.VSEL_TENSOR_SCALAR_MODE
        if with_scalar == isinstance(src1, LocalTensor):
            recorder.refuse(f"select: src1 is a {type(src1).__name__}, which {sel_mode.name} does not take")
        sources = {"dst": dst, "src0": src0} if with_scalar else {"dst": dst, "src0": src0, "src1": src1}
        count = _checked(recorder, record, count, **sources)
        nbytes = count * dst.dtype.size_bytes
        to, a = dst.operand("dst", nbytes), src0.operand("src0", nbytes)
        b = a if with_scalar else src1.operand("src1", nbytes)
        _check_overlap(recorder, record, (to, nbytes), (a, nbytes), (b, nbytes))
        mask = sel_mask.operand("sel_mask", -(-count // 8))
        used = scalar_record if with_scalar else record
        recorder.emit(
            used,
            Pipe.V,
            to,
            a,
            0 if with_scalar else b,
            count=count,
            aux=recorder.builder.lane(used, (used.lane_on(recorder.soc.arch), dst.dtype.name, "bits")),
            param=recorder.builder.intern((mask,)),
            imm=immediate_bits(src1, dst.dtype) if with_scalar else 0,
        )

    return call


def _convert(record: Instruction) -> VectorCall:
    allowed: dict[str, dict[str, frozenset[str]]] = {}
    for arch, entries in record.dtypes.items():
        pairs = (entry.partition(":") for entry in entries)
        allowed[arch] = {pair: frozenset(modes.split(",")) for pair, _, modes in pairs}

    def call(dst: LocalTensor, src: LocalTensor, round_mode: RoundMode, count: int) -> None:
        recorder = current_recorder()
        for name, tensor in (("dst", dst), ("src", src)):
            if not isinstance(tensor, LocalTensor):
                recorder.refuse(f"{record.name}: {name} must be a LocalTensor, not {type(tensor).__name__}")
        modes = allowed.get(recorder.soc.arch, {}).get(f"{src.dtype}->{dst.dtype}")
        if modes is None:
            recorder.refuse(f"{record.name}: {recorder.soc.arch} has no conversion from {src.dtype} to {dst.dtype}")
        if not isinstance(round_mode, RoundMode) or round_mode.value not in modes:
            recorder.refuse(
                f"{record.name} from {src.dtype} to {dst.dtype} on {recorder.soc.arch} takes round_mode "
                f"{', '.join(sorted('CAST_' + mode.upper() for mode in modes))}, not {round_mode!r}"
            )
        if count < 0:
            recorder.refuse(f"{record.name}: count is {count}, the least is 0")
        written, read = count * dst.dtype.size_bytes, count * src.dtype.size_bytes
        to, a = dst.operand("dst", written), src.operand("src", read)
        _check_overlap(recorder, record, (to, written), (a, read))
        lane = recorder.builder.lane(record, ("cast", src.dtype.name, dst.dtype.name, round_mode.value))
        recorder.emit(record, Pipe.V, to, a, count=int(count), aux=lane)

    return call


_MAKERS: dict[Form, Callable[[Instruction], VectorCall]] = {
    Form.UNARY: _unary,
    Form.BINARY: _binary,
    Form.SCALAR: _scalar,
    Form.TERNARY: _scalar,
    Form.FILL: _fill,
    Form.COMPARE: _compare,
    Form.COMPARE_SCALAR: _compare,
    Form.SELECT: _select,
    Form.CONVERT: _convert,
}


def document(call: VectorCall, record: Instruction) -> VectorCall:
    """Give an author function its name and a docstring made from the record."""
    call.__name__ = call.__qualname__ = record.name
    types = "; ".join(f"{arch}: {', '.join(names)}" for arch, names in record.dtypes.items())
    call.__doc__ = f"{record.summary}\n\nElement types: {types}.\nSource: {record.source} ({record.provenance})."
    return call


VECTOR_CALLS: dict[str, VectorCall] = {
    record.name: document(_MAKERS[record.form](record), record)
    for record in TABLE
    if record.level is Level.MEMORY and record.form in _MAKERS
}
globals().update(VECTOR_CALLS)
__all__ = list(VECTOR_CALLS)

if TYPE_CHECKING:

    def __getattr__(name: str) -> VectorCall: ...
