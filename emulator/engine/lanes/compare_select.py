"""Comparisons and selection.

NaN compares false; NE is true for it at register level and false at memory level, as the special-value tables have it.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from emulator.engine.lanes.registry import lane
from emulator.isa.record import Form


def _lt(a: Any, b: Any) -> Any:
    return a < b


def _gt(a: Any, b: Any) -> Any:
    return a > b


def _eq(a: Any, b: Any) -> Any:
    return a == b


def _le(a: Any, b: Any) -> Any:
    return a <= b


def _ge(a: Any, b: Any) -> Any:
    return a >= b


def _ne(a: Any, b: Any) -> Any:
    return a != b


def _ne_ordered(a: Any, b: Any) -> Any:
    return (a < b) or (a > b)


def _lt_unsigned(a: Any, b: Any) -> Any:
    return np.uint64(a) < np.uint64(b)


def _gt_unsigned(a: Any, b: Any) -> Any:
    return np.uint64(a) > np.uint64(b)


def _le_unsigned(a: Any, b: Any) -> Any:
    return np.uint64(a) <= np.uint64(b)


def _ge_unsigned(a: Any, b: Any) -> Any:
    return np.uint64(a) >= np.uint64(b)


_REGISTER_LEVEL = {"lt": _lt, "gt": _gt, "eq": _eq, "le": _le, "ge": _ge, "ne": _ne}
_MEMORY_LEVEL = _REGISTER_LEVEL | {"ne": _ne_ordered}
_UNSIGNED = _REGISTER_LEVEL | {"lt": _lt_unsigned, "gt": _gt_unsigned, "le": _le_unsigned, "ge": _ge_unsigned}

for _name, _modes in {"compare": _REGISTER_LEVEL, "compare_ordered": _MEMORY_LEVEL}.items():
    for _kinds, _bodies in {"fi": _modes, "u": _UNSIGNED}.items():
        for _mode, _body in _bodies.items():
            lane(Form.COMPARE, _kinds, name=f"{_name}_{_mode}")(_body)
            lane(Form.COMPARE_SCALAR, _kinds, name=f"{_name}_scalar_{_mode}")(_body)


def _choose(m: Any, a: Any, b: Any) -> Any:
    return a if m != 0 else b


lane(Form.SELECT, "fiu", name="select", keeps_nan=True)(_choose)
lane(Form.SELECT_SCALAR, "fiu", name="select_scalar", keeps_nan=True)(_choose)
