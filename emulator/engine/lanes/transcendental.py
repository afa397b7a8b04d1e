"""exp, ln and roots, evaluated in float64 and rounded once, so that every host computes the same bits.

They are polynomials over plain float64 arithmetic: no libm, no fused multiply-add, nothing a host may round otherwise.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from emulator.engine.intrinsics import bits_of_float64, float64_of_bits
from emulator.engine.lanes.registry import lane
from emulator.isa.record import Form

# Adding 1.5 * 2**52 to a small float64 rounds it to an integer, which then stands in the low bits.
_ROUNDING = 6755399441055744.0
_LOG2E, _LN2 = math.log2(math.e), math.log(2)

# Minimax in relative error over |r| <= ln(2) / 2 (Remez exchange in extended precision): 2**-29, a thirty-second of a
# float32 ULP.  test_transcendental.py measures it.
_E0, _E1, _E2, _E3 = 1.0000000005563767, 1.0000000364310249, 0.49999992056096476, 0.16666419680457673
_E4, _E5, _E6 = 0.04166822868330209, 0.008374857073754564, 0.001383679401638249


@lane(Form.UNARY, "f", flush=True)
def exp(a: Any) -> Any:
    # Beyond these limits the result is 0 or infinity in float32; NaN passes both comparisons by.
    low = np.float32(-104) if a < np.float32(-104) else a
    x = np.float64(np.float32(89) if low > np.float32(89) else low)
    shifted = x * _LOG2E + _ROUNDING
    r = x - (shifted - _ROUNDING) * _LN2
    square = r * r
    polynomial = (_E0 + _E1 * r) + square * (_E2 + _E3 * r) + (square * square) * ((_E4 + _E5 * r) + _E6 * square)
    power = float64_of_bits((bits_of_float64(shifted) + np.int64(1023)) << np.int64(52))
    return polynomial * power


_EXPONENT_BIAS = np.int64(1023)
_MANTISSA = np.int64((1 << 52) - 1)
# Bits of sqrt(1/2): a mantissa above sqrt(2) is halved so that the series runs over [sqrt(1/2), sqrt(2)).
_SQRT2_MANTISSA = np.int64(0x6A09E667F3BCD)


@lane(Form.UNARY, "f", flush=True)
def ln(a: Any) -> Any:
    bits = bits_of_float64(np.float64(a))
    mantissa = bits & _MANTISSA
    halve = np.int64(1) if mantissa >= _SQRT2_MANTISSA else np.int64(0)
    exponent = (bits >> np.int64(52)) - _EXPONENT_BIAS + halve
    m = float64_of_bits(mantissa | ((_EXPONENT_BIAS - halve) << np.int64(52)))
    # ln(m) = 2 artanh(s); |s| < 0.172, so six terms leave 2e-10 of the value.
    s = (m - 1.0) / (m + 1.0)
    q = s * s
    series = 2.0 + q * (2.0 / 3 + q * (2.0 / 5 + q * (2.0 / 7 + q * (2.0 / 9 + q * (2.0 / 11)))))
    finite = np.float64(exponent) * _LN2 + s * series
    positive = finite if a < np.float32(np.inf) else np.float64(np.inf)
    nonzero = positive if a > 0 else np.float64(np.nan)
    return nonzero if a != 0 else np.float64(-np.inf)


@lane(Form.UNARY, "f", flush=True)
def sqrt(a: Any) -> Any:
    return np.sqrt(a)


@lane(Form.UNARY, "f", flush=True)
def rsqrt(a: Any) -> Any:
    return 1.0 / np.sqrt(np.float64(a))


@lane(Form.UNARY, "f", flush=True)
def reciprocal(a: Any) -> Any:
    return np.float32(1) / a
