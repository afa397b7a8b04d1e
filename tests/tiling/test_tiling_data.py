"""The record itself: immutable, hashable, in the shipped order, and no tile beyond the last."""

import json
import math

import msgspec
import pytest

from kernels.softplus_v2_grad.tiling_data import MultiCore, Split, TilingData
from tiling.softplus_v2_grad import make_tiling


def tiling_of(*shape, **keywords):
    arguments = {"ub_bytes": 262144, "aiv_cores": 3, **keywords}
    return make_tiling([shape, shape], [shape], "float32", **arguments)


def test_fields_are_in_the_shipped_order():
    assert Split.__struct_fields__ == ("axis", "a_i", "a_o", "a_i_tail")
    assert MultiCore.__struct_fields__ == ("num_cores", "total_tiles", "tiles_main", "cores_tail")
    assert TilingData.__struct_fields__ == (
        "split", "multicore", "rank", "per_buf_bytes", "max_bro_shape", "num_inputs", "num_outputs", "input_shapes",
        "input_strides", "output_shapes", "output_strides", "beta", "threshold",
    )  # fmt: skip


@pytest.mark.parametrize(("record", "field"), [("split", "axis"), ("multicore", "num_cores"), (None, "rank")])
def test_nothing_can_be_changed(record, field):
    tiling = tiling_of(4, 2)
    with pytest.raises(AttributeError, match="immutable"):
        setattr(getattr(tiling, record) if record else tiling, field, 1)


def test_equal_tilings_are_one_key():
    assert {tiling_of(4, 2): "kept"}[tiling_of(1, 4, 2)] == "kept"
    assert tiling_of(4, 2) != tiling_of(4, 2, beta=2.0)
    assert tiling_of(4, 2) != tiling_of(2, 4)


def test_a_tiling_with_nan_is_one_key_too():
    assert {tiling_of(4, beta=float("nan")): "kept"}[tiling_of(4, beta=float("nan"))] == "kept"


def test_the_record_survives_json():
    tiling = tiling_of(2, 20000, beta=1.1)
    assert msgspec.json.decode(msgspec.json.encode(tiling), type=TilingData) == tiling


def test_to_dict_is_plain_and_counts_the_axis_both_ways():
    shown = json.loads(json.dumps(tiling_of(2, 20000).to_dict()))
    assert shown["split"] == {"axis": 3, "a_i": 16384, "a_o": 2, "a_i_tail": 3616}
    assert shown["split_unpadded"] == {"axis": 1, "a_i": 16384, "a_o": 2, "a_i_tail": 3616}
    assert shown["cores"] == [[0, 2], [2, 3], [3, 4]]
    assert (shown["max_bro_shape"], shown["output0_strides"]) == ([1, 1, 2, 20000], [0, 0, 20000, 1])


def test_the_tiles_of_two_rows_of_20000():
    tiles = [tiling_of(2, 20000).tile(flat) for flat in range(4)]
    assert [tile.coord for tile in tiles] == [(0, 0, 0, 0), (0, 0, 0, 16384), (0, 0, 1, 0), (0, 0, 1, 16384)]
    assert [(tile.out_offset, tile.out_count) for tile in tiles] == [
        (0, 16384),
        (16384, 3616),
        (20000, 16384),
        (36384, 3616),
    ]


@pytest.mark.parametrize("flat", [-1, 4, 5, 1 << 70])
def test_there_is_no_tile_beyond_the_last(flat):
    with pytest.raises(IndexError, match=rf"flat is {flat}; this tiling has tiles 0 to 3"):
        tiling_of(2, 20000).tile(flat)


def test_cores_beyond_those_in_use_take_nothing():
    tiling = tiling_of(2, 20000)
    assert [tiling.core_tiles(core) for core in (3, 4, 1000)] == [(4, 4)] * 3


def test_a_core_is_not_negative():
    with pytest.raises(IndexError, match="core is -1"):
        tiling_of(2, 20000).core_tiles(-1)


@pytest.mark.parametrize(("rank", "template"), [(1, 4), (4, 4), (5, 8), (8, 8)], ids=lambda value: str(value))
def test_template_rank(rank, template):
    tiling = tiling_of(*(2,) * rank)
    assert (tiling.rank, tiling.template_rank) == (rank, template)
    assert tiling.max_bro_shape == (1,) * (template - rank) + (2,) * rank
    assert tiling.input_strides[0] == (0,) * (template - rank) + tuple(2**axis for axis in reversed(range(rank)))


def test_the_template_follows_the_squeezed_rank():
    assert tiling_of(1, 1, 2, 3, 1, 4).template_rank == 4


@pytest.mark.parametrize(
    ("given", "kept"),
    [(0.1, 0.100000001490116119384765625), (1e39, math.inf), (-(10**400), -math.inf), (True, 1.0), (1e-50, 0.0)],
)
def test_factors_are_rounded_to_float32(given, kept):
    tiling = tiling_of(4, beta=given, threshold=given)
    assert (tiling.beta, tiling.threshold) == (kept, kept)
