"""Golden against a scalar loop and 50-digit decimals, and the measure of error on known cases."""

import math
from decimal import Decimal, localcontext

import ml_dtypes
import numpy as np
import pytest

from kernels.softplus_v2_grad import golden
from kernels.softplus_v2_grad.op_def import SOFTPLUS_V2_GRAD

BF16 = np.dtype(ml_dtypes.bfloat16)
DTYPES = [np.dtype(np.float32), np.dtype(np.float16), BF16]


def scalar(gradient, feature, beta, threshold):
    product = beta * feature
    if product > threshold:
        return gradient
    try:
        return gradient / (1 + math.exp(-product))
    except OverflowError:
        return math.copysign(0.0, gradient)


def decimal_gradient(gradient, product):
    """gradient / (1 + exp(-product)) to 50 digits."""
    with localcontext() as context:
        context.prec = 50
        return Decimal(gradient) / (1 + (-Decimal(product)).exp())


def test_the_registry():
    assert SOFTPLUS_V2_GRAD.inputs == ("input_gradients", "input_features")
    assert SOFTPLUS_V2_GRAD.outputs == ("output_backprops",)
    assert SOFTPLUS_V2_GRAD.attributes == ((0, "beta", 1.0), (1, "threshold", 20.0))
    assert SOFTPLUS_V2_GRAD.dtypes == ("float32", "float16", "bfloat16")


@pytest.mark.parametrize(("beta", "threshold"), [(1.0, 20.0), (1.1, 1.2), (-2.0, 0.5), (0.0, 0.0)])
def test_against_a_scalar_loop(beta, threshold):
    generator = np.random.default_rng(0)
    gradients, features = generator.normal(size=(3, 4, 5)), generator.normal(size=(4, 1)) * 20
    got = golden.softplus_v2_grad(gradients, features, beta, threshold)
    wide = np.broadcast_to(features, gradients.shape)
    for index in np.ndindex(*gradients.shape):
        assert got[index] == pytest.approx(scalar(gradients[index], wide[index], beta, threshold), rel=1e-14)


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_against_decimals(dtype):
    generator = np.random.default_rng(1)
    gradients = generator.normal(size=200).astype(dtype)
    features = generator.uniform(-80, 15, 200).astype(dtype)
    plain = golden.softplus_v2_grad(gradients, features, 1.1, 20.0)
    rounded = golden.softplus_v2_grad_from_product(gradients, features, 1.1, 20.0)
    assert plain.dtype == rounded.dtype == np.float64
    for index in range(200):
        gradient, feature = float(gradients[index]), float(features[index])
        product = float(np.float32(np.float32(1.1) * np.float32(feature)))
        for got, start in ((plain[index], 1.1 * feature), (rounded[index], product)):
            assert abs(Decimal(float(got)) / decimal_gradient(gradient, start) - 1) < Decimal("1e-15")


@pytest.mark.parametrize("reference", [golden.softplus_v2_grad, golden.softplus_v2_grad_from_product])
def test_the_official_example(reference):
    values = np.arange(1, 9) / 10
    expected = [0.0527472, 0.1109558, 0.1745278, 0.2433036, 0.3170678, 0.3955563, 0.4784646, 0.5654578]
    np.testing.assert_allclose(reference(values, values, 1.1, 1.2), expected, atol=6e-8)


def test_defaults_are_one_and_twenty():
    gradients, features = np.full(3, 2.0), np.array([19.0, 20.0, 20.0625])
    got = golden.softplus_v2_grad(gradients, features)
    np.testing.assert_array_equal(got, golden.softplus_v2_grad(gradients, features, 1.0, 20.0))
    assert got[1] < 2 == got[2]


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("reference", [golden.softplus_v2_grad, golden.softplus_v2_grad_from_product])
def test_special_values(reference, dtype):
    features = np.array([np.nan, np.inf, -np.inf, 0.0, 1e4, -1e4, 1.0], dtype)
    gradients = np.array([3.0, 3.0, 3.0, 3.0, 3.0, 3.0, np.nan], dtype)
    got = reference(gradients, features)
    np.testing.assert_array_equal(got, [np.nan, 3.0, 0.0, 1.5, 3.0, 0.0, np.nan])


def test_an_infinite_threshold_is_never_exceeded():
    got = golden.softplus_v2_grad_from_product(np.ones(2), np.array([30.0, np.inf]), 1.0, 1e39)
    np.testing.assert_array_equal(got, [1 / (1 + math.exp(-30)), 1.0])


@pytest.mark.parametrize(
    ("first", "second", "result"), [((4, 1, 8), (1, 3, 8), (4, 3, 8)), ((2, 3, 4), (4,), (2, 3, 4)), ((), (5,), (5,))]
)
def test_broadcasting(first, second, result):
    assert golden.softplus_v2_grad(np.ones(first), np.ones(second)).shape == result
    assert golden.softplus_v2_grad_from_product(np.ones(first), np.ones(second)).shape == result


def test_refuses_shapes_that_do_not_broadcast():
    with pytest.raises(ValueError, match="broadcast"):
        golden.softplus_v2_grad(np.ones(3), np.ones(4))


def test_the_product_is_rounded_to_float32():
    features = np.array([0.1], np.float32)
    exact = golden.softplus_v2_grad(np.ones(1), features, 1.1)
    rounded = golden.softplus_v2_grad_from_product(np.ones(1), features, 1.1)
    assert exact != rounded
    assert rounded == pytest.approx(exact, rel=1e-7)


def test_the_threshold_is_rounded_to_float32():
    """The float32 nearest to 1.2 is above 1.2: it exceeds the float64 threshold but not the float32 one."""
    features = np.array([1.2], np.float32)
    assert golden.softplus_v2_grad(np.ones(1), features, 1.0, 1.2)[0] == 1
    assert golden.softplus_v2_grad_from_product(np.ones(1), features, 1.0, 1.2)[0] < 1


MAX32, MAX16, MAX_BF16 = 2.0**128 - 2.0**104, 65504.0, 2.0**128 - 2.0**120


@pytest.mark.parametrize(
    ("value", "reference", "dtype", "ulps"),
    [
        (1.0, 1.0, np.float32, 0.0),
        (1.0 + 2.0**-23, 1.0, np.float32, 1.0),
        (2.0, 2.0 + 2.0**-22, np.float32, 1.0),
        (-1.0, 1.0, np.float32, 2.0**24),
        (1.0, 1.0 + 2.0**-11, np.float16, 0.5),
        (1.0 + 2.0**-7, 1.0, BF16, 1.0),
        # Denormals and zero are measured in the last place of the smallest normal number.
        (0.0, 2.0**-127, np.float32, 2.0**22),
        (2.0**-149, 0.0, np.float32, 1.0),
        (1e-4, 0.0, np.float16, float(np.float16(1e-4)) * 2.0**24),
        (2.0**-133, 0.0, BF16, 1.0),
        (-0.0, 0.0, np.float32, 0.0),
        # Infinities and NaNs.
        (np.inf, np.inf, np.float32, 0.0),
        (np.inf, 1e39, np.float32, 0.0),
        (-np.inf, 1e39, np.float32, np.inf),
        (-np.inf, np.inf, np.float32, np.inf),
        (np.inf, 65520.0, np.float16, 0.0),
        (np.inf, 65519.0, np.float16, np.inf),
        (np.inf, MAX_BF16 + 2.0**119, BF16, 0.0),
        (np.inf, MAX_BF16, BF16, np.inf),
        (np.inf, 1.0, np.float32, np.inf),
        (1.0, np.inf, np.float32, np.inf),
        (np.nan, np.nan, np.float32, 0.0),
        (np.nan, 1.0, np.float32, np.inf),
        (1.0, np.nan, np.float32, np.inf),
        (np.nan, np.inf, np.float32, np.inf),
        # A finite result against a reference beyond the range: in the last place of the largest number.
        (MAX32, MAX32 + 2.0**104, np.float32, 1.0),
        (MAX16, 2.0**17, np.float16, (2.0**17 - MAX16) / 32),
    ],
)
def test_ulp_error(value, reference, dtype, ulps):
    assert golden.ulp_error(np.array([value], dtype), np.array([reference]))[0] == ulps


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_rounding_to_nearest_errs_by_half_an_ulp(dtype):
    generator = np.random.default_rng(2)
    reference = generator.normal(size=20_000) * 2.0 ** generator.integers(-13, 14, 20_000)
    if dtype != np.float32:  # bfloat16 goes through float32, so start there: two roundings may err by more
        reference = reference.astype(np.float32).astype(np.float64)
    assert 0.49 < golden.ulp_error(reference.astype(dtype), reference).max() <= 0.5


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_neighbours_are_one_ulp_apart(dtype):
    bits = np.arange(1, 2000, dtype=np.int64) * (13 if dtype == np.float32 else 1)
    bits += np.array(1.0, dtype).view(f"u{dtype.itemsize}").astype(np.int64) - 1000
    numbers, above = (part.astype(f"u{dtype.itemsize}").view(dtype) for part in (bits, bits + 1))
    np.testing.assert_array_equal(golden.ulp_error(above, numbers.astype(np.float64)), 1.0)


@pytest.mark.parametrize("dtype", ["float64", "int32"])
def test_ulp_error_refuses_other_results(dtype):
    with pytest.raises(ValueError, match=dtype):
        golden.ulp_error(np.ones(2, dtype), np.ones(2))


def test_ulp_error_does_not_broadcast():
    with pytest.raises(ValueError, match=r"\(3,\).*\(3, 1\)"):
        golden.ulp_error(np.ones(3, np.float32), np.ones((3, 1)))


def test_bounds_apply_to_normal_numbers_only():
    reference = np.array([1.0, 1e-39, np.inf, np.nan, 0.0, 1e-10])
    features = np.array([0, 0, 0, 0, 0, -100.0])
    np.testing.assert_array_equal(
        golden.bound_applies(reference, features, 1.0, np.float32), [True, False, False, False, False, False]
    )


@pytest.mark.parametrize(
    ("dtype", "smallest", "largest"),
    [(np.float32, 2.0**-126, MAX32), (np.float16, 2.0**-14, MAX16), (BF16, 2.0**-126, MAX_BF16)],
    ids=str,
)
def test_bounds_apply_up_to_the_limits_of_the_type(dtype, smallest, largest):
    reference = np.array([smallest, np.nextafter(smallest, 0), -largest, np.nextafter(largest, np.inf)])
    np.testing.assert_array_equal(golden.bound_applies(reference, np.zeros(4), 1.0, dtype), [True, False, True, False])
