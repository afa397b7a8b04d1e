"""Argument checks that several tiling functions share."""

from __future__ import annotations

import operator
from typing import Any

from tiling.errors import TilingError


def whole_number(stage: str, name: str, value: Any) -> int:
    """``value`` as an int; TilingError of ``stage`` where it is none, so that 2.7 is never cut to 2."""
    try:
        return operator.index(value)
    except TypeError:
        raise TilingError(stage, f"{name} must be a whole number", **{name: value}) from None
