"""Bring shapes to one rank and drop the dimensions in which nothing happens."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from tiling._checks import whole_number
from tiling.errors import TilingError

STAGE = "PadAndSqueeze"
Shape = tuple[int, ...]


class Normalised(NamedTuple):
    """Shapes of equal rank: the largest extents, the inputs and the outputs."""

    max_bro_shape: Shape
    inputs: tuple[Shape, ...]
    outputs: tuple[Shape, ...]


def pad_and_squeeze(input_shapes: Sequence[Sequence[int]], output_shapes: Sequence[Sequence[int]]) -> Normalised:
    """Pad every shape with 1 on the left to the highest rank and keep the dimensions where one of them is not 1.

    Everything is [1] when nothing is left.  Extents count elements; TilingError where one is negative or no whole
    number.  The largest of 0 and 1 is 1, as in the shipped code, so an empty tensor may hide behind max_bro_shape.
    Source: ops-nn, op_host/arch35/softplus_v2_grad_tiling_arch35.cpp.
    """
    shapes = [
        tuple(whole_number(STAGE, "extent", extent) for extent in shape) for shape in (*input_shapes, *output_shapes)
    ]
    for shape in shapes:
        if any(extent < 0 for extent in shape):
            raise TilingError(STAGE, "an extent is negative", shape=shape)
    rank = max((len(shape) for shape in shapes), default=0)
    padded = [(1,) * (rank - len(shape)) + shape for shape in shapes]
    kept = [axis for axis in range(rank) if any(shape[axis] != 1 for shape in padded)]
    squeezed = [tuple(shape[axis] for axis in kept) or (1,) for shape in padded]
    largest = tuple(max(extents) for extents in zip(*squeezed, strict=True)) if squeezed else (1,)
    count = len(input_shapes)
    return Normalised(largest, tuple(squeezed[:count]), tuple(squeezed[count:]))
