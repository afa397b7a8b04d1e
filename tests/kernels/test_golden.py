"""Golden against a scalar loop in plain Python, and the measure of error on known cases."""

import math

import ml_dtypes
import numpy as np
import pytest

from kernels.softplus_v2_grad import golden


def scalar(gradient, feature, beta, threshold):
    product = beta * feature
    if product > threshold:
        return gradient
    try:
        return gradient / (1 + math.exp(-product))
    except OverflowError:
        return math.copysign(0.0, gradient)


@pytest.mark.parametrize(("beta", "threshold"), [(1.0, 20.0), (1.1, 1.2), (-2.0, 0.5), (0.0, 0.0)])
def test_against_a_scalar_loop(beta, threshold):
    generator = np.random.default_rng(0)
    gradients, features = generator.normal(size=(3, 4, 5)), generator.normal(size=(4, 1)) * 20
    got = golden.softplus_v2_grad(gradients, features, beta, threshold)
    wide = np.broadcast_to(features, gradients.shape)
    for index in np.ndindex(*gradients.shape):
        assert got[index] == pytest.approx(scalar(gradients[index], wide[index], beta, threshold), rel=1e-14)


def test_the_official_example():
    values = np.arange(1, 9) / 10
    expected = [0.0527472, 0.1109558, 0.1745278, 0.2433036, 0.3170678, 0.3955563, 0.4784646, 0.5654578]
    np.testing.assert_allclose(golden.softplus_v2_grad(values, values, 1.1, 1.2), expected, atol=5e-8)


def test_nan_takes_the_quotient():
    assert np.isnan(golden.softplus_v2_grad(np.ones(1), np.array([np.nan])))[0]


def test_the_product_is_rounded_to_float32():
    features = np.array([0.1], np.float32)
    exact = golden.softplus_v2_grad(np.ones(1), features, 1.1)
    rounded = golden.softplus_v2_grad_from_product(np.ones(1), features, 1.1)
    assert exact != rounded
    assert rounded == pytest.approx(exact, rel=1e-7)


@pytest.mark.parametrize(
    ("value", "reference", "dtype", "ulps"),
    [
        (1.0, 1.0, np.float32, 0.0),
        (1.0 + 2.0**-23, 1.0, np.float32, 1.0),
        (2.0, 2.0 + 2.0**-22, np.float32, 1.0),
        (1.0, 1.0 + 2.0**-11, np.float16, 0.5),
        (1.0 + 2.0**-7, 1.0, ml_dtypes.bfloat16, 1.0),
        (np.inf, 1e39, np.float32, 0.0),
        (np.nan, np.nan, np.float32, 0.0),
        (np.nan, 1.0, np.float32, np.inf),
        (1.0, np.inf, np.float32, np.inf),
        (0.0, 2.0**-127, np.float32, 2.0**22),
    ],
)
def test_ulp_error(value, reference, dtype, ulps):
    assert golden.ulp_error(np.array([value], dtype), np.array([reference]))[0] == ulps


def test_bounds_apply_to_normal_numbers_only():
    reference = np.array([1.0, 1e-39, np.inf, np.nan, 0.0, 1e-10])
    features = np.array([0, 0, 0, 0, 0, -100.0])
    np.testing.assert_array_equal(
        golden.bound_applies(reference, features, 1.0, np.float32), [True, False, False, False, False, False]
    )
