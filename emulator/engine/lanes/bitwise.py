"""Bitwise operations and shifts; a lane holds the sign- or zero-extended integer."""

from __future__ import annotations

from typing import Any

import numpy as np

from emulator.engine.lanes.registry import lane
from emulator.isa.record import Form


@lane(Form.UNARY, "iu")
def bitwise_not(a: Any) -> Any:
    return ~a


@lane(Form.BINARY, "iu")
def bitwise_and(a: Any, b: Any) -> Any:
    return a & b


@lane(Form.BINARY, "iu")
def bitwise_or(a: Any, b: Any) -> Any:
    return a | b


@lane(Form.SCALAR, "i")
def shift_right(a: Any, s: Any) -> Any:
    # An amount beyond the width leaves the sign: 0 or -1.  Lanes are 64 bits wide, so 63 does that for every type.
    amount = min(max(s, np.int64(0)), np.int64(63))
    return a >> amount


@lane(Form.SCALAR, "u", name="shift_right")
def shift_right_unsigned(a: Any, s: Any) -> Any:
    shifted = np.int64(np.uint64(a) >> np.uint64(min(max(s, np.int64(0)), np.int64(63))))
    return shifted if s < 64 else np.int64(0)


@lane(Form.SCALAR, "u")
def shift_left(a: Any, s: Any) -> Any:
    # What leaves the type's width is dropped when the lane is stored, so an amount beyond the width gives 0.
    shifted = a << min(max(s, np.int64(0)), np.int64(63))
    return shifted if s < 64 else np.int64(0)
