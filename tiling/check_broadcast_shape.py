"""Whether shapes of equal rank broadcast together."""

from __future__ import annotations

from collections.abc import Sequence

from tiling.errors import TilingError

STAGE = "CheckBroadcastShape"


def check_broadcast_shape(input_shapes: Sequence[Sequence[int]], output_shapes: Sequence[Sequence[int]]) -> None:
    """Refuse a dimension in which extents other than 1 differ, over inputs and outputs together."""
    for axis, extents in enumerate(zip(*input_shapes, *output_shapes, strict=True)):
        different = sorted({extent for extent in extents if extent != 1})
        if len(different) > 1:
            raise TilingError(STAGE, f"the extents of dimension {axis} do not broadcast", axis=axis, extents=extents)
