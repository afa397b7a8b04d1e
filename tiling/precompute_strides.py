"""Element strides under broadcasting."""

from __future__ import annotations

from collections.abc import Sequence


def precompute_strides(shape: Sequence[int]) -> tuple[int, ...]:
    """Contiguous element strides, but 0 wherever the extent is 1, so that a copy repeats what it broadcasts."""
    strides = []
    step = 1
    for extent in reversed(shape):
        strides.append(0 if extent == 1 else step)
        step *= extent
    return tuple(reversed(strides))
