"""Comparisons and selection.

NaN compares false; NE is true for it at register level and false at memory level, as the special-value tables have it.
"""

from __future__ import annotations

from typing import Any

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


_REGISTER_LEVEL = {"lt": _lt, "gt": _gt, "eq": _eq, "le": _le, "ge": _ge, "ne": _ne}
_MEMORY_LEVEL = _REGISTER_LEVEL | {"ne": _ne_ordered}

for _name, _modes in {"compare": _REGISTER_LEVEL, "compare_ordered": _MEMORY_LEVEL}.items():
    for _mode, _body in _modes.items():
        lane(Form.COMPARE, "fiu", name=f"{_name}_{_mode}")(_body)
        lane(Form.COMPARE_SCALAR, "fiu", name=f"{_name}_scalar_{_mode}")(_body)


def _choose(m: Any, a: Any, b: Any) -> Any:
    return a if m != 0 else b


lane(Form.SELECT, "fiu", name="select", keeps_nan=True)(_choose)
lane(Form.SELECT_SCALAR, "fiu", name="select_scalar", keeps_nan=True)(_choose)
