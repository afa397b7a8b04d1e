"""Each tiling function on the values the operator's own tests know, and on what it must refuse."""

import ml_dtypes
import numpy as np
import pytest

from kernels.softplus_v2_grad.tiling_data import Split
from tiling import (
    TilingError,
    check_broadcast_shape,
    find_split_axis,
    multi_core_split,
    pad_and_squeeze,
    precompute_strides,
)
from tiling.softplus_v2_grad import make_tiling


class TestPadAndSqueeze:
    @pytest.mark.parametrize(
        ("inputs", "outputs", "expected"),
        [
            ([(2, 3), (2, 3)], [(2, 3)], ((2, 3), ((2, 3), (2, 3)), ((2, 3),))),
            ([(2, 3)], [(3,)], ((2, 3), ((2, 3),), ((1, 3),))),
            ([(1, 4, 4, 8)], [(1, 4, 4, 8)], ((4, 4, 8), ((4, 4, 8),), ((4, 4, 8),))),
            ([(4, 1, 8), (1, 8)], [(4, 1, 8)], ((4, 8), ((4, 8), (1, 8)), ((4, 8),))),
            ([(1, 1), ()], [(1,)], ((1,), ((1,), (1,)), ((1,),))),
            ([(), ()], [()], ((1,), ((1,), (1,)), ((1,),))),
        ],
    )
    def test_known_values(self, inputs, outputs, expected):
        assert pad_and_squeeze(inputs, outputs) == expected

    def test_takes_numpy_integers(self):
        largest = pad_and_squeeze([np.array([4, 2])], [(4, 2)]).max_bro_shape
        assert largest == (4, 2)
        assert {type(extent) for extent in largest} == {int}

    @pytest.mark.parametrize(("extent", "words"), [(-1, "negative"), (2.7, "whole"), ("3", "whole"), (None, "whole")])
    def test_refuses(self, extent, words):
        with pytest.raises(TilingError, match=words) as caught:
            pad_and_squeeze([(4, extent)], [(4, 3)])
        assert caught.value.stage == "PadAndSqueeze"
        assert str(extent) in str(caught.value)


class TestCheckBroadcastShape:
    @pytest.mark.parametrize(
        ("inputs", "outputs"),
        [
            ([(2, 3)], [(2, 3)]),
            ([(4, 4), (4, 4)], [(4, 4)]),
            ([(1, 4)], [(4, 4)]),
            ([(4, 4)], [(1, 4)]),
            ([(4, 1), (1, 3)], [(4, 3)]),
        ],
    )
    def test_accepts(self, inputs, outputs):
        check_broadcast_shape(inputs, outputs)

    @pytest.mark.parametrize(
        ("inputs", "outputs", "axis", "extents"),
        [
            ([(2, 3), (4, 3)], [(4, 3)], 0, (2, 4, 4)),
            ([(2, 3)], [(4, 3)], 0, (2, 4)),
            ([(2, 3), (2, 4)], [(2, 3)], 1, (3, 4, 3)),
        ],
    )
    def test_names_dimension_and_extents(self, inputs, outputs, axis, extents):
        with pytest.raises(TilingError, match=f"dimension {axis}") as caught:
            check_broadcast_shape(inputs, outputs)
        assert caught.value.stage == "CheckBroadcastShape"
        assert caught.value.numbers == {"axis": axis, "extents": extents}

    def test_refuses_unequal_ranks(self):
        with pytest.raises(TilingError, match=r"ranks = \(1, 2\)"):
            check_broadcast_shape([(2,)], [(2, 3)])


class TestFindSplitAxis:
    @pytest.mark.parametrize(
        ("shape", "expected"),
        [
            ((2, 3), Split(0, 2, 1, 2)),
            ((1, 65536), Split(1, 16384, 4, 16384)),
            ((2, 20000), Split(1, 16384, 2, 3616)),
            ((16384,), Split(0, 16384, 1, 16384)),
            ((16385,), Split(0, 16384, 2, 1)),
            ((5, 16384), Split(0, 1, 5, 1)),
            ((100, 7, 1000), Split(0, 2, 50, 2)),
        ],
    )
    def test_known_values(self, shape, expected):
        assert find_split_axis(shape, 4, 262144, 4) == (expected, 65536)

    @pytest.mark.parametrize(("ub_bytes", "per_buf_bytes"), [(128, 32), (255, 32), (256, 64), (253952, 63488)])
    def test_buffers_are_whole_blocks(self, ub_bytes, per_buf_bytes):
        assert find_split_axis((1,), 4, ub_bytes, 4)[1] == per_buf_bytes

    @pytest.mark.parametrize(
        ("dtype_bytes", "ub_bytes", "buffers", "words"),
        [
            (0, 262144, 4, "dtype_bytes = 0"),
            (-1, 1024, 4, "dtype_bytes = -1"),
            (4, 262144, 0, "physical_buffers = 0"),
            (4, 262144, -4, "physical_buffers = -4"),
            (4, 64, 4, "ub_bytes = 64"),
            (4, 127, 4, "ub_bytes = 127"),
            (4, 0, 4, "ub_bytes = 0"),
            (4, -262144, 4, "ub_bytes = -262144"),
            (64, 128, 4, "dtype_bytes = 64"),
            (4, 2.5e5, 4, "ub_bytes must be a whole number"),
            (4, 262144, "4", "physical_buffers must be a whole number"),
            (4.0, 262144, 4, "dtype_bytes must be a whole number"),
        ],
    )
    def test_refuses(self, dtype_bytes, ub_bytes, buffers, words):
        with pytest.raises(TilingError, match=words) as caught:
            find_split_axis((2, 3), dtype_bytes, ub_bytes, buffers)
        assert caught.value.stage == "FindSplitAxis"

    @pytest.mark.parametrize("shape", [(2, 0), (0,), (0, 20000), (20000, 0, 20000)])
    def test_refuses_an_empty_extent(self, shape):
        with pytest.raises(TilingError, match=f"axis = {shape.index(0)}, extent = 0"):
            find_split_axis(shape, 4, 262144, 4)

    def test_refuses_a_shape_without_axes(self):
        with pytest.raises(TilingError, match="no axis"):
            find_split_axis((), 4, 262144, 4)


class TestMultiCoreSplit:
    @pytest.mark.parametrize(
        ("shape", "split", "max_cores", "expected"),
        [
            ((2, 3), Split(0, 2, 1, 2), 64, (1, 1, 1, 0)),
            ((1, 65536), Split(1, 16376, 5, 4), 64, (5, 5, 1, 0)),
            ((100, 8), Split(0, 2, 5, 2), 3, (3, 5, 1, 2)),
            ((5,), Split(0, 3, 2, 2), 3, (2, 2, 1, 0)),
            ((2, 20000), Split(1, 16384, 2, 3616), 3, (3, 4, 1, 1)),
        ],
    )
    def test_known_values(self, shape, split, max_cores, expected):
        cores = multi_core_split(shape, split, max_cores)
        assert (cores.num_cores, cores.total_tiles, cores.tiles_main, cores.cores_tail) == expected

    @pytest.mark.parametrize(
        ("split", "max_cores", "words"),
        [
            (Split(0, 4, 1, 4), 0, "max_cores = 0"),
            (Split(0, 4, 1, 4), -3, "max_cores = -3"),
            (Split(0, 1, 0, 1), 64, "total_tiles = 0"),
            (Split(0, 4, 1, 4), 1.5, "max_cores must be a whole number"),
        ],
    )
    def test_refuses(self, split, max_cores, words):
        with pytest.raises(TilingError, match=words) as caught:
            multi_core_split((4,), split, max_cores)
        assert caught.value.stage == "MultiCoreSplit"


@pytest.mark.parametrize(
    ("shape", "strides"),
    [
        ((5,), (1,)),
        ((3, 4), (4, 1)),
        ((1, 8, 1), (0, 1, 0)),
        ((2, 3, 4), (12, 4, 1)),
        ((4, 1, 8), (8, 0, 1)),
        ((1,), (0,)),
        ((), ()),
    ],
)
def test_strides_are_zero_where_the_extent_is_one(shape, strides):
    assert precompute_strides(shape) == strides


class TestMakeTiling:
    def make(self, *shapes, dtype="float32", ub_bytes=253952, aiv_cores=64, **attributes):
        return make_tiling(shapes[:2], shapes[2:], dtype, ub_bytes=ub_bytes, aiv_cores=aiv_cores, **attributes)

    def test_attributes_are_rounded_to_float32(self):
        tiling = self.make((4, 2), (4, 2), (4, 2), beta=1.1, threshold=1.2)
        assert (tiling.beta, tiling.threshold) == (1.10000002384185791015625, 1.2000000476837158203125)

    def test_defaults_come_from_the_registry(self):
        tiling = self.make((4, 2), (4, 2), (4, 2))
        assert (tiling.beta, tiling.threshold) == (1.0, 20.0)

    @pytest.mark.parametrize("dtype", ["bfloat16", np.dtype(ml_dtypes.bfloat16), np.dtype(np.float16)], ids=str)
    def test_takes_names_and_what_has_one(self, dtype):
        assert self.make((4, 2), (4, 2), (4, 2), dtype=dtype) == self.make((4, 2), (4, 2), (4, 2))

    @pytest.mark.parametrize("dtype", ["float64", "int32", "Float32", "", None, np.dtype(np.float64)], ids=str)
    def test_refuses_other_dtypes(self, dtype):
        with pytest.raises(TilingError, match="dtype") as caught:
            self.make((4,), (4,), (4,), dtype=dtype)
        assert caught.value.stage == "MakeTiling"

    def test_refuses_rank_nine(self):
        shape = (1,) * 8 + (2,)
        with pytest.raises(TilingError, match="rank = 9"):
            self.make(shape, shape, shape)

    @pytest.mark.parametrize("count", [1, 2, 4])
    def test_refuses_another_number_of_tensors(self, count):
        with pytest.raises(TilingError, match="has"):
            self.make(*[(4,)] * count)

    @pytest.mark.parametrize("shape", [(1 << 40, 1 << 30), (1 << 31, 1 << 32), (1 << 32, 1 << 32)], ids=str)
    def test_refuses_what_overflows(self, shape):
        with pytest.raises(TilingError, match="64 bits"):
            self.make(shape, shape, shape)

    def test_the_broadcast_shape_may_overflow_although_no_tensor_does(self):
        with pytest.raises(TilingError, match="64 bits"):
            self.make((1 << 40, 1), (1, 1 << 30), (1, 1 << 30))

    def test_takes_the_largest_count_of_int64(self):
        tiling = self.make(*[(7, ((1 << 63) - 1) // 7)] * 3)
        last = tiling.tile(tiling.multicore.total_tiles - 1)
        assert last.out_offset + last.out_count == (1 << 63) - 1

    def test_refuses_ub_too_small(self):
        with pytest.raises(TilingError, match="ub_bytes = 64"):
            self.make((4,), (4,), (4,), ub_bytes=64)

    def test_refuses_no_core(self):
        with pytest.raises(TilingError, match="max_cores = 0") as caught:
            self.make((4,), (4,), (4,), aiv_cores=0)
        assert caught.value.stage == "MultiCoreSplit"

    @pytest.mark.parametrize("name", ["ub_bytes", "aiv_cores"])
    def test_refuses_resources_that_are_no_whole_numbers(self, name):
        with pytest.raises(TilingError, match="whole number"):
            self.make((4,), (4,), (4,), **{name: 100.5})

    @pytest.mark.parametrize("name", ["beta", "threshold"])
    @pytest.mark.parametrize("value", ["1.0", None, 1j, [1.0]], ids=str)
    def test_refuses_factors_that_are_no_numbers(self, name, value):
        with pytest.raises(TilingError, match=f"{name} must be a number"):
            self.make((4,), (4,), (4,), **{name: value})

    @pytest.mark.parametrize(
        "shapes",
        [((0,), (0,), (0,)), ((2, 0, 3),) * 3, ((0,), (1,), (0,)), ((1, 3), (0, 1), (0, 3)), ((4,), (4,), (0, 4))],
        ids=str,
    )
    def test_refuses_empty_tensors(self, shapes):
        """Also those whose 0 does not show in the largest extents, where a tile would store an element."""
        with pytest.raises(TilingError, match=r"empty|extent = 0"):
            self.make(*shapes)
