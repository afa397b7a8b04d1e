"""The register file of a vector function while it runs.

A register holds one vector length (256 bytes) for each iteration of the batch, so that an instruction works on a whole
batch at a time.  A mask register holds a byte for each lane of the batch, or, in the common case, only the number of
leading lanes that are set.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from emulator.engine.intrinsics import POINTER_TO, fill_bytes, move_bytes
from emulator.engine.jit import inlined
from emulator.isa.layout import MaskPattern

VECTOR_BYTES = 256
BATCH_ITERATIONS = 32
BATCH_BYTES = BATCH_ITERATIONS * VECTOR_BYTES
MAX_VECTOR_REGISTERS = 64
MAX_MASK_REGISTERS = 32
MAX_SCALARS = 32

SCRATCH_REGISTER = MAX_VECTOR_REGISTERS
SCRATCH_MASK = MAX_MASK_REGISTERS
REGISTER_FILE_BYTES = (MAX_VECTOR_REGISTERS + 1 + MAX_MASK_REGISTERS + 1) * BATCH_BYTES

# Columns of the mask table: leading lanes that are set (or MASK_BYTES), and the element size the mask was made for.
PREFIX, SIZE = 0, 1
MASK_BYTES = -1

_U8, _U16, _U32, _U64 = (POINTER_TO[name] for name in ("uint8", "uint16", "uint32", "uint64"))
_M3, _M4, _H, _Q = (int(p) for p in (MaskPattern.M3, MaskPattern.M4, MaskPattern.H, MaskPattern.Q))
_ALL, _ALLF = int(MaskPattern.ALL), int(MaskPattern.ALLF)


@inlined
def vector_register(file: Any, index: Any) -> Any:
    """Host address of a vector register."""
    return file + index * BATCH_BYTES


@inlined
def mask_register(file: Any, index: Any) -> Any:
    """Host address of a mask register's bytes."""
    return file + (MAX_VECTOR_REGISTERS + 1 + index) * BATCH_BYTES


@inlined
def expand_mask(file: Any, masks: Any, index: Any, lanes: Any) -> None:
    """Turn a mask kept as a count of leading lanes into bytes."""
    leading = masks[index, PREFIX]
    if leading != MASK_BYTES:
        address = mask_register(file, index)
        leading = min(leading, lanes)
        fill_bytes(address, np.int64(1), leading)
        fill_bytes(address + leading, np.int64(0), lanes - leading)
        masks[index, PREFIX] = MASK_BYTES


@inlined
def mask_bytes(file: Any, masks: Any, index: Any, size: Any, iterations: Any) -> Any:
    """Host address of the mask's bytes, one for each lane of ``size``-byte elements.

    The hardware mask has a bit for each byte of the register and a lane owns as many bits as it has bytes, of which the
    lowest counts; a mask made for another element size is read by that rule.
    """
    made_for = masks[index, SIZE]
    expand_mask(file, masks, index, iterations * (VECTOR_BYTES // made_for))
    address = mask_register(file, index)
    if made_for == size:
        return address
    scratch = mask_register(file, SCRATCH_MASK)
    lanes, lanes_made = VECTOR_BYTES // size, VECTOR_BYTES // made_for
    for iteration in range(iterations):
        for lane in range(lanes):
            bit = lane * size
            is_set = np.uint8(0)
            if bit % made_for == 0:
                is_set = _U8(address)[iteration * lanes_made + bit // made_for]
            _U8(scratch)[iteration * lanes + lane] = is_set
    return scratch


@inlined
def create_mask(file: Any, masks: Any, index: Any, pattern: Any, size: Any, iterations: Any) -> None:
    """Set a mask register to one of the patterns of MaskPattern in every iteration of the batch."""
    lanes = VECTOR_BYTES // size
    masks[index, SIZE] = size
    if pattern == _ALL or pattern == _ALLF:
        masks[index, PREFIX] = lanes * iterations if pattern == _ALL else 0
        return
    masks[index, PREFIX] = MASK_BYTES
    leading, step = min(pattern, lanes), np.int64(1)
    if pattern == _M3 or pattern == _M4:
        leading, step = lanes, np.int64(3 if pattern == _M3 else 4)
    elif pattern == _H or pattern == _Q:
        leading = lanes // (2 if pattern == _H else 4)
    bytes_of = _U8(mask_register(file, index))
    for iteration in range(iterations):
        for lane in range(lanes):
            bytes_of[iteration * lanes + lane] = np.uint8(lane < leading and lane % step == 0)


@inlined
def zero_unselected(dst: Any, mask: Any, size: Any, lanes: Any) -> None:
    """Zeroing mode: lanes that the mask leaves out become 0."""
    m = _U8(mask)
    if size == 4:
        for i in range(lanes):
            _U32(dst)[i] = _U32(dst)[i] if m[i] != 0 else np.uint32(0)
    elif size == 2:
        for i in range(lanes):
            _U16(dst)[i] = _U16(dst)[i] if m[i] != 0 else np.uint16(0)
    elif size == 1:
        for i in range(lanes):
            _U8(dst)[i] = _U8(dst)[i] if m[i] != 0 else np.uint8(0)
    else:
        for i in range(lanes):
            _U64(dst)[i] = _U64(dst)[i] if m[i] != 0 else np.uint64(0)


@inlined
def copy_selected(dst: Any, src: Any, mask: Any, size: Any, lanes: Any) -> None:
    """Merging mode and masked stores: only the lanes in the mask are written."""
    m = _U8(mask)
    for i in range(lanes):
        if m[i] != 0:
            move_bytes(dst + i * size, src + i * size, size)


@inlined
def splat(dst: Any, src: Any, size: Any, lanes: Any) -> None:
    """Fill ``lanes`` lanes with the element at ``src``."""
    move_bytes(dst, src, size)
    filled = np.int64(1)
    while filled < lanes:
        more = min(filled, lanes - filled)
        move_bytes(dst + filled * size, dst, more * size)
        filled += more


@inlined
def broadcast_register(file: Any, index: Any, iterations: Any) -> None:
    """Repeat the first iteration's vector for every iteration of a batch."""
    address = vector_register(file, index)
    for iteration in range(1, iterations):
        move_bytes(address + iteration * VECTOR_BYTES, address, VECTOR_BYTES)


@inlined
def broadcast_mask(file: Any, masks: Any, index: Any, iterations: Any) -> None:
    """Repeat the first iteration's mask for every iteration of a batch."""
    lanes = VECTOR_BYTES // masks[index, SIZE]
    if masks[index, PREFIX] >= lanes:
        masks[index, PREFIX] = lanes * iterations
        return
    expand_mask(file, masks, index, lanes)
    address = mask_register(file, index)
    for iteration in range(1, iterations):
        move_bytes(address + iteration * lanes, address, lanes)


@inlined
def keep_last_iteration(file: Any, masks: Any, index: Any, is_mask: Any, iterations: Any) -> None:
    """After a batched loop a register holds what its last iteration left."""
    if is_mask != 0:
        lanes = VECTOR_BYTES // masks[index, SIZE]
        leading = masks[index, PREFIX]
        if leading != MASK_BYTES:
            masks[index, PREFIX] = max(leading - (iterations - 1) * lanes, 0)
        else:
            address = mask_register(file, index)
            move_bytes(address, address + (iterations - 1) * lanes, lanes)
    else:
        address = vector_register(file, index)
        move_bytes(address, address + (iterations - 1) * VECTOR_BYTES, VECTOR_BYTES)
