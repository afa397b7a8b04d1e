"""The tiling against 713 records made by the operator's own tiling code."""

import json
from pathlib import Path

import pytest

from tiling import TilingError
from tiling.softplus_v2_grad import make_tiling

ORACLE = Path(__file__).parent.parent / "oracle" / "softplus_v2_grad_tiling.jsonl"
CASES = [json.loads(line) for line in ORACLE.read_text().splitlines()]
SUCCEED = [case for case in CASES if case["expect"]["status"] == "success"]
FAIL = [case for case in CASES if case["expect"]["status"] == "failed"]


def tile_of(case, dtype="float32"):
    return make_tiling(
        [case["input_gradients"], case["input_features"]],
        [case["output"]],
        dtype,
        ub_bytes=case["ub_bytes"],
        aiv_cores=case["aiv_cores"],
    )


def test_the_oracle_is_whole():
    assert (len(CASES), len(SUCCEED), len(FAIL)) == (713, 701, 12)


@pytest.mark.parametrize("case", SUCCEED, ids=lambda case: None)
def test_every_field_equals_the_oracle(case):
    tiling = tile_of(case)
    expected = {key: value for key, value in case["expect"].items() if key not in ("status", "tiles")}
    got = tiling.to_dict()
    assert {key: got[key] for key in expected} == expected
    assert got.keys() - expected.keys() == {"num_inputs", "num_outputs", "beta", "threshold"}
    assert (got["num_inputs"], got["num_outputs"]) == (2, 1)
    assert case["expect"]["tiles"]
    for tile in case["expect"]["tiles"]:
        mine = tiling.tile(tile["flat"])
        assert mine._asdict() == {
            "flat": tile["flat"],
            "coord": tuple(tile["coord"]),
            "rows": tile["a_i_seg"],
            "in_offsets": (tile["in0_offset"], tile["in1_offset"]),
            "out_offset": tile["out_offset"],
            "out_count": tile["out_count"],
        }


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_the_storage_type_does_not_matter(dtype):
    """Arithmetic is in float32, so the operator sizes its tiles for float32 whatever it stores."""
    assert [tile_of(case, dtype) for case in SUCCEED] == [tile_of(case) for case in SUCCEED]


@pytest.mark.parametrize("case", FAIL, ids=lambda case: None)
def test_refusals_name_the_same_stage(case):
    with pytest.raises(TilingError) as caught:
        tile_of(case)
    assert caught.value.stage == case["expect"]["stage"]
    axis, extents = caught.value.numbers["axis"], caught.value.numbers["extents"]
    assert len(set(extents) - {1}) > 1
    assert f"dimension {axis}" in str(caught.value)
    assert str(extents) in str(caught.value)
