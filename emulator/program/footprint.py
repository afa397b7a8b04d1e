"""Which bytes each instruction reads and writes, for a whole program at once.

UB and global memory share one address space here (see ``GM_BASE``).  Ranges are hulls: a strided copy counts the gaps
between its blocks as touched.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from emulator.isa import layout as at
from emulator.isa.record import Execute

MAX_READS = 5
MAX_WRITES = 3

Array = np.ndarray[Any, np.dtype[np.int64]]

# Columns of a program's lane table: bits an element of each operand; DST_READ where the destination is read too.
DST_BITS, SRC0_BITS, SRC1_BITS, MASK_BITS, DST_READ_BITS = range(5)


class Footprint(NamedTuple):
    """Byte ranges [rows, MAX_READS or MAX_WRITES, (low, high)]; an unused range is (0, 0)."""

    reads: Array
    writes: Array


def footprints(kinds: Array, rows: Array, pool: Array, lane_bits: Array) -> Footprint:
    """The footprint of every row; ``lane_bits`` [lanes, 5] is the program's lane table."""
    reads = np.zeros((len(rows), MAX_READS, 2), np.int64)
    writes = np.zeros((len(rows), MAX_WRITES, 2), np.int64)
    executes = kinds[rows[:, at.OP]]
    for kind, fill in _FILLS.items():
        chosen = np.flatnonzero(executes == kind)
        if len(chosen):
            fill(chosen, rows[chosen], pool, lane_bits, reads, writes)
    return Footprint(reads, writes)


def _span(ranges: Array, chosen: Array, slot: int, low: Array, nbytes: Array) -> None:
    ranges[chosen, slot, 0] = low
    ranges[chosen, slot, 1] = low + nbytes


def _lane(chosen: Array, rows: Array, pool: Array, lane_bits: Array, reads: Array, writes: Array) -> None:
    bits = lane_bits[rows[:, at.AUX]]
    count = rows[:, at.COUNT]

    def nbytes(column: int) -> Array:
        return (count * bits[:, column] + 7) // 8

    _span(writes, chosen, 0, rows[:, at.DST], nbytes(DST_BITS))
    _span(reads, chosen, 0, rows[:, at.SRC0], nbytes(SRC0_BITS))
    _span(reads, chosen, 1, rows[:, at.SRC1], nbytes(SRC1_BITS))
    _span(reads, chosen, 2, rows[:, at.DST], nbytes(DST_READ_BITS))
    mask = np.where(rows[:, at.PARAM] >= 0, pool[np.maximum(rows[:, at.PARAM], 0)], 0) if len(pool) else 0 * count
    _span(reads, chosen, 3, mask, nbytes(MASK_BITS))


def _copy(chosen: Array, rows: Array, pool: Array, _lane_bits: Array, reads: Array, writes: Array) -> None:
    param = rows[:, at.PARAM]
    steps = pool[param + at.COPY_BLOCKS] - 1
    nbytes = pool[param + at.COPY_BYTES]
    back = np.minimum(steps * pool[param + at.COPY_SRC_STRIDE], 0)
    forth = np.maximum(steps * pool[param + at.COPY_SRC_STRIDE], 0)
    _span(reads, chosen, 0, rows[:, at.SRC0] + back, forth - back + nbytes)
    padded = nbytes + pool[param + at.COPY_LEFT] + pool[param + at.COPY_RIGHT]
    _span(writes, chosen, 0, rows[:, at.DST], steps * pool[param + at.COPY_DST_STRIDE] + padded)


def _nddma(chosen: Array, rows: Array, pool: Array, _lane_bits: Array, reads: Array, writes: Array) -> None:
    param = rows[:, at.PARAM]
    size = pool[param + at.NDDMA_SIZE]
    source, destination = np.zeros_like(param), np.zeros_like(param)
    for dim in range(at.NDDMA_DIMS):
        base = param + at.NDDMA_LOOPS + dim * at.NDDMA_LOOP_WIDTH
        source += (pool[base] - 1) * pool[base + 1]
        destination += (pool[base] + pool[base + 3] + pool[base + 4] - 1) * pool[base + 2]
    _span(reads, chosen, 0, rows[:, at.SRC0], (source + 1) * size)
    _span(writes, chosen, 0, rows[:, at.DST], (destination + 1) * size)


def _vector_function(chosen: Array, rows: Array, pool: Array, _bits: Array, reads: Array, writes: Array) -> None:
    calls, which = np.unique(rows[:, at.PARAM], return_inverse=True)
    for number, param in enumerate(calls):
        cursor = int(param) + at.VF_ARGS
        cursor += int(pool[cursor]) + 1
        members = chosen[which == number]
        for ranges in (reads, writes):
            count = int(pool[cursor])
            ranges[members, :count] = pool[cursor + 1 : cursor + 1 + 2 * count].reshape(count, 2)
            cursor += 1 + 2 * count


def _scalar_store(chosen: Array, rows: Array, _pool: Array, _bits: Array, _reads: Array, writes: Array) -> None:
    _span(writes, chosen, 0, rows[:, at.DST], rows[:, at.COUNT])


def _scalar_load(chosen: Array, rows: Array, _pool: Array, _bits: Array, reads: Array, _writes: Array) -> None:
    _span(reads, chosen, 0, rows[:, at.SRC0], rows[:, at.COUNT])


_FILLS = {
    Execute.LANE: _lane,
    Execute.COPY: _copy,
    Execute.NDDMA: _nddma,
    Execute.VECTOR_FUNCTION: _vector_function,
    Execute.SCALAR_STORE: _scalar_store,
    Execute.SCALAR_LOAD: _scalar_load,
}


def merge_ranges(ranges: list[tuple[int, int]], limit: int) -> list[tuple[int, int]]:
    """Unite overlapping ranges, then the nearest ones, until at most ``limit`` are left."""
    merged: list[list[int]] = []
    for low, high in sorted(ranges):
        if merged and low <= merged[-1][1]:
            merged[-1][1] = max(merged[-1][1], high)
        else:
            merged.append([low, high])
    while len(merged) > limit:
        gaps = [merged[i + 1][0] - merged[i][1] for i in range(len(merged) - 1)]
        nearest = gaps.index(min(gaps))
        merged[nearest : nearest + 2] = [[merged[nearest][0], merged[nearest + 1][1]]]
    return [(low, high) for low, high in merged]
