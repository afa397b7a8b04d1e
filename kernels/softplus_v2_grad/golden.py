"""References in float64 for SoftplusV2Grad, and the error of a result in ULP."""

from __future__ import annotations

from typing import Any

import numpy as np

from kernels.softplus_v2_grad.op_def import BETA, THRESHOLD

Array = np.ndarray[Any, np.dtype[Any]]

# exp(88.72284) is the first to exceed float32.
_EXP_OVERFLOWS_BELOW = np.float32(-88.72283)

_SIGNIFICAND_BITS = {"float16": (11, -14), "bfloat16": (8, -126), "float32": (24, -126)}


def softplus_v2_grad(
    gradients: Array, features: Array, beta: float = BETA.default, threshold: float = THRESHOLD.default
) -> Array:
    """The operator's mathematics: gradients x 1/(1+exp(-bx)) where bx = beta x features <= threshold, else gradients.

    Inputs of any floating dtype and shapes that broadcast; the result is float64.  A NaN in bx compares false and gives
    NaN.
    """
    return _gradient(gradients.astype(np.float64), features.astype(np.float64) * beta, threshold)


def softplus_v2_grad_from_product(
    gradients: Array, features: Array, beta: float = BETA.default, threshold: float = THRESHOLD.default
) -> Array:
    """The same, but starting from the float32 product beta x features, as the kernel does.

    Rounding that product belongs to the algorithm: its effect on the result grows with the product.
    """
    with np.errstate(all="ignore"):
        product = np.float32(beta) * features.astype(np.float32)
    return _gradient(gradients.astype(np.float64), product.astype(np.float64), float(np.float32(threshold)))


def _gradient(gradients: Array, product: Array, threshold: float) -> Array:
    with np.errstate(all="ignore"):
        quotient = gradients / (1.0 + np.exp(-product))
        return np.asarray(np.where(product > threshold, gradients, quotient))


def ulp_error(result: Array, reference: Array) -> Array:
    """Error of ``result`` against a float64 ``reference`` in units of the result dtype's last place, per element.

    The unit is that of the reference's binade; below the smallest normal number it is that of the smallest normal.
    Equal NaNs and equal infinities have error 0, a NaN or infinity on one side only has error inf.  A reference that
    rounds to infinity in the result's dtype counts as that infinity.
    """
    bits, smallest = _SIGNIFICAND_BITS[result.dtype.name]
    value = result.astype(np.float64)
    with np.errstate(all="ignore"):
        rounded = reference.astype(result.dtype).astype(np.float64)
        exponent = np.maximum(np.frexp(np.where(np.isfinite(reference), reference, 1.0))[1] - 1, smallest)
        error = np.abs(value - reference) / np.ldexp(1.0, exponent - bits + 1)
    same = (value == rounded) & ~np.isfinite(value) | (np.isnan(value) & np.isnan(reference))
    return np.asarray(np.where(same, 0.0, np.where(np.isfinite(value) & np.isfinite(reference), error, np.inf)))


def bound_applies(reference: Array, features: Array, beta: float, dtype: Any) -> Array:
    """Where the ULP bounds hold: the reference is a normal number of ``dtype`` and exp(-beta x features) is finite.

    Beyond that exponential the operator's own algorithm overflows to infinity and the quotient becomes 0, although the
    mathematical value may still be a normal number.
    """
    bits, smallest = _SIGNIFICAND_BITS[np.dtype(dtype).name]
    largest = np.ldexp(2.0 - np.ldexp(1.0, 1 - bits), 15 if bits == 11 else 127)
    magnitude = np.abs(reference)
    with np.errstate(all="ignore"):
        product = np.float32(beta) * features.astype(np.float32)
    inside = (magnitude >= np.ldexp(1.0, smallest)) & (magnitude <= largest) & ~(product < _EXP_OVERFLOWS_BELOW)
    return np.asarray(np.isfinite(reference) & inside)
