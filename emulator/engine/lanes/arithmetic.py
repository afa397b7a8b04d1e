"""Arithmetic, minimum and maximum, and fill.

An unsigned lane holds the zero-extended value, a uint64 lane the same 64 bits; both order and divide as uint64.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from emulator.engine.intrinsics import bits_of_float32, bits_of_float64, float32_of_bits, float64_of_bits
from emulator.engine.lanes.registry import Flush, lane
from emulator.isa.record import Form


@lane(Form.BINARY, "fiu")
def add(a: Any, b: Any) -> Any:
    return a + b


@lane(Form.BINARY, "fiu")
def sub(a: Any, b: Any) -> Any:
    return a - b


@lane(Form.BINARY, "fiu")
def mul(a: Any, b: Any) -> Any:
    return a * b


@lane(Form.BINARY, "f", flush=Flush.BOTH)
def div(a: Any, b: Any) -> Any:
    return a / b


@lane(Form.BINARY, "i", name="div")
def div_integer(a: Any, b: Any) -> Any:
    # Towards zero, as in C.  Dividing by 0 is undefined on the chip and gives 0 here.
    divisor = b if b != 0 else np.int64(1)
    quotient = abs(a) // abs(divisor)
    signed = quotient if (a < 0) == (divisor < 0) else -quotient
    return signed if b != 0 else np.int64(0)


@lane(Form.BINARY, "u", name="div")
def div_unsigned(a: Any, b: Any) -> Any:
    quotient = np.int64(np.uint64(a) // np.uint64(b if b != 0 else np.int64(1)))
    return quotient if b != 0 else np.int64(0)


@lane(Form.SCALAR, "fiu")
def adds(a: Any, s: Any) -> Any:
    return a + s


@lane(Form.SCALAR, "fiu")
def muls(a: Any, s: Any) -> Any:
    return a * s


@lane(Form.TERNARY, "f")
def axpy_unfused(d: Any, a: Any, s: Any) -> Any:
    return d + a * s


@lane(Form.TERNARY, "f")
def axpy(d: Any, a: Any, s: Any) -> Any:
    # A fused multiply-add.  The product is exact in float64; the sum is rounded to odd there, so that rounding it to
    # float32 afterwards is as good as rounding once.  A half is rounded a second time, from float32.
    product, addend = np.float64(a) * np.float64(s), np.float64(d)
    total = product + addend
    part = total - product
    error = (product - (total - part)) + (addend - part)
    # One step towards the exact sum; infinities and NaN have an error of NaN and take none.
    outward = np.int64(error > 0 if total > 0 else error < 0)
    inward = np.int64(error < 0 if total > 0 else error > 0)
    bits = bits_of_float64(total)
    even = np.int64(1) - (bits & np.int64(1))
    return float64_of_bits(bits + even * (outward - inward))


@lane(Form.TERNARY, "iu", name="axpy")
def axpy_integer(d: Any, a: Any, s: Any) -> Any:
    return d + a * s


@lane(Form.UNARY, "f", keeps_nan=True)
def neg(a: Any) -> Any:
    return float32_of_bits(bits_of_float32(a) ^ np.uint32(0x80000000))


@lane(Form.UNARY, "i", name="neg")
def neg_integer(a: Any) -> Any:
    return -a


@lane(Form.UNARY, "f", name="abs", keeps_nan=True)
def absolute(a: Any) -> Any:
    return float32_of_bits(bits_of_float32(a) & np.uint32(0x7FFFFFFF))


@lane(Form.UNARY, "i", name="abs")
def absolute_integer(a: Any) -> Any:
    return a if a >= 0 else -a


def _larger(a: Any, b: Any) -> Any:
    # Equal operands may be zeros of both signs: their common bits are +0.
    tied = float32_of_bits(bits_of_float32(a) & bits_of_float32(b))
    ordered = a if a > b else (b if b > a else tied)
    return ordered if (a == a) and (b == b) else a + b


def _smaller(a: Any, b: Any) -> Any:
    tied = float32_of_bits(bits_of_float32(a) | bits_of_float32(b))
    ordered = a if a < b else (b if b < a else tied)
    return ordered if (a == a) and (b == b) else a + b


def _larger_integer(a: Any, b: Any) -> Any:
    return a if a > b else b


def _smaller_integer(a: Any, b: Any) -> Any:
    return a if a < b else b


def _larger_unsigned(a: Any, b: Any) -> Any:
    return a if np.uint64(a) > np.uint64(b) else b


def _smaller_unsigned(a: Any, b: Any) -> Any:
    return a if np.uint64(a) < np.uint64(b) else b


for _form, _suffix in ((Form.BINARY, ""), (Form.SCALAR, "s")):
    lane(_form, "f", name=f"max{_suffix}")(_larger)
    lane(_form, "f", name=f"min{_suffix}")(_smaller)
    lane(_form, "i", name=f"max{_suffix}")(_larger_integer)
    lane(_form, "i", name=f"min{_suffix}")(_smaller_integer)
    lane(_form, "u", name=f"max{_suffix}")(_larger_unsigned)
    lane(_form, "u", name=f"min{_suffix}")(_smaller_unsigned)


@lane(Form.UNARY, "f")
def relu(a: Any) -> Any:
    positive = a if a > 0 else np.float32(0)
    return positive if a == a else a


@lane(Form.UNARY, "i", name="relu")
def relu_integer(a: Any) -> Any:
    return a if a > 0 else np.int64(0)


@lane(Form.BINARY, "f")
def add_relu(a: Any, b: Any) -> Any:
    total = a + b
    positive = total if total > 0 else np.float32(0)
    return positive if total == total else total


@lane(Form.BINARY, "f")
def sub_relu(a: Any, b: Any) -> Any:
    total = a - b
    positive = total if total > 0 else np.float32(0)
    return positive if total == total else total


@lane(Form.BINARY, "u", name="add_relu")
def add_relu_unsigned(a: Any, b: Any) -> Any:
    return a + b


@lane(Form.BINARY, "i", name="add_relu")
def add_relu_integer(a: Any, b: Any) -> Any:
    return a + b if a + b > 0 else np.int64(0)


@lane(Form.BINARY, "i", name="sub_relu")
def sub_relu_integer(a: Any, b: Any) -> Any:
    return a - b if a - b > 0 else np.int64(0)


@lane(Form.SCALAR, "f")
def leaky_relu(a: Any, s: Any) -> Any:
    # By the sign bit: -0 counts as negative.
    return a * s if bits_of_float32(a) >> np.uint32(31) else a


@lane(Form.FILL, "fiu", keeps_nan=True)
def duplicate(s: Any) -> Any:
    return s
