"""Cores run side by side only where none touches what another writes."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from emulator import Device, asc
from emulator.isa.layout import GM_BASE
from emulator.program.footprint import MAX_READS, MAX_WRITES, Footprint, merge_ranges
from emulator.program.independence import cores_are_independent

span = st.tuples(st.integers(0, 60), st.integers(0, 12)).map(lambda t: (t[0], t[0] + t[1]))
core = st.tuples(st.lists(span, max_size=4), st.lists(span, max_size=3))


def footprint(cores):
    """Four rows a core, with one range a row."""
    rows = 4 * len(cores)
    table = Footprint(np.zeros((rows, MAX_READS, 2), np.int64), np.zeros((rows, MAX_WRITES, 2), np.int64))
    for core, (reads, writes) in enumerate(cores):
        for ranges, filled in ((reads, table.reads), (writes, table.writes)):
            for number, (low, high) in enumerate(ranges):
                filled[4 * core + number, 0] = (GM_BASE + low, GM_BASE + high)
    return table, np.arange(len(cores) + 1) * 4


@given(st.lists(core, min_size=1, max_size=5))
def test_against_sets_of_bytes(cores):
    def touched(ranges):
        return {byte for low, high in ranges for byte in range(low, high)}

    independent = not any(
        touched(writes) & (touched(other_reads) | touched(other_writes))
        for number, (_, writes) in enumerate(cores)
        for other, (other_reads, other_writes) in enumerate(cores)
        if number != other
    )
    assert cores_are_independent(*footprint(cores)) == independent


@given(st.lists(span.filter(lambda r: r[0] < r[1]), max_size=9), st.integers(1, 4))
def test_merged_ranges_cover_all_and_stay_few(ranges, limit):
    merged = merge_ranges(ranges, limit)
    assert len(merged) <= limit
    assert all(any(low <= a and b <= high for low, high in merged) for a, b in ranges)
    assert merged == sorted(merged)


@asc.jit
def relay(x: asc.GlobalAddress, y: asc.GlobalAddress):
    """Each core copies its block of x to the next block of y."""
    source, target = asc.GlobalTensor(), asc.GlobalTensor()
    source.set_global_buffer(x + 64 * asc.get_block_idx())
    target.set_global_buffer(y + 64 * (asc.get_block_idx() + 1))
    local = asc.LocalTensor(asc.float32, asc.TPosition.VECIN, 0, 64)
    asc.data_copy(local, source, 64)
    asc.set_flag(asc.HardEvent.MTE2_MTE3, 0)
    asc.wait_flag(asc.HardEvent.MTE2_MTE3, 0)
    asc.data_copy(target, local, 64)


def test_arguments_that_share_memory_run_core_after_core():
    """With x and y the same array, core n reads what core n - 1 wrote."""
    for _ in range(5):
        x = np.arange(64 * 33, dtype=np.float32)
        with Device("Ascend950", threads=8):
            relay[32](x, x)
        np.testing.assert_array_equal(x.reshape(33, 64), np.tile(np.arange(64, dtype=np.float32), (33, 1)))
