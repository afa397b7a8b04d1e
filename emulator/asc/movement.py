"""Copies between global memory and UB, and within UB."""

from __future__ import annotations

import math

from emulator.asc.context import current_recorder
from emulator.asc.params import DataCopyExtParams, DataCopyPadExtParams, DataCopyParams, NdDmaParams
from emulator.asc.recorder import CoreRecorder
from emulator.asc.tensors import GlobalTensor, LocalTensor
from emulator.dtypes import DataType, element_bits
from emulator.isa import layout as at
from emulator.isa.layout import PadFill
from emulator.isa.record import Instruction, Level, Pipe
from emulator.isa.table import lookup

_DATA_COPY = lookup(Level.DMA, "data_copy")
_DATA_COPY_PAD = lookup(Level.DMA, "data_copy_pad")
_NDDMA = lookup(Level.DMA, "nddma")

Tensor = LocalTensor | GlobalTensor
BLOCK_BYTES = 32


def data_copy(dst: Tensor, src: Tensor, params: int | DataCopyParams | NdDmaParams) -> None:
    """Copy whole 32-byte blocks between global memory and UB or within UB, or an N-dimensional box into UB.

    ``params`` is a count of elements, a DataCopyParams (both ends in 32-byte blocks), or a NdDmaParams (global memory
    to UB, Ascend950 only).  A count whose bytes are no multiple of 32 is refused, since the hardware would silently
    leave the tail out; ``data_copy_pad`` copies any number of bytes.
    """
    recorder = current_recorder()
    if isinstance(params, NdDmaParams):
        _copy_nd(recorder, dst, src, params)
        return
    dtype = _common_dtype(recorder, dst, src)
    if isinstance(params, DataCopyParams):
        recorder.check_range("block_count", params.block_count, 0, recorder.soc.limits.block_count_max)
        for field in ("block_len", "src_stride", "dst_stride"):
            recorder.check_range(field, getattr(params, field), 0, 65535)
        length = params.block_len * BLOCK_BYTES
        strides = (length + params.src_stride * BLOCK_BYTES, length + params.dst_stride * BLOCK_BYTES)
        blocks = params.block_count if length else 0
    else:
        length = int(params) * dtype.size_bytes
        if length % BLOCK_BYTES or length < 0:
            recorder.refuse(
                f"data_copy of {params} x {dtype} is {length} B; it moves whole blocks of {BLOCK_BYTES} B only "
                "(data_copy_pad moves any number of bytes)"
            )
        strides = (length, length)
        blocks = 1 if length else 0
    if blocks:
        record = (blocks, length, *strides, 0, 0, PadFill.NONE, 0, dtype.size_bytes)
        _emit_copy(recorder, _DATA_COPY, dst, src, record)


def data_copy_pad(
    dst: Tensor, src: Tensor, params: DataCopyExtParams, pad_params: DataCopyPadExtParams | None = None
) -> None:
    """Copy blocks of any number of bytes between global memory and UB.

    Into UB each block is filled up to 32 B on the right (with ``pad_params.pad_value``, else with the block's first
    element, else with arbitrary bytes where paddings are given without ``is_pad``); out of UB exactly ``block_len``
    bytes a block reach global memory.
    """
    recorder = current_recorder()
    limits = recorder.soc.limits
    recorder.check_range("block_count", params.block_count, 0, limits.block_count_max)
    recorder.check_range("block_len", params.block_len, 0, limits.block_len_max_bytes)
    dtype = _common_dtype(recorder, dst, src)
    if params.block_len % dtype.size_bytes:
        recorder.refuse(f"block_len {params.block_len} B is no multiple of the {dtype.size_bytes} B of {dtype}")
    if not params.block_count or not params.block_len:
        return
    if isinstance(dst, LocalTensor) and isinstance(src, GlobalTensor):
        record = _padded_load(recorder, params, pad_params, dtype)
    elif isinstance(dst, GlobalTensor) and isinstance(src, LocalTensor):
        if pad_params is not None:
            recorder.refuse("a copy into global memory takes no padding parameters")
        record = _exact_store(recorder, params, dtype)
    else:
        recorder.refuse("data_copy_pad copies between global memory and UB")
    _emit_copy(recorder, _DATA_COPY_PAD, dst, src, record)


def _padded_load(
    recorder: CoreRecorder, params: DataCopyExtParams, pad: DataCopyPadExtParams | None, dtype: DataType
) -> tuple[int, ...]:
    gap_low = -params.block_len if recorder.soc.capabilities.negative_copy_gap else 0
    recorder.check_range("src_stride", params.src_stride, gap_low, (1 << 40) - 1)
    recorder.check_range("dst_stride", params.dst_stride, 0, 65535)
    size = dtype.size_bytes
    left = right = 0
    fill, value = PadFill.FIRST_ELEMENT, 0
    if pad is not None:
        recorder.check_range("left_padding", pad.left_padding, 0, BLOCK_BYTES // size)
        recorder.check_range("right_padding", pad.right_padding, 0, BLOCK_BYTES // size)
        if pad.dtype is not dtype:
            recorder.refuse(f"pad_params are for {pad.dtype}, the tensors hold {dtype}")
        left, right = pad.left_padding * size, pad.right_padding * size
        if pad.is_pad:
            if size == 8 and pad.pad_value:
                recorder.refuse(f"pad_value is {pad.pad_value}; 64-bit types take 0 only")
            fill, value = PadFill.VALUE, element_bits(pad.pad_value, dtype)
        elif left or right:
            fill = PadFill.POISON
    region = _round_up(left + params.block_len + right)
    return (
        params.block_count,
        params.block_len,
        params.block_len + params.src_stride,
        region + params.dst_stride * BLOCK_BYTES,
        left,
        region - left - params.block_len,
        fill,
        value,
        size,
    )


def _exact_store(recorder: CoreRecorder, params: DataCopyExtParams, dtype: DataType) -> tuple[int, ...]:
    recorder.check_range("src_stride", params.src_stride, 0, 65535)
    recorder.check_range("dst_stride", params.dst_stride, 0, (1 << 40) - 1)
    return (
        params.block_count,
        params.block_len,
        _round_up(params.block_len) + params.src_stride * BLOCK_BYTES,
        params.block_len + params.dst_stride,
        0,
        0,
        PadFill.NONE,
        0,
        dtype.size_bytes,
    )


def _emit_copy(recorder: CoreRecorder, record: Instruction, dst: Tensor, src: Tensor, copy: tuple[int, ...]) -> None:
    steps = copy[at.COPY_BLOCKS] - 1
    padded = copy[at.COPY_LEFT] + copy[at.COPY_BYTES] + copy[at.COPY_RIGHT]
    read = steps * copy[at.COPY_SRC_STRIDE]
    source = _operand(src, "src", min(read, 0), abs(read) + copy[at.COPY_BYTES], writes=False)
    target = _operand(dst, "dst", 0, steps * copy[at.COPY_DST_STRIDE] + padded, writes=True)
    if isinstance(dst, GlobalTensor):
        pipe = Pipe.MTE3
        if isinstance(src, GlobalTensor):
            recorder.refuse("a copy from global memory to global memory has to go through UB")
    else:
        pipe = Pipe.MTE2 if isinstance(src, GlobalTensor) else Pipe.V
    recorder.emit(record, pipe, target, source, count=copy[0] * copy[1], param=recorder.builder.intern(copy))


def _operand(tensor: Tensor, name: str, low: int, nbytes: int, *, writes: bool) -> int:
    if isinstance(tensor, GlobalTensor):
        return tensor.operand(low, nbytes, writes=writes)
    return tensor.operand(name, nbytes)


def _common_dtype(recorder: CoreRecorder, dst: Tensor, src: Tensor) -> DataType:
    for name, tensor in (("dst", dst), ("src", src)):
        if not isinstance(tensor, LocalTensor | GlobalTensor):
            recorder.refuse(f"{name} must be a LocalTensor or a GlobalTensor, not {type(tensor).__name__}")
    if dst.dtype is not src.dtype:
        recorder.refuse(f"dst holds {dst.dtype}, src holds {src.dtype}; a copy does not convert")
    return dst.dtype


def _round_up(nbytes: int) -> int:
    return -(-nbytes // BLOCK_BYTES) * BLOCK_BYTES


def _copy_nd(recorder: CoreRecorder, dst: Tensor, src: Tensor, params: NdDmaParams) -> None:
    dtype = _common_dtype(recorder, dst, src)
    if not isinstance(dst, LocalTensor) or not isinstance(src, GlobalTensor):
        recorder.refuse("an N-dimensional copy goes from global memory to UB")
    known = recorder.builder.boxes.get((id(params), dtype))
    if known is None:
        known = recorder.builder.boxes[id(params), dtype] = (params, *_nd_record(recorder, params, dtype))
    _, param, read, written, count = known
    source = src.operand(0, read, writes=False)
    # The documentation asks for 32-byte alignment, the shipped kernels pass element-aligned addresses: we follow them.
    target = dst.operand("dst", written, alignment=dtype.size_bytes)
    recorder.emit(_NDDMA, Pipe.MTE2, target, source, count=count, param=param)


def _nd_record(recorder: CoreRecorder, params: NdDmaParams, dtype: DataType) -> tuple[int, int, int, int]:
    """The parameter record of a box, and the bytes it reads from, spans in UB and writes."""
    if not recorder.soc.capabilities.nddma:
        recorder.refuse(f"{recorder.soc.name} has no N-dimensional copy (NDDMA)")
    size = dtype.size_bytes
    loops = _nd_loops(recorder, params)
    if size == 8 and (params.is_nearest_value_mode or params.constant_value):
        recorder.refuse("64-bit elements can be padded with the constant 0 only")
    record = [size, int(params.is_nearest_value_mode), element_bits(params.constant_value, dtype)]
    record += [value for loop in loops for value in loop]
    read = sum((loop[0] - 1) * loop[1] for loop in loops) + 1
    spanned = sum((loop[0] + loop[3] + loop[4] - 1) * loop[2] for loop in loops) + 1
    written = math.prod(loop[0] + loop[3] + loop[4] for loop in loops)
    return recorder.builder.intern(tuple(record)), read * size, spanned * size, written * size


def _nd_loops(recorder: CoreRecorder, params: NdDmaParams) -> list[tuple[int, int, int, int, int]]:
    info, limits = params.loop_info, recorder.soc.limits
    dims = len(info.loop_size)
    recorder.check_range("number of loops", dims, 1, at.NDDMA_DIMS)
    nothing = (0,) * dims
    columns = {
        "loop_size": (info.loop_size, 1, limits.nddma_loop_size_max),
        "loop_src_stride": (info.loop_src_stride, 0, limits.nddma_src_stride_max),
        "loop_dst_stride": (info.loop_dst_stride, 0, limits.nddma_dst_stride_max),
        "loop_lp_size": (info.loop_lp_size or nothing, 0, limits.nddma_pad_max),
        "loop_rp_size": (info.loop_rp_size or nothing, 0, limits.nddma_pad_max),
    }
    for name, (values, low, high) in columns.items():
        if len(values) != dims:
            recorder.refuse(f"{name} has {len(values)} entries, loop_size has {dims}")
        for dim, value in enumerate(values):
            recorder.check_range(f"{name}[{dim}]", value, low, high)
    loops = list(zip(*(values for values, _, _ in columns.values()), strict=True))
    return loops + [(1, 0, 0, 0, 0)] * (at.NDDMA_DIMS - dims)
