"""References in float64 for SoftplusV2Grad, and the error of a result in ULP.

Inputs are float32, float16, bfloat16 (ml_dtypes) or float64 arrays whose shapes broadcast; NumPy's ValueError where
they do not.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from kernels.softplus_v2_grad.op_def import BETA, THRESHOLD

Array = np.ndarray[Any, np.dtype[Any]]

# exp(88.72284) is the first to exceed float32.
_EXP_OVERFLOWS_BELOW = np.float32(-88.72283)


class _Format(NamedTuple):
    """An IEEE binary format: bits of the significand with the hidden one, and the largest exponent."""

    bits: int
    exponent: int

    @classmethod
    def of(cls, dtype: Any) -> _Format:
        name = np.dtype(dtype).name
        if name not in _FORMATS:
            raise ValueError(f"a result is {', '.join(_FORMATS)}, not {name}")
        return _FORMATS[name]

    @property
    def smallest(self) -> float:
        """The smallest normal number."""
        return math.ldexp(1.0, 1 - self.exponent)

    @property
    def largest(self) -> float:
        return math.ldexp(2.0 - math.ldexp(1.0, 1 - self.bits), self.exponent)

    @property
    def infinite_from(self) -> float:
        """The least magnitude that rounds to infinity, half a last place above the largest number."""
        return math.ldexp(2.0 - math.ldexp(1.0, -self.bits), self.exponent)


_FORMATS = {"float32": _Format(24, 127), "float16": _Format(11, 15), "bfloat16": _Format(8, 127)}


def softplus_v2_grad(
    gradients: Array, features: Array, beta: float = BETA.default, threshold: float = THRESHOLD.default
) -> Array:
    """The operator's mathematics: gradients x 1/(1+exp(-bx)) where bx = beta x features <= threshold, else gradients.

    The result is float64, of the broadcast shape.  A NaN in bx compares false and gives NaN.
    Source: ops-nn, activation/softplus_v2_grad/docs/aclnnSoftplusBackward.md.
    """
    with np.errstate(all="ignore"):
        product = features.astype(np.float64) * beta
    return _gradient(gradients.astype(np.float64), product, threshold)


def softplus_v2_grad_from_product(
    gradients: Array, features: Array, beta: float = BETA.default, threshold: float = THRESHOLD.default
) -> Array:
    """The same, but starting from the float32 product beta x features and a float32 threshold, as the kernel does.

    Rounding that product belongs to the algorithm: its effect on the result grows with the product.
    """
    with np.errstate(all="ignore"):
        product = np.float32(beta) * features.astype(np.float32)
        limit = float(np.float32(threshold))
    return _gradient(gradients.astype(np.float64), product.astype(np.float64), limit)


def _gradient(gradients: Array, product: Array, threshold: float) -> Array:
    with np.errstate(all="ignore"):
        quotient = gradients / (1.0 + np.exp(-product))
        return np.asarray(np.where(product > threshold, gradients, quotient))


def ulp_error(result: Array, reference: Array) -> Array:
    """Error of ``result`` against a float64 ``reference`` of its shape, in units of the result dtype's last place.

    The unit is that of the reference's binade, but never below that of the smallest normal number (so also for
    denormals and 0) nor above that of the largest.  Two NaNs have error 0, and so has an infinity whose reference is
    that infinity or rounds to it; any other pair with a NaN or an infinity in it has error inf, except that a finite
    result is measured against every finite reference.  The sign of a zero does not count.

    Raises ValueError for a result other than float32, float16 or bfloat16, and for shapes that differ.
    """
    form = _Format.of(result.dtype)
    if result.shape != reference.shape:
        raise ValueError(f"result has shape {result.shape}, reference {reference.shape}")
    value = result.astype(np.float64)
    with np.errstate(all="ignore"):
        _, exponent = np.frexp(np.clip(np.abs(reference), form.smallest, form.largest))
        error = np.abs(value - reference) / np.ldexp(1.0, exponent - form.bits)
    overflows = (np.abs(reference) >= form.infinite_from) & (np.signbit(value) == np.signbit(reference))
    same = (np.isinf(value) & overflows) | (np.isnan(value) & np.isnan(reference))
    return np.asarray(np.where(same, 0.0, np.where(np.isfinite(value) & np.isfinite(reference), error, np.inf)))


def bound_applies(reference: Array, features: Array, beta: float, dtype: Any) -> Array:
    """Where the ULP bounds hold: the reference is a normal number of ``dtype`` and exp(-beta x features) is finite.

    Beyond that exponential the operator's own algorithm overflows to infinity and the quotient becomes 0, although the
    mathematical value may still be a normal number.
    """
    form = _Format.of(dtype)
    magnitude = np.abs(reference)
    with np.errstate(all="ignore"):
        product = np.float32(beta) * features.astype(np.float32)
    return np.asarray((magnitude >= form.smallest) & (magnitude <= form.largest) & ~(product < _EXP_OVERFLOWS_BELOW))
