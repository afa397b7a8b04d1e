"""Laws of tiling: every output element belongs to exactly one tile of one core, and tiles fit their buffers."""

import math

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tiling.softplus_v2_grad import make_tiling


@st.composite
def broadcast_shapes(draw):
    output = draw(st.lists(st.integers(1, 9), min_size=1, max_size=8))
    while math.prod(output) > 20000:
        output[output.index(max(output))] = 1
    inputs = [[extent if draw(st.booleans()) else 1 for extent in output] for _ in range(2)]
    for axis, extent in enumerate(output):
        if inputs[0][axis] != extent and inputs[1][axis] != extent:
            inputs[0][axis] = extent
    return inputs, output


@given(broadcast_shapes(), st.integers(1, 40), st.integers(4, 400))
def test_each_element_is_in_one_tile(shapes, cores, buffer_blocks):
    inputs, output = shapes
    ub_bytes = buffer_blocks * 32 * 4
    tiling = make_tiling(inputs, [output], "float16", ub_bytes=ub_bytes, aiv_cores=cores)
    written = np.zeros(math.prod(output), np.int64)
    ranges = [tiling.core_tiles(core) for core in range(tiling.multicore.num_cores)]
    assert [first for first, _ in ranges] == [0, *(last for _, last in ranges[:-1])]
    assert ranges[-1][1] == tiling.multicore.total_tiles
    sizes = [last - first for first, last in ranges]
    assert max(sizes) - min(sizes) <= 1
    for flat in range(tiling.multicore.total_tiles):
        tile = tiling.tile(flat)
        assert tile.out_count * 4 <= tiling.per_buf_bytes
        written[tile.out_offset : tile.out_offset + tile.out_count] += 1
        for index, shape in enumerate(inputs):
            assert 0 <= tile.in_offsets[index] < math.prod(shape)
    assert np.all(written == 1)


@given(broadcast_shapes())
def test_offsets_follow_numpy_broadcasting(shapes):
    inputs, output = shapes
    tiling = make_tiling(inputs, [output], "float32", ub_bytes=4 * 96, aiv_cores=7)
    elements = [np.broadcast_to(np.arange(math.prod(shape)).reshape(shape), output).reshape(-1) for shape in inputs]
    for flat in range(tiling.multicore.total_tiles):
        tile = tiling.tile(flat)
        for index in range(2):
            assert tile.in_offsets[index] == elements[index][tile.out_offset]
