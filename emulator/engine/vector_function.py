"""Runs a vector function: one instruction after another, each over a batch of iterations.

A batch spans as many iterations as the call's legality test allows (see :mod:`emulator.program.vector_body`); one
iteration at a time gives the same results.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from emulator.engine.intrinsics import call_lane, fill_bytes, move_bytes
from emulator.engine.jit import engine_function, inlined
from emulator.engine.registers import (
    BATCH_ITERATIONS,
    MASK_BYTES,
    MAX_MASK_REGISTERS,
    MAX_SCALARS,
    PREFIX,
    SCRATCH_REGISTER,
    SIZE,
    VECTOR_BYTES,
    broadcast_mask,
    broadcast_register,
    copy_selected,
    create_mask,
    keep_last_iteration,
    mask_bytes,
    mask_register,
    splat,
    vector_register,
    zero_unselected,
)
from emulator.isa import layout as at
from emulator.isa.layout import LaneFlags, LoadDist
from emulator.isa.record import Execute
from emulator.program.fusion import MAX_IMMEDIATES, MAX_POINTERS

_LOAD, _STORE, _LANE = int(Execute.REG_LOAD), int(Execute.REG_STORE), int(Execute.REG_LANE)
_UPDATE, _CREATE = int(Execute.REG_UPDATE_MASK), int(Execute.REG_CREATE_MASK)
_LOOP, _END, _SCALAR = int(Execute.REG_LOOP), int(Execute.REG_END), int(Execute.REG_SCALAR)
_TO_MASK, _FROM_MASK, _MERGING = (int(f) for f in (LaneFlags.TO_MASK, LaneFlags.FROM_MASK, LaneFlags.MERGING))
_BRC = int(LoadDist.BRC)
_ZERO = np.int64(0)

# Columns of the loop stack.
INDEX, TRIPS, STEP, FIRST_ROW = range(4)


@inlined
def _address(row: Any, pool: Any, param: Any, ub: Any, loops: Any) -> Any:
    """UB host address of a load or store at the current loop indices."""
    address = ub + pool[param + at.VF_ARGS + 1 + row[at.V_ARG]] + row[at.V_OFFSET]
    for level in range(at.VF_LOOP_DEPTH):
        address += row[at.V_STRIDE + level] * loops[level, INDEX]
    return address


@inlined
def _load(row: Any, address: Any, stride: Any, file: Any, iterations: Any) -> None:
    register = vector_register(file, row[at.V_DST])
    if row[at.V_AUX] == _BRC:
        size = row[at.V_SIZE]
        for i in range(iterations):
            splat(register + i * VECTOR_BYTES, address + i * stride, size, VECTOR_BYTES // size)
    elif iterations == 1 or stride == VECTOR_BYTES:
        move_bytes(register, address, iterations * VECTOR_BYTES)
    else:
        for i in range(iterations):
            move_bytes(register + i * VECTOR_BYTES, address + i * stride, np.int64(VECTOR_BYTES))


@inlined
def _store(row: Any, address: Any, stride: Any, file: Any, masks: Any, iterations: Any) -> None:
    register = vector_register(file, row[at.V_SRC0])
    mask, size = row[at.V_MASK], row[at.V_SIZE]
    lanes = VECTOR_BYTES // size
    leading = lanes * iterations
    if mask >= 0:
        same = masks[mask, SIZE] == size
        leading = min(masks[mask, PREFIX], leading) if same else np.int64(MASK_BYTES)
    if leading == MASK_BYTES:
        selected = mask_bytes(file, masks, mask, size, iterations)
        for i in range(iterations):
            copy_selected(address + i * stride, register + i * VECTOR_BYTES, selected + i * lanes, size, lanes)
    elif stride == VECTOR_BYTES:
        move_bytes(address, register, leading * size)
    else:
        for i in range(iterations):
            active = min(max(leading - i * lanes, 0), lanes)
            move_bytes(address + i * stride, register + i * VECTOR_BYTES, active * size)


@inlined
def _compare(row: Any, lane: Any, file: Any, masks: Any, iterations: Any) -> None:
    dst, mask, size = row[at.V_DST], row[at.V_MASK], row[at.V_SIZE]
    a, b = vector_register(file, row[at.V_SRC0]), vector_register(file, row[at.V_SRC1])
    lanes = iterations * (VECTOR_BYTES // size)
    result = mask_register(file, dst)
    if mask < 0 or (masks[mask, PREFIX] != MASK_BYTES and masks[mask, SIZE] == size):
        active = lanes if mask < 0 else min(masks[mask, PREFIX], lanes)
        call_lane(lane, result, a, b, _ZERO, row[at.V_IMM], active)
        fill_bytes(result + active, _ZERO, lanes - active)
    else:
        # The governing mask may be the destination itself, so the result is made beside it.
        scratch = vector_register(file, np.int64(SCRATCH_REGISTER))
        call_lane(lane, scratch, a, b, _ZERO, row[at.V_IMM], lanes)
        zero_unselected(scratch, mask_bytes(file, masks, mask, size, iterations), np.int64(1), lanes)
        move_bytes(result, scratch, lanes)
    masks[dst, PREFIX], masks[dst, SIZE] = MASK_BYTES, size


@inlined
def _select(row: Any, lane: Any, file: Any, masks: Any, iterations: Any) -> None:
    dst, a = vector_register(file, row[at.V_DST]), vector_register(file, row[at.V_SRC0])
    b = vector_register(file, row[at.V_SRC1])
    size = row[at.V_SIZE]
    lanes = iterations * (VECTOR_BYTES // size)
    selected = mask_bytes(file, masks, row[at.V_MASK], size, iterations)
    call_lane(lane, dst, a, b, selected, row[at.V_IMM], lanes)


@inlined
def _arithmetic(row: Any, lane: Any, file: Any, masks: Any, iterations: Any) -> None:
    dst, a = vector_register(file, row[at.V_DST]), vector_register(file, row[at.V_SRC0])
    b = vector_register(file, row[at.V_SRC1])
    size, mask = row[at.V_SIZE], row[at.V_MASK]
    lanes = iterations * (VECTOR_BYTES // size)
    merging = row[at.V_AUX] & _MERGING != 0
    if mask < 0 or (masks[mask, PREFIX] != MASK_BYTES and masks[mask, SIZE] == size):
        active = lanes if mask < 0 else min(masks[mask, PREFIX], lanes)
        call_lane(lane, dst, a, b, _ZERO, row[at.V_IMM], active)
        if not merging:
            fill_bytes(dst + active * size, _ZERO, (lanes - active) * size)
        return
    selected = mask_bytes(file, masks, mask, size, iterations)
    if merging:
        scratch = vector_register(file, np.int64(SCRATCH_REGISTER))
        call_lane(lane, scratch, a, b, _ZERO, row[at.V_IMM], lanes)
        copy_selected(dst, scratch, selected, size, lanes)
    else:
        call_lane(lane, dst, a, b, _ZERO, row[at.V_IMM], lanes)
        zero_unselected(dst, selected, size, lanes)


@inlined
def _update_mask(row: Any, masks: Any, scalars: Any, iterations: Any) -> None:
    counter, size = row[at.V_SRC0], row[at.V_SIZE]
    lanes = iterations * (VECTOR_BYTES // size)
    remaining = scalars[counter]
    masks[row[at.V_DST], PREFIX] = min(remaining, lanes)
    masks[row[at.V_DST], SIZE] = size
    scalars[counter] = max(remaining - lanes, 0)


@inlined
def _enter_loop(row: Any, pool: Any, param: Any, file: Any, masks: Any, batch: Any) -> Any:
    """Iterations of a batch of this loop; spreads the registers it only reads over the batch."""
    step = np.int64(1)
    if row[at.V_AUX] != 0:
        step = min(pool[param + at.VF_BATCH], np.int64(min(batch, BATCH_ITERATIONS)), row[at.V_OFFSET])
    if step > 1:
        listed = row[at.V_IMM]
        for i in range(pool[listed]):
            broadcast_register(file, pool[listed + 1 + i], step)
        listed += pool[listed] + 1
        for i in range(pool[listed]):
            broadcast_mask(file, masks, pool[listed + 1 + i], step)
    return step


@inlined
def _leave_loop(row: Any, pool: Any, file: Any, masks: Any, iterations: Any) -> None:
    listed = row[at.V_IMM]
    listed += pool[listed] + 1
    listed += pool[listed] + 1
    for is_mask in range(2):
        for i in range(pool[listed]):
            keep_last_iteration(file, masks, pool[listed + 1 + i], is_mask, iterations)
        listed += pool[listed] + 1


@inlined
def _run_fused(row: Any, lane: Any, pool: Any, param: Any, ub: Any, scalars: Any) -> None:
    """Run a whole loop lane by lane (see :mod:`emulator.program.fusion`)."""
    record = row[at.V_SRC0]
    values = np.empty(MAX_POINTERS + MAX_IMMEDIATES, np.int64)
    pointers = pool[record + at.FUSED_POINTERS]
    place = record + at.FUSED_POINTERS + 1
    for number in range(pointers):
        values[number] = ub + pool[param + at.VF_ARGS + 1 + pool[place]] + pool[place + 1]
        place += 2
    for number in range(pool[place]):
        values[MAX_POINTERS + number] = pool[place + 1 + number]
    counter = pool[record + at.FUSED_COUNTER]
    lanes = row[at.V_OFFSET] * pool[record + at.FUSED_LANES]
    start = np.int64(values.ctypes.data)
    call_lane(lane, start, start + MAX_POINTERS * 8, _ZERO, _ZERO, _ZERO, min(scalars[counter], lanes))
    scalars[counter] = max(scalars[counter] - lanes, 0)


@engine_function
def run_vector_function(
    kinds: Any, rows: Any, first: Any, last: Any, pool: Any, param: Any, lanes: Any, ub: Any, file: Any, batch: Any
) -> None:
    """Run rows ``first`` to ``last`` of ``rows`` with the arguments at ``pool[param]``.

    ``kinds`` maps opcodes to Execute, ``lanes`` lane numbers to the addresses of compiled loops; ``ub`` and ``file``
    are the host addresses of the core's UB and of a register file of REGISTER_FILE_BYTES; ``batch`` is the most
    iterations that may run together.
    """
    masks = np.zeros((MAX_MASK_REGISTERS + 1, 2), np.int64)
    masks[:, SIZE] = 1
    scalars = np.zeros(MAX_SCALARS, np.int64)
    loops = np.zeros((at.VF_LOOP_DEPTH, 4), np.int64)
    depth, iterations = 0, np.int64(1)
    pc = first
    while pc < last:
        row = rows[pc]
        kind = kinds[row[at.V_OP]]
        pc += 1
        if kind == _LANE:
            lane = lanes[row[at.V_LANE]]
            if row[at.V_AUX] & _TO_MASK != 0:
                _compare(row, lane, file, masks, iterations)
            elif row[at.V_AUX] & _FROM_MASK != 0:
                _select(row, lane, file, masks, iterations)
            else:
                _arithmetic(row, lane, file, masks, iterations)
        elif kind == _LOAD or kind == _STORE:
            address = _address(row, pool, param, ub, loops)
            stride = row[at.V_STRIDE + depth - 1] if depth > 0 else np.int64(VECTOR_BYTES)
            if kind == _LOAD:
                _load(row, address, stride, file, iterations)
            else:
                _store(row, address, stride, file, masks, iterations)
        elif kind == _UPDATE:
            _update_mask(row, masks, scalars, iterations)
        elif kind == _CREATE:
            create_mask(file, masks, row[at.V_DST], row[at.V_AUX], row[at.V_SIZE], iterations)
        elif kind == _SCALAR:
            scalars[row[at.V_DST]] = row[at.V_IMM]
        elif kind == _LOOP:
            if row[at.V_OFFSET] == 0:
                pc = first + row[at.V_DST] + 1
                continue
            fused = lanes[row[at.V_SRC1] - 1] if row[at.V_SRC1] > 0 else _ZERO
            if fused != 0 and pool[param + at.VF_FUSED] != 0 and batch >= BATCH_ITERATIONS:
                _run_fused(row, fused, pool, param, ub, scalars)
                pc = first + row[at.V_DST] + 1
                continue
            loops[depth, INDEX], loops[depth, TRIPS], loops[depth, FIRST_ROW] = 0, row[at.V_OFFSET], pc
            loops[depth, STEP] = _enter_loop(row, pool, param, file, masks, batch)
            iterations = loops[depth, STEP]
            depth += 1
        elif kind == _END:
            level = depth - 1
            loops[level, INDEX] += iterations
            left = loops[level, TRIPS] - loops[level, INDEX]
            if left > 0:
                iterations = min(loops[level, STEP], left)
                pc = loops[level, FIRST_ROW]
            else:
                if loops[level, STEP] > 1:
                    _leave_loop(rows[first + row[at.V_SRC0]], pool, file, masks, iterations)
                loops[level, INDEX] = 0
                depth -= 1
                iterations = np.int64(1)
