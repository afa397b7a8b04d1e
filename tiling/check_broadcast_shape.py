"""Whether shapes of equal rank broadcast together."""

from __future__ import annotations

from collections.abc import Sequence

from tiling.errors import TilingError

STAGE = "CheckBroadcastShape"


def check_broadcast_shape(input_shapes: Sequence[Sequence[int]], output_shapes: Sequence[Sequence[int]]) -> None:
    """Refuse a dimension in which extents other than 1 differ, over inputs and outputs together.

    All shapes have one rank, as ``pad_and_squeeze`` leaves them; TilingError where they do not, or do not broadcast.
    An output may be 1 where an input is not: the shipped check lets that pass, and shape inference never asks for it.
    Source: ops-nn, op_host/arch35/softplus_v2_grad_tiling_arch35.cpp.
    """
    shapes = (*input_shapes, *output_shapes)
    ranks = tuple(len(shape) for shape in shapes)
    if len(set(ranks)) > 1:
        raise TilingError(STAGE, "the shapes have different ranks; pad them first", ranks=ranks)
    for axis, extents in enumerate(zip(*shapes, strict=True)):
        different = {extent for extent in extents if extent != 1}
        if len(different) > 1:
            raise TilingError(STAGE, f"the extents of dimension {axis} do not broadcast", axis=axis, extents=extents)
