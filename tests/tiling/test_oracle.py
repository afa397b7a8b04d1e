"""The tiling against 713 records made by the operator's own tiling code."""

import json
from pathlib import Path

import pytest

from tiling import TilingError
from tiling.softplus_v2_grad import make_tiling

ORACLE = Path(__file__).parent.parent / "oracle" / "softplus_v2_grad_tiling.jsonl"
CASES = [json.loads(line) for line in ORACLE.read_text().splitlines()]


def tile_of(case):
    return make_tiling(
        [case["input_gradients"], case["input_features"]],
        [case["output"]],
        "float32",
        ub_bytes=case["ub_bytes"],
        aiv_cores=case["aiv_cores"],
    )


def test_the_oracle_is_whole():
    assert len(CASES) == 713
    assert sum(case["expect"]["status"] == "failed" for case in CASES) == 12


@pytest.mark.parametrize("case", [case for case in CASES if case["expect"]["status"] == "success"], ids=lambda c: None)
def test_every_field_equals_the_oracle(case):
    tiling = tile_of(case)
    expected = dict(case["expect"])
    for key in ("status", "cores", "tiles", "split_unpadded"):
        expected.pop(key)
    got = tiling.to_dict()
    assert {key: got[key] for key in expected} == expected
    shift = tiling.template_rank - tiling.rank
    unpadded = case["expect"]["split_unpadded"]
    assert {**got["split"], "axis": got["split"]["axis"] - shift} == unpadded
    assert [list(tiling.core_tiles(core)) for core in range(tiling.multicore.num_cores)] == case["expect"]["cores"]
    for tile in case["expect"]["tiles"]:
        mine = tiling.tile(tile["flat"])
        assert list(mine.coord) == tile["coord"]
        assert mine.rows == tile["a_i_seg"]
        assert list(mine.in_offsets) == [tile["in0_offset"], tile["in1_offset"]]
        assert (mine.out_offset, mine.out_count) == (tile["out_offset"], tile["out_count"])


@pytest.mark.parametrize("case", [case for case in CASES if case["expect"]["status"] == "failed"], ids=lambda c: None)
def test_refusals_name_the_same_stage(case):
    with pytest.raises(TilingError) as caught:
        tile_of(case)
    assert caught.value.stage == case["expect"]["stage"]
    assert caught.value.numbers
