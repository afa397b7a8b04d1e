"""exp, ln and roots, evaluated in float64 and rounded once, so that every host computes the same bits.

They are polynomials over float64 arithmetic and explicit fused multiply-adds, whose results IEEE 754 fixes: no libm,
no contraction left to a compiler.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from emulator.engine.intrinsics import bits_of_float64, float64_of_bits, multiply_add
from emulator.engine.lanes.registry import Flush, lane
from emulator.isa.record import Form

# Adding 1.5 * 2**52 to a small float64 rounds it to an integer, which then stands in the low bits.
_ROUNDING = 6755399441055744.0
_ROUNDING_BITS = np.int64(0x4338000000000000)
_LOG2E, _LN2 = math.log2(math.e), math.log(2)

# 2**f over |f| <= 1/2, minimax in relative error: Remez exchange in extended precision on p(f) / 2**f - 1, started from
# the Chebyshev points, coefficients then rounded to float64.  It leaves 2**-29.0, a thirty-second of a float32 ULP; one
# degree less leaves 2**-23.7.
_E0, _E1, _E2, _E3 = 1.0000000005541665, 0.6931472057372681, 0.24022646890634103, 0.055503287769647414
_E4, _E5, _E6 = 0.009618488957113421, 0.0013399931219336466, 0.0001534581200333964


@lane(Form.UNARY, "f", flush=Flush.RESULT)
def exp(a: Any) -> Any:
    # Beyond these limits the result is 0 or infinity in float32; NaN passes both comparisons by.
    low = np.float32(-104) if a < np.float32(-104) else a
    x = np.float64(np.float32(89) if low > np.float32(89) else low)
    exponent = x * _LOG2E
    shifted = exponent + _ROUNDING
    f = exponent - (shifted - _ROUNDING)
    q = f * f
    even = multiply_add(q, multiply_add(q, multiply_add(q, _E6, _E4), _E2), _E0)
    power = multiply_add(f, multiply_add(q, multiply_add(q, _E5, _E3), _E1), even)
    # The integer part goes straight into the exponent field.  A NaN that came from float32 has zeros in its low bits.
    return float64_of_bits(bits_of_float64(power) + (bits_of_float64(shifted) << np.int64(52)))


# 2 artanh(s) / s in q = s * s, for mantissas in [sqrt(1/2), sqrt(2)), where |s| <= 0.1716: minimax in relative error by
# the same exchange, 2**-30.4.
_L0, _L1, _L2, _L3 = 1.9999999986219141, 0.666668159349855, 0.39974796002775403, 0.29925629779445434
_SQRT_HALF_BITS = np.int64(0x3FE6A09E667F3BCD)


@lane(Form.UNARY, "f", flush=Flush.BOTH)
def ln(a: Any) -> Any:
    bits = bits_of_float64(np.float64(a))
    exponent = (bits - _SQRT_HALF_BITS) >> np.int64(52)
    mantissa = float64_of_bits(bits - (exponent << np.int64(52)))
    # ln(mantissa) = 2 artanh(s).
    s = (mantissa - 1.0) / (mantissa + 1.0)
    q = s * s
    series = _L0 + q * (_L1 + q * (_L2 + q * _L3))
    scale = float64_of_bits(_ROUNDING_BITS + exponent) - _ROUNDING
    finite = scale * _LN2 + s * series
    positive = finite if a < np.float32(np.inf) else np.float64(np.inf)
    nonzero = positive if a > 0 else np.float64(np.nan)
    return nonzero if a != 0 else np.float64(-np.inf)


@lane(Form.UNARY, "f", flush=Flush.BOTH)
def sqrt(a: Any) -> Any:
    return np.sqrt(a)


@lane(Form.UNARY, "f", flush=Flush.BOTH)
def rsqrt(a: Any) -> Any:
    return 1.0 / np.sqrt(np.float64(a))


@lane(Form.UNARY, "f")
def reciprocal(a: Any) -> Any:
    return np.float32(1) / a


@lane(Form.UNARY, "i", name="reciprocal")
def reciprocal_integer(a: Any) -> Any:
    # As the division 1 / a: towards zero, and 0 for 0.
    return a if (a == 1) or (a == -1) else np.int64(0)


@lane(Form.UNARY, "u", name="reciprocal")
def reciprocal_unsigned(a: Any) -> Any:
    return a if a == 1 else np.int64(0)
