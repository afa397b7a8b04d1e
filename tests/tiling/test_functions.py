"""Each tiling function on the values the operator's own tests know, and on what it must refuse."""

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
    def test_pads_on_the_left_and_drops_ones(self):
        assert pad_and_squeeze([(4, 1, 8), (1, 8)], [(4, 1, 8)]) == ((4, 8), ((4, 8), (1, 8)), ((4, 8),))

    def test_all_ones_becomes_one_element(self):
        assert pad_and_squeeze([(1, 1), ()], [(1,)]) == ((1,), ((1,), (1,)), ((1,),))


class TestCheckBroadcastShape:
    def test_accepts_ones(self):
        check_broadcast_shape([(4, 1), (1, 3)], [(4, 3)])

    def test_names_dimension_and_extents(self):
        with pytest.raises(TilingError, match=r"dimension 1.*\(3, 4, 3\)") as caught:
            check_broadcast_shape([(2, 3), (2, 4)], [(2, 3)])
        assert caught.value.numbers == {"axis": 1, "extents": (3, 4, 3)}


class TestFindSplitAxis:
    @pytest.mark.parametrize(
        ("shape", "expected"),
        [((2, 3), Split(0, 2, 1, 2)), ((1, 65536), Split(1, 16384, 4, 16384)), ((2, 20000), Split(1, 16384, 2, 3616))],
    )
    def test_known_values(self, shape, expected):
        assert find_split_axis(shape, 4, 262144, 4) == (expected, 65536)

    @pytest.mark.parametrize(
        ("dtype_bytes", "ub_bytes", "buffers"), [(0, 262144, 4), (4, 262144, 0), (4, 64, 4), (4, 0, 4), (-1, 1024, 4)]
    )
    def test_refuses(self, dtype_bytes, ub_bytes, buffers):
        with pytest.raises(TilingError) as caught:
            find_split_axis((2, 3), dtype_bytes, ub_bytes, buffers)
        assert caught.value.stage == "FindSplitAxis"

    def test_refuses_an_empty_extent(self):
        with pytest.raises(TilingError, match="extent = 0"):
            find_split_axis((2, 0), 4, 262144, 4)


class TestMultiCoreSplit:
    def test_deals_the_remainder_to_the_first_cores(self):
        cores = multi_core_split((2, 20000), Split(1, 16384, 2, 3616), 3)
        assert (cores.num_cores, cores.total_tiles, cores.tiles_main, cores.cores_tail) == (3, 4, 1, 1)

    def test_refuses_no_cores(self):
        with pytest.raises(TilingError, match="max_cores = 0"):
            multi_core_split((4,), Split(0, 4, 1, 4), 0)


def test_strides_are_zero_where_the_extent_is_one():
    assert precompute_strides((4, 1, 8)) == (8, 0, 1)
    assert precompute_strides((1,)) == (0,)


class TestMakeTiling:
    def make(self, *shapes, dtype="float32", ub_bytes=253952, aiv_cores=64, **attributes):
        return make_tiling(shapes[:2], shapes[2:], dtype, ub_bytes=ub_bytes, aiv_cores=aiv_cores, **attributes)

    def test_attributes_are_rounded_to_float32(self):
        tiling = self.make((4, 2), (4, 2), (4, 2), beta=1.1, threshold=1.2)
        assert (tiling.beta, tiling.threshold) == (1.10000002384185791015625, 1.2000000476837158203125)

    def test_defaults_come_from_the_registry(self):
        tiling = self.make((4, 2), (4, 2), (4, 2))
        assert (tiling.beta, tiling.threshold) == (1.0, 20.0)

    @pytest.mark.parametrize("dtype", ["float64", "int32", None])
    def test_refuses_other_dtypes(self, dtype):
        with pytest.raises(TilingError, match="dtype"):
            self.make((4,), (4,), (4,), dtype=dtype)

    def test_refuses_rank_nine(self):
        shape = (1,) * 8 + (2,)
        with pytest.raises(TilingError, match="rank = 9"):
            self.make(shape, shape, shape)

    def test_refuses_what_overflows(self):
        shape = (1 << 40, 1 << 30)
        with pytest.raises(TilingError, match="64 bits"):
            self.make(shape, shape, shape)

    def test_refuses_ub_too_small(self):
        with pytest.raises(TilingError, match="ub_bytes = 64"):
            self.make((4,), (4,), (4,), ub_bytes=64)

    def test_equal_tilings_are_one_key(self):
        assert hash(self.make((4, 2), (4, 2), (4, 2))) == hash(self.make((4, 2), (4, 2), (4, 2)))
