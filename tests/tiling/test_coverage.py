"""Laws of tiling: every output element belongs to exactly one tile of one core, and tiles fit their buffers."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tiling.softplus_v2_grad import make_tiling

MAX_ELEMENTS = 20_000


@st.composite
def broadcast_shapes(draw):
    output = draw(st.lists(st.integers(1, 9), min_size=1, max_size=8))
    while math.prod(output) > MAX_ELEMENTS:
        output[output.index(max(output))] = 1
    inputs = [[extent if draw(st.booleans()) else 1 for extent in output] for _ in range(2)]
    for axis, extent in enumerate(output):
        if inputs[0][axis] != extent and inputs[1][axis] != extent:
            inputs[0][axis] = extent
    shorter = draw(st.integers(0, 1))
    while len(inputs[shorter]) > 1 and inputs[shorter][0] == 1 and draw(st.booleans()):
        del inputs[shorter][0]
    return inputs, output


@settings(deadline=None)
@given(broadcast_shapes(), st.integers(1, 40), st.integers(1, 400))
def test_each_element_is_in_one_tile(shapes, cores, buffer_blocks):
    inputs, output = shapes
    ub_bytes = buffer_blocks * 32 * 4
    tiling = make_tiling(inputs, [output], "float16", ub_bytes=ub_bytes, aiv_cores=cores)
    assert tiling.per_buf_bytes == buffer_blocks * 32
    ranges = [tiling.core_tiles(core) for core in range(tiling.multicore.num_cores)]
    assert [first for first, _ in ranges] == [0, *(last for _, last in ranges[:-1])]
    assert ranges[-1][1] == tiling.multicore.total_tiles
    sizes = [last - first for first, last in ranges]
    assert 1 <= min(sizes) <= max(sizes) <= min(sizes) + 1
    assert sizes == sorted(sizes, reverse=True)
    written = np.zeros(math.prod(output), np.int64)
    for first, last in ranges:
        for flat in range(first, last):
            tile = tiling.tile(flat)
            assert 0 <= tile.out_offset <= tile.out_offset + tile.out_count <= written.size
            written[tile.out_offset : tile.out_offset + tile.out_count] += 1
    assert np.all(written == 1)


@settings(deadline=None)
@given(broadcast_shapes(), st.integers(1, 400))
def test_tiles_lie_inside_the_shape_and_the_buffer(shapes, buffer_blocks):
    inputs, output = shapes
    tiling = make_tiling(inputs, [output], "float32", ub_bytes=buffer_blocks * 128, aiv_cores=3)
    split, shape = tiling.split, tiling.max_bro_shape
    inner = math.prod(shape[split.axis + 1 :])
    rows_seen = 0
    for flat in range(tiling.multicore.total_tiles):
        tile = tiling.tile(flat)
        assert all(0 <= index < extent for index, extent in zip(tile.coord, shape, strict=True))
        assert 1 <= tile.rows <= shape[split.axis] - tile.coord[split.axis]
        assert not any(tile.coord[split.axis + 1 :])
        assert tile.out_count == tile.rows * inner <= tiling.per_buf_bytes // 4
        rows_seen += tile.rows
    assert rows_seen == math.prod(shape[: split.axis + 1])


@settings(deadline=None)
@given(broadcast_shapes(), st.sampled_from([1, 3, 40]))
def test_a_tile_reads_what_numpy_would_broadcast(shapes, buffer_blocks):
    """Offset and strides give, for every element of a tile, the input element that NumPy pairs with it."""
    inputs, output = shapes
    tiling = make_tiling(inputs, [output], "float32", ub_bytes=buffer_blocks * 128, aiv_cores=7)
    axis = tiling.split.axis
    for index, shape in enumerate(inputs):
        wanted = np.broadcast_to(np.arange(math.prod(shape)).reshape(shape), output).reshape(-1)
        for flat in range(tiling.multicore.total_tiles):
            tile = tiling.tile(flat)
            box = (tile.rows, *tiling.max_bro_shape[axis + 1 :])
            steps = tiling.input_strides[index][axis:]
            read = tile.in_offsets[index] + sum(grid * step for grid, step in zip(np.indices(box), steps, strict=True))
            np.testing.assert_array_equal(read.reshape(-1), wanted[tile.out_offset :][: tile.out_count])


@pytest.mark.parametrize("ub_bytes", [4096, 65536, 253952, 262144])
@pytest.mark.parametrize("extent", [1, 255, 256, 257, 4095, 4096, 4097, 16383, 16384, 16385, 65536, 100_003])
def test_one_axis_is_cut_at_the_capacity_of_a_buffer(extent, ub_bytes):
    capacity = ub_bytes // 4 // 32 * 32 // 4
    tiling = make_tiling([(extent,), (extent,)], [(extent,)], "float32", ub_bytes=ub_bytes, aiv_cores=64)
    sizes = [tiling.tile(flat).out_count for flat in range(tiling.multicore.total_tiles)]
    assert sizes == [capacity] * (extent // capacity) + [extent % capacity] * (extent % capacity > 0)
