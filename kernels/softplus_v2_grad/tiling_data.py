"""The record that host tiling fills and the kernel reads.

Fields and their order are those of the shipped operator (ops-nn, op_kernel/arch35/softplus_v2_grad_tiling_struct.h):
everything int64, beta and threshold float32.  Shapes and strides are padded on the left to the template rank, 4 or 8.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import msgspec

Shape = tuple[int, ...]
PHYSICAL_BUFFERS = 4
"""Buffers UB is cut into; fp32 uses three of them."""


class Split(msgspec.Struct, frozen=True):
    """How the split axis is cut: ``a_o`` segments of ``a_i`` rows, the last of ``a_i_tail``."""

    axis: int
    a_i: int
    a_o: int
    a_i_tail: int


class MultiCore(msgspec.Struct, frozen=True):
    """How tiles are dealt: the first ``cores_tail`` cores take ``tiles_main`` + 1, the others ``tiles_main``."""

    num_cores: int
    total_tiles: int
    tiles_main: int
    cores_tail: int


class Tile(NamedTuple):
    """One tile: ``coord`` of its first element, padded to the template rank, and ``rows`` on the split axis (a_i_seg).

    Offsets and ``out_count`` count elements; ``in_offsets`` are those of input_gradients and input_features.
    """

    flat: int
    coord: Shape
    rows: int
    in_offsets: tuple[int, int]
    out_offset: int
    out_count: int


class TilingData(msgspec.Struct, frozen=True):
    """Tiling of one launch; immutable and hashable, so that recorded programs can be kept by it.

    ``rank`` is the number of dimensions before padding, ``split.axis`` counts after it.  Strides and offsets count
    elements, ``per_buf_bytes`` bytes; beta and threshold hold float32 values.
    """

    split: Split
    multicore: MultiCore
    rank: int
    per_buf_bytes: int
    max_bro_shape: Shape
    num_inputs: int
    num_outputs: int
    input_shapes: tuple[Shape, Shape]
    input_strides: tuple[Shape, Shape]
    output_shapes: tuple[Shape]
    output_strides: tuple[Shape]
    beta: float
    threshold: float

    @property
    def template_rank(self) -> int:
        """Rank of the kernel template: 4, or 8 for more than four dimensions."""
        return len(self.max_bro_shape)

    def core_tiles(self, core: int) -> tuple[int, int]:
        """First tile of a core and one past its last; an empty range beyond the cores in use.

        IndexError for a negative core.
        """
        cores = self.multicore
        if core < 0:
            raise IndexError(f"core is {core}; cores count from 0")
        if core >= cores.num_cores:
            return cores.total_tiles, cores.total_tiles
        first = core * cores.tiles_main + min(core, cores.cores_tail)
        return first, first + cores.tiles_main + (core < cores.cores_tail)

    def tile(self, flat: int) -> Tile:
        """Tile number ``flat``, counted with the segment on the split axis running fastest.

        IndexError where there is no such tile: the arithmetic below would give another's coordinate.
        """
        split = self.split
        if not 0 <= flat < self.multicore.total_tiles:
            raise IndexError(f"flat is {flat}; this tiling has tiles 0 to {self.multicore.total_tiles - 1}")
        outer, segment = divmod(flat, split.a_o)
        coord = [0] * self.template_rank
        for axis in range(split.axis - 1, -1, -1):
            outer, coord[axis] = divmod(outer, self.max_bro_shape[axis])
        coord[split.axis] = segment * split.a_i
        rows = split.a_i_tail if segment == split.a_o - 1 else split.a_i
        output = self.output_shapes[0]
        stored_rows = 1 if output[split.axis] == 1 else rows
        return Tile(
            flat=flat,
            coord=tuple(coord),
            rows=rows,
            in_offsets=(_dot(coord, self.input_strides[0]), _dot(coord, self.input_strides[1])),
            out_offset=_dot(coord, self.output_strides[0]),
            out_count=stored_rows * math.prod(output[split.axis + 1 :]),
        )

    def to_dict(self) -> dict[str, Any]:
        """The record as plain values, under the names that tools outside use for it.

        Besides the fields: ``split_unpadded``, whose axis counts before padding, and ``cores``, where cores[c] is
        core_tiles(c) as a list.
        """
        axis = self.split.axis - self.template_rank + self.rank
        return {
            "template_rank": self.template_rank,
            "rank": self.rank,
            "per_buf_bytes": self.per_buf_bytes,
            "split_unpadded": {**msgspec.to_builtins(self.split), "axis": axis},
            "split": msgspec.to_builtins(self.split),
            "multicore": msgspec.to_builtins(self.multicore),
            "max_bro_shape": list(self.max_bro_shape),
            "num_inputs": self.num_inputs,
            "num_outputs": self.num_outputs,
            "input0_shape": list(self.input_shapes[0]),
            "input0_strides": list(self.input_strides[0]),
            "input1_shape": list(self.input_shapes[1]),
            "input1_strides": list(self.input_strides[1]),
            "output0_shape": list(self.output_shapes[0]),
            "output0_strides": list(self.output_strides[0]),
            "cores": [list(self.core_tiles(core)) for core in range(self.multicore.num_cores)],
            "beta": self.beta,
            "threshold": self.threshold,
        }


def _dot(coord: list[int], strides: Shape) -> int:
    return sum(index * stride for index, stride in zip(coord, strides, strict=True))
