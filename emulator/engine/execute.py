"""Runs one instruction of a program: what it does to UB and global memory."""

from __future__ import annotations

from typing import Any

import numpy as np

from emulator.engine.dma import copy_blocks, copy_nd
from emulator.engine.intrinsics import POINTER_TO, call_lane
from emulator.engine.jit import engine_function, inlined
from emulator.engine.vector_function import run_vector_function
from emulator.isa import layout as at
from emulator.isa.record import Execute

_LANE, _COPY, _NDDMA = int(Execute.LANE), int(Execute.COPY), int(Execute.NDDMA)
_VF, _SCALAR_STORE = int(Execute.VECTOR_FUNCTION), int(Execute.SCALAR_STORE)
_U8, _U16, _U32, _U64 = (POINTER_TO[name] for name in ("uint8", "uint16", "uint32", "uint64"))


@inlined
def resolve(address: Any, ub: Any, bases: Any) -> Any:
    """Host address of a UB byte or of a byte of global memory."""
    if address >= at.GM_BASE:
        return bases[(address >> at.GM_SHIFT) - 1] + (address & at.GM_OFFSET_MASK)
    return ub + address


@inlined
def _store_scalar(address: Any, value: Any, size: Any) -> None:
    if size == 1:
        _U8(address)[0] = np.uint8(value)
    elif size == 2:
        _U16(address)[0] = np.uint16(value)
    elif size == 4:
        _U32(address)[0] = np.uint32(value)
    else:
        _U64(address)[0] = np.uint64(value)


@engine_function
def execute(
    kinds: Any, row: Any, pool: Any, bodies: Any, body_rows: Any, lanes: Any, bases: Any, ub: Any, file: Any, batch: Any
) -> None:
    """Apply one program row.

    ``bodies[b]`` holds the first and last row of vector function ``b`` in ``body_rows``; ``bases`` the host addresses
    of the tensors bound to the argument slots; ``ub`` and ``file`` host addresses of UB and of the register file;
    ``batch`` the most iterations of a vector function that may run together.
    """
    kind, param = kinds[row[at.OP]], row[at.PARAM]
    if kind == _LANE:
        mask = pool[param] if param >= 0 else np.int64(-1)
        call_lane(
            lanes[row[at.AUX]],
            ub + row[at.DST],
            ub + row[at.SRC0],
            ub + row[at.SRC1],
            ub + max(mask, 0),
            row[at.IMM],
            row[at.COUNT],
        )
    elif kind == _VF:
        body = pool[param + at.VF_BODY]
        run_vector_function(kinds, body_rows, bodies[body, 0], bodies[body, 1], pool, param, lanes, ub, file, batch)
    elif kind == _COPY:
        copy_blocks(resolve(row[at.DST], ub, bases), resolve(row[at.SRC0], ub, bases), pool, param)
    elif kind == _NDDMA:
        copy_nd(resolve(row[at.DST], ub, bases), resolve(row[at.SRC0], ub, bases), pool, param)
    elif kind == _SCALAR_STORE:
        _store_scalar(resolve(row[at.DST], ub, bases), row[at.IMM], row[at.COUNT])
