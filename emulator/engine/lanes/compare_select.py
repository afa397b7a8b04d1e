"""Comparisons (NaN compares false, except for NE) and selection."""

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


for _mode, _compare in {"lt": _lt, "gt": _gt, "eq": _eq, "le": _le, "ge": _ge, "ne": _ne}.items():
    lane(Form.COMPARE, "fiu", name=f"compare_{_mode}")(_compare)
    lane(Form.COMPARE_SCALAR, "fiu", name=f"compare_scalar_{_mode}")(_compare)


def _choose(m: Any, a: Any, b: Any) -> Any:
    return a if m != 0 else b


lane(Form.SELECT, "fiu", name="select", keeps_nan=True)(_choose)
lane(Form.SELECT_SCALAR, "fiu", name="select_scalar", keeps_nan=True)(_choose)
