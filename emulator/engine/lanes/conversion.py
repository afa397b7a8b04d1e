"""Round modes of conversions, as functions of one float64 value."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np


def _rint(x: Any) -> Any:
    return np.rint(np.float64(x))


def _floor(x: Any) -> Any:
    return np.floor(np.float64(x))


def _ceil(x: Any) -> Any:
    return np.ceil(np.float64(x))


def _trunc(x: Any) -> Any:
    return np.trunc(np.float64(x))


def _round(x: Any) -> Any:
    # Half away from zero.  The sum is exact wherever the value has a fraction, since sources have 24 bits at most.
    value = np.float64(x)
    return np.trunc(value + (0.5 if value >= 0 else -0.5))


ROUNDINGS: dict[str, Callable[[Any], Any]] = {
    "none": _rint,
    "rint": _rint,
    "floor": _floor,
    "ceil": _ceil,
    "trunc": _trunc,
    "round": _round,
}


def rounding_body(mode: str) -> Callable[[Any], Any]:
    """The function that rounds a value to an integer under ``mode``; "none" is "rint" where anything is lost."""
    return ROUNDINGS[mode]
