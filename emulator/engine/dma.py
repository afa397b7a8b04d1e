"""Copies: two-dimensional with padding (data_copy, data_copy_pad) and N-dimensional (NDDMA)."""

from __future__ import annotations

from typing import Any

import numpy as np

from emulator.engine.intrinsics import POINTER_TO, fill_bytes, move_bytes
from emulator.engine.jit import inlined
from emulator.isa import layout as at
from emulator.isa.layout import PadFill

_U8, _U16, _U32, _U64 = (POINTER_TO[name] for name in ("uint8", "uint16", "uint32", "uint64"))
_PAD_NONE, _PAD_VALUE, _PAD_FIRST = int(PadFill.NONE), int(PadFill.VALUE), int(PadFill.FIRST_ELEMENT)
POISON_BYTE = 0xA5


@inlined
def _read_element(address: Any, size: Any) -> Any:
    if size == 1:
        return np.int64(_U8(address)[0])
    if size == 2:
        return np.int64(_U16(address)[0])
    if size == 4:
        return np.int64(_U32(address)[0])
    return np.int64(_U64(address)[0])


@inlined
def _write_elements(address: Any, value: Any, size: Any, stride: Any, count: Any) -> None:
    """Write ``value`` ``count`` times, ``stride`` elements apart."""
    if size == 1:
        for i in range(count):
            _U8(address)[i * stride] = np.uint8(value)
    elif size == 2:
        for i in range(count):
            _U16(address)[i * stride] = np.uint16(value)
    elif size == 4:
        for i in range(count):
            _U32(address)[i * stride] = np.uint32(value)
    else:
        for i in range(count):
            _U64(address)[i * stride] = np.uint64(value)


@inlined
def _copy_elements(dst: Any, src: Any, size: Any, dst_stride: Any, src_stride: Any, count: Any) -> None:
    if dst_stride == 1 and src_stride == 1:
        move_bytes(dst, src, count * size)
    elif src_stride == 0:
        _write_elements(dst, _read_element(src, size), size, dst_stride, count)
    elif size == 1:
        for i in range(count):
            _U8(dst)[i * dst_stride] = _U8(src)[i * src_stride]
    elif size == 2:
        for i in range(count):
            _U16(dst)[i * dst_stride] = _U16(src)[i * src_stride]
    elif size == 4:
        for i in range(count):
            _U32(dst)[i * dst_stride] = _U32(src)[i * src_stride]
    else:
        for i in range(count):
            _U64(dst)[i * dst_stride] = _U64(src)[i * src_stride]


@inlined
def _pad(address: Any, nbytes: Any, fill: Any, value: Any, first: Any, size: Any) -> None:
    if fill == _PAD_VALUE:
        _write_elements(address, value, size, 1, nbytes // size)
    elif fill == _PAD_FIRST:
        _write_elements(address, _read_element(first, size), size, 1, nbytes // size)
    else:
        fill_bytes(address, np.int64(POISON_BYTE), nbytes)


@inlined
def copy_blocks(dst: Any, src: Any, pool: Any, param: Any) -> None:
    """Run one two-dimensional copy between host addresses."""
    nbytes = pool[param + at.COPY_BYTES]
    left, right = pool[param + at.COPY_LEFT], pool[param + at.COPY_RIGHT]
    fill, value, size = pool[param + at.COPY_PAD], pool[param + at.COPY_VALUE], pool[param + at.COPY_SIZE]
    for block in range(pool[param + at.COPY_BLOCKS]):
        to = dst + block * pool[param + at.COPY_DST_STRIDE]
        source = src + block * pool[param + at.COPY_SRC_STRIDE]
        move_bytes(to + left, source, nbytes)
        if fill != _PAD_NONE:
            _pad(to, left, fill, value, source, size)
            _pad(to + left + nbytes, right, fill, value, source, size)


@inlined
def _coalesce(loops: Any, pool: Any, first: Any) -> int:
    """Merge loops that continue each other without a gap; returns how many are left (at least one)."""
    count = 0
    for dim in range(at.NDDMA_DIMS):
        base = first + dim * at.NDDMA_LOOP_WIDTH
        size, src, dst = pool[base], pool[base + 1], pool[base + 2]
        if size == 1 and count > 0:
            continue
        last = count - 1
        if count > 0 and src == loops[last, 0] * loops[last, 1] and dst == loops[last, 0] * loops[last, 2]:
            loops[last, 0] *= size
        elif count > 0 and loops[last, 0] == 1:
            loops[last, 0], loops[last, 1], loops[last, 2] = size, src, dst
        else:
            loops[count, 0], loops[count, 1], loops[count, 2] = size, src, dst
            count += 1
    return count


@inlined
def _copy_nd_plain(dst: Any, src: Any, pool: Any, param: Any) -> None:
    size = pool[param + at.NDDMA_SIZE]
    loops = np.empty((at.NDDMA_DIMS, 3), np.int64)
    dims = _coalesce(loops, pool, param + at.NDDMA_LOOPS)
    outer = 1
    for dim in range(1, dims):
        outer *= loops[dim, 0]
    for flat in range(outer):
        rest, to, source = flat, dst, src
        for dim in range(1, dims):
            index = rest % loops[dim, 0]
            rest //= loops[dim, 0]
            to += index * loops[dim, 2] * size
            source += index * loops[dim, 1] * size
        _copy_elements(to, source, size, loops[0, 2], loops[0, 1], loops[0, 0])


@inlined
def _copy_nd_padded(dst: Any, src: Any, pool: Any, param: Any) -> None:
    """Padding makes the destination larger than the source: walk the destination, clamp or fill outside."""
    size, nearest = pool[param + at.NDDMA_SIZE], pool[param + at.NDDMA_NEAREST]
    value = pool[param + at.NDDMA_VALUE]
    total = 1
    for dim in range(at.NDDMA_DIMS):
        base = param + at.NDDMA_LOOPS + dim * at.NDDMA_LOOP_WIDTH
        total *= pool[base] + pool[base + 3] + pool[base + 4]
    for flat in range(total):
        rest, to, source, inside = flat, dst, src, True
        for dim in range(at.NDDMA_DIMS):
            base = param + at.NDDMA_LOOPS + dim * at.NDDMA_LOOP_WIDTH
            extent = pool[base] + pool[base + 3] + pool[base + 4]
            position = rest % extent
            rest //= extent
            to += position * pool[base + 2] * size
            index = position - pool[base + 3]
            if index < 0 or index >= pool[base]:
                inside = False
                index = min(max(index, 0), pool[base] - 1)
            source += index * pool[base + 1] * size
        if inside or nearest != 0:
            move_bytes(to, source, size)
        else:
            _write_elements(to, value, size, 1, 1)


@inlined
def copy_nd(dst: Any, src: Any, pool: Any, param: Any) -> None:
    """Run one N-dimensional copy between host addresses."""
    padded = False
    for dim in range(at.NDDMA_DIMS):
        base = param + at.NDDMA_LOOPS + dim * at.NDDMA_LOOP_WIDTH
        padded = padded or pool[base + 3] != 0 or pool[base + 4] != 0
    if padded:
        _copy_nd_padded(dst, src, pool, param)
    else:
        _copy_nd_plain(dst, src, pool, param)
