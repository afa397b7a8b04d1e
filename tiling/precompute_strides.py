"""Element strides under broadcasting."""

from __future__ import annotations

from collections.abc import Sequence


def precompute_strides(shape: Sequence[int]) -> tuple[int, ...]:
    """Contiguous strides in elements, but 0 wherever the extent is 1, so that a copy repeats what it broadcasts.

    Source: ops-nn, op_host/arch35/softplus_v2_grad_tiling_arch35.cpp.
    """
    strides = []
    step = 1
    for extent in reversed(shape):
        strides.append(0 if extent == 1 else step)
        step *= extent
    return tuple(reversed(strides))
