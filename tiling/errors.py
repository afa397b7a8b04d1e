"""The error of host tiling."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


class TilingError(Exception):
    """Shapes or resources that a tiling function refuses.

    ``stage`` is the function of the shipped operator that refuses, ``numbers`` what it looked at.
    """

    def __init__(self, stage: str, message: str, **numbers: Any) -> None:
        shown = ", ".join(f"{name} = {value}" for name, value in numbers.items())
        super().__init__(f"{stage}: {message}" + (f" ({shown})" if shown else ""))
        self.stage = stage
        self.numbers: Mapping[str, Any] = numbers
