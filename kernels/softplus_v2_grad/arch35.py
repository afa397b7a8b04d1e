"""The arch35 kernel of SoftplusV2Grad: register-based, NDDMA in, one burst out.

Structure, buffers, events and instruction order follow the operator that CANN's ops-nn ships for Ascend 950
(activation/softplus_v2_grad, August 2026): fp32 uses three of four UB buffers (P3), fp16 and bf16 use all four and
cast through one of them (P4).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from emulator import asc
from emulator.asc import HardEvent
from emulator.asc.enums import CMPMODE
from kernels.softplus_v2_grad.tiling_data import PHYSICAL_BUFFERS, Tile, TilingData

MAX_NDDMA_DIMS = 5


@asc.simd_vf
def softplus_grad_vf(
    out: asc.reg.UbPointer,
    features: asc.reg.UbPointer,
    gradients: asc.reg.UbPointer,
    count: int,
    beta: float,
    threshold: float,
) -> None:
    """out = gradients where beta x features > threshold, else gradients / (1 + exp(-beta x features)), in float32."""
    lanes = asc.reg.lanes(asc.float32)
    src0, src1, t1, t2, t3, t4, t5, threshold_reg, result = (asc.reg.RegTensor(asc.float32) for _ in range(9))
    above = asc.reg.MaskReg()
    remaining = asc.number(count, asc.uint32)
    for i in asc.range(-(-count // lanes)):
        address = asc.reg.create_addr_reg(asc.float32, i, lanes)
        mask = asc.reg.update_mask(asc.float32, remaining)
        asc.reg.load_align(src0, features, address)
        asc.reg.load_align(src1, gradients, address)
        asc.reg.muls(t1, src0, beta, mask)  # S1
        asc.reg.neg(t2, t1, mask)  # S2
        asc.reg.exp(t3, t2, mask)  # S3
        asc.reg.adds(t4, t3, 1.0, mask)  # S4
        asc.reg.div(t5, src1, t4, mask)  # S5
        asc.reg.sub(t2, t1, t1, mask)  # S6: zero, or NaN where t1 is NaN or infinite
        asc.reg.adds(threshold_reg, t2, threshold, mask)  # S7
        asc.reg.compare(above, t1, threshold_reg, CMPMODE.GT, mask)  # S8
        asc.reg.select(result, src1, t5, above)  # S9
        asc.reg.store_align(out, result, address, mask)


@dataclass(frozen=True, slots=True)
class _Events:
    mte2_v: int
    v_mte2: int
    v_mte3: int
    mte3_mte2: int


@asc.jit
def softplus_v2_grad(
    gradients: asc.GlobalAddress, features: asc.GlobalAddress, output: asc.GlobalAddress, tiling: TilingData
) -> None:
    """The kernel entry: inputs input_gradients and input_features, output output_backprops, all of one dtype."""
    inputs = [asc.GlobalTensor(), asc.GlobalTensor()]
    inputs[0].set_global_buffer(gradients)
    inputs[1].set_global_buffer(features)
    target = asc.GlobalTensor()
    target.set_global_buffer(output)
    pipe = asc.TPipe()
    buffers = [asc.TBuf(asc.TPosition.VECCALC) for _ in range(PHYSICAL_BUFFERS)]
    for buffer in buffers:
        pipe.init_buffer(buf=buffer, num=tiling.per_buf_bytes)
    events = _Events(
        pipe.fetch_event_id(HardEvent.MTE2_V),
        pipe.fetch_event_id(HardEvent.V_MTE2),
        pipe.fetch_event_id(HardEvent.V_MTE3),
        pipe.fetch_event_id(HardEvent.MTE3_MTE2),
    )
    copies = [_CopyIn(tiling, index, tensor) for index, tensor in enumerate(inputs)]
    process = _process_fp32 if gradients.dtype is asc.float32 else _process_half
    process(tiling, copies, target, buffers, events)


def _process_fp32(
    tiling: TilingData,
    copies: list[_CopyIn],
    output: asc.GlobalTensor,
    buffers: list[asc.TBuf],
    events: _Events,
) -> None:
    """P3: gradients, features and result each in a buffer of their own."""
    gradients, features, result = (buffers[index].get(asc.float32) for index in range(3))
    first, last = tiling.core_tiles(asc.get_block_idx())
    for flat in range(first, last):
        tile = tiling.tile(flat)
        if flat != first:
            asc.wait_flag(HardEvent.MTE3_MTE2, events.mte3_mte2)
        copies[0](tile, gradients)
        copies[1](tile, features)
        asc.set_flag(HardEvent.MTE2_V, events.mte2_v)
        asc.wait_flag(HardEvent.MTE2_V, events.mte2_v)
        asc.vf_call(softplus_grad_vf, result, features, gradients, tile.out_count, tiling.beta, tiling.threshold)
        asc.set_flag(HardEvent.V_MTE3, events.v_mte3)
        asc.wait_flag(HardEvent.V_MTE3, events.v_mte3)
        _copy_out(tile, output, result)
        if flat != last - 1:
            asc.set_flag(HardEvent.MTE3_MTE2, events.mte3_mte2)


def _process_half(
    tiling: TilingData,
    copies: list[_CopyIn],
    output: asc.GlobalTensor,
    buffers: list[asc.TBuf],
    events: _Events,
) -> None:
    """P4: both inputs and the result pass through one buffer of the storage type; arithmetic is in float32."""
    temp = buffers[0].get(output.dtype)
    features, gradients, result = (buffers[index].get(asc.float32) for index in (1, 2, 3))
    first, last = tiling.core_tiles(asc.get_block_idx())
    for flat in range(first, last):
        tile = tiling.tile(flat)
        if flat != first:
            asc.wait_flag(HardEvent.MTE3_MTE2, events.mte3_mte2)
        for copy, widened in zip(copies, (gradients, features), strict=True):
            copy(tile, temp)
            asc.set_flag(HardEvent.MTE2_V, events.mte2_v)
            asc.wait_flag(HardEvent.MTE2_V, events.mte2_v)
            asc.cast(widened, temp, asc.RoundMode.CAST_NONE, tile.out_count)
            asc.set_flag(HardEvent.V_MTE2, events.v_mte2)
            asc.wait_flag(HardEvent.V_MTE2, events.v_mte2)
        asc.vf_call(softplus_grad_vf, result, features, gradients, tile.out_count, tiling.beta, tiling.threshold)
        asc.cast(temp, result, asc.RoundMode.CAST_RINT, tile.out_count)
        asc.set_flag(HardEvent.V_MTE3, events.v_mte3)
        asc.wait_flag(HardEvent.V_MTE3, events.v_mte3)
        _copy_out(tile, output, temp)
        if flat != last - 1:
            asc.set_flag(HardEvent.MTE3_MTE2, events.mte3_mte2)


class _CopyIn:
    """Broadcasts one input's tiles into UB, packed: up to five dimensions an NDDMA, the rest in a scalar loop.

    The loop over what lies outside five dimensions counts whole tiles on the split axis, as the shipped kernel does, so
    a tail tile copies some of its rows again.
    """

    def __init__(self, tiling: TilingData, index: int, source: asc.GlobalTensor) -> None:
        self._tiling = tiling
        self._index = index
        self._source = source
        self._boxes: dict[int, tuple[asc.NdDmaParams, int]] = {}
        axis, rank = tiling.split.axis, tiling.template_rank
        dims = min(rank - axis, MAX_NDDMA_DIMS)
        self._inner = range(rank - 1, rank - 1 - dims, -1)
        self._outer = range(rank - dims - 1, axis - 1, -1)
        self._rounds = math.prod(tiling.split.a_i if dim == axis else tiling.max_bro_shape[dim] for dim in self._outer)

    def __call__(self, tile: Tile, buffer: asc.LocalTensor) -> None:
        """Copy ``tile`` to the start of ``buffer``."""
        params, packed = self._boxes.get(tile.rows) or self._box(tile.rows)
        strides = self._tiling.input_strides[self._index]
        for round_ in range(self._rounds):
            rest, offset = round_, tile.in_offsets[self._index]
            for dim in self._outer:
                extent = self._extent(dim, tile.rows)
                offset += rest % extent * strides[dim]
                rest //= extent
            asc.data_copy(buffer[round_ * packed :], self._source[offset:], params)

    def _extent(self, dim: int, rows: int) -> int:
        return rows if dim == self._tiling.split.axis else self._tiling.max_bro_shape[dim]

    def _box(self, rows: int) -> tuple[asc.NdDmaParams, int]:
        """The loops of a tile with so many rows, and the elements they pack."""
        strides = self._tiling.input_strides[self._index]
        packed = [1]
        for dim in self._inner:
            packed.append(packed[-1] * self._extent(dim, rows))
        loops = asc.NdDmaLoopInfo(
            loop_size=tuple(self._extent(dim, rows) for dim in self._inner),
            loop_src_stride=tuple(strides[dim] for dim in self._inner),
            loop_dst_stride=tuple(packed[:-1]),
        )
        self._boxes[rows] = asc.NdDmaParams(loops), packed[-1]
        return self._boxes[rows]


def _copy_out(tile: Tile, output: asc.GlobalTensor, buffer: asc.LocalTensor) -> None:
    """Store the tile in one burst of exactly its bytes."""
    nbytes = tile.out_count * output.dtype.sizeof()
    asc.data_copy_pad(output[tile.out_offset :], buffer, asc.DataCopyExtParams(1, nbytes, 0, 0))
