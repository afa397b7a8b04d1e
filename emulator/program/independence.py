"""Whether the cores of a launch may run in any order: none reads or writes global memory that another writes."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from emulator.isa import layout as at
from emulator.program.footprint import Array, Footprint


def _merged(ranges: Array) -> Array:
    """Disjoint sorted ranges [n, 2] covering the same bytes; touching ranges are united."""
    ranges = ranges[ranges[:, 1] > ranges[:, 0]]
    if len(ranges) == 0:
        return ranges
    ranges = ranges[np.argsort(ranges[:, 0], kind="stable")]
    reach = np.maximum.accumulate(ranges[:, 1])
    starts = np.flatnonzero(np.concatenate([[True], ranges[1:, 0] > reach[:-1]]))
    ends = np.concatenate([starts[1:], [len(ranges)]]) - 1
    return np.stack([ranges[starts, 0], reach[ends]], axis=1)


def _in_memory(ranges: Array, bases: Array | None) -> Array:
    """The ranges in global memory, at host addresses where ``bases`` is given."""
    flat = ranges.reshape(-1, 2)
    flat = flat[flat[:, 0] >= at.GM_BASE]
    if bases is None:
        return flat
    shift = bases[(flat[:, 0] >> at.GM_SHIFT) - 1] - (flat[:, 0] & ~at.GM_OFFSET_MASK)
    shifted: Array = flat + shift[:, None]
    return shifted


def _gather(ranges: Array, offsets: Array, bases: Array | None) -> tuple[Array, Array]:
    """Merged ranges of every core in order of address, and the core of each."""
    merged = [_merged(_in_memory(ranges[first:last], bases)) for first, last in pairwise(offsets)]
    owners = np.repeat(np.arange(len(merged)), [len(part) for part in merged])
    gathered = np.concatenate(merged) if merged else np.empty((0, 2), np.int64)
    order = np.argsort(gathered[:, 0], kind="stable")
    return gathered[order], owners[order]


def cores_are_independent(footprint: Footprint, offsets: Array, bases: Array | None = None) -> bool:
    """True when no byte of global memory is written by one core and touched by another.

    ``offsets`` separates the rows of the cores; ``bases`` gives host addresses of the argument slots, and is needed
    where two arguments share memory.
    """
    writes, writer = _gather(footprint.writes, offsets, bases)
    if len(writes) == 0:
        return True
    if np.any(writes[1:, 0] < np.maximum.accumulate(writes[:, 1])[:-1]):
        return False
    changes = np.concatenate([[0], np.cumsum(writer[1:] != writer[:-1])])
    reads, reader = _gather(footprint.reads, offsets, bases)
    first = np.searchsorted(writes[:, 1], reads[:, 0], side="right")
    last = np.searchsorted(writes[:, 0], reads[:, 1], side="left") - 1
    meets = first <= last
    first, last, reader = first[meets], last[meets], reader[meets]
    own = (writer[first] == reader) & (changes[first] == changes[last])
    return bool(np.all(own))
