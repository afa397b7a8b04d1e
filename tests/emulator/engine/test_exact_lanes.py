"""Lanes with an exact meaning: the fused multiply-add against fractions, unsigned types and shifts against Python."""

import ctypes
from fractions import Fraction

import numpy as np
import pytest

from emulator.dtypes import DTYPES, immediate_bits
from emulator.engine.loops import lane_address, run_lane

LOOP = ctypes.CFUNCTYPE(None, *[ctypes.c_int64] * 6)
UNSIGNED = ["uint8", "uint16", "uint32", "uint64"]
TOP = 2**63


def nearest_float32(exact: Fraction) -> np.float32:
    """Round once, to nearest even."""
    guess = np.float32(float(exact))
    around = [np.nextafter(guess, np.float32(-np.inf)), guess, np.nextafter(guess, np.float32(np.inf))]
    return min(around, key=lambda v: (abs(Fraction(float(v)) - exact), int(v.view(np.uint32)) & 1))


def fused(destination, source, scalar):
    result = destination.copy()
    loop = LOOP(lane_address(("axpy", "float32")))
    loop(result.ctypes.data, source.ctypes.data, 0, 0, immediate_bits(float(scalar), DTYPES["float32"]), len(result))
    return result


class TestAxpy:
    """A fused multiply-add: rounded once (precision table of the register level)."""

    @pytest.mark.parametrize("scale", [0, 24, 29, 53, -30])
    def test_is_rounded_once(self, scale):
        generator = np.random.default_rng(scale + 100)
        a = generator.normal(size=1500).astype(np.float32)
        d = np.ldexp(generator.normal(size=1500), scale).astype(np.float32)
        s = np.float32(generator.normal())
        wanted = [
            nearest_float32(Fraction(float(x)) + Fraction(float(y)) * Fraction(float(s)))
            for x, y in zip(d, a, strict=True)
        ]
        np.testing.assert_array_equal(fused(d, a, s), wanted)

    @pytest.mark.parametrize("sign", [1, -1])
    def test_a_sum_just_beside_a_tie(self, sign):
        # Products within 2**-53 of half a last place: a float64 sum lies on the tie and would then go to even.
        a = np.linspace(1, 2, 400, dtype=np.float32)
        s = np.float32(1) / a
        off = a.astype(np.float64) * s.astype(np.float64) - 1
        near = (off != 0) & (np.abs(off) < 2.0**-29)
        assert near.sum() > 4
        for x, y, above in zip(a[near], s[near], off[near] > 0, strict=True):
            even = np.float32(sign if above else sign * (1 + 2.0**-23))
            scalar = np.float32(sign * 2.0**-24) * y
            wanted = nearest_float32(Fraction(float(even)) + Fraction(float(x)) * Fraction(float(scalar)))
            twice = np.float32(np.float64(even) + np.float64(x) * np.float64(scalar))
            assert fused(np.array([even]), np.array([x]), scalar)[0] == wanted != twice

    @pytest.mark.parametrize("dtype", ["int64", "uint64"])
    def test_integers_wrap(self, dtype):
        values = np.array([5, 2**62 + 1], dtype)
        result = np.array([7, 9], dtype)
        loop = LOOP(lane_address(("axpy", dtype)))
        loop(result.ctypes.data, values.ctypes.data, 0, 0, 4, 2)
        np.testing.assert_array_equal(result, [27, 13])


class TestUnsigned:
    VALUES = (0, 1, 2, 255, TOP - 1, TOP, TOP + 1, 2 * TOP - 1)

    def grid(self):
        a, b = np.meshgrid(np.array(self.VALUES, np.uint64), np.array(self.VALUES, np.uint64))
        return a.ravel(), b.ravel()

    @pytest.mark.parametrize(
        ("mode", "function"),
        [
            ("lt", np.less),
            ("gt", np.greater),
            ("le", np.less_equal),
            ("ge", np.greater_equal),
            ("eq", np.equal),
            ("ne", np.not_equal),
        ],
    )
    @pytest.mark.parametrize("lane", ["compare", "compare_ordered"])
    def test_order(self, lane, mode, function):
        a, b = self.grid()
        np.testing.assert_array_equal(run_lane((f"{lane}_{mode}", "uint64"), a, b), function(a, b))
        scalar = run_lane((f"{lane}_scalar_{mode}", "uint64"), a, scalar=TOP)
        np.testing.assert_array_equal(scalar, function(a, np.uint64(TOP)))

    @pytest.mark.parametrize(("lane", "function"), [("max", np.maximum), ("min", np.minimum)])
    def test_extremes(self, lane, function):
        a, b = self.grid()
        np.testing.assert_array_equal(run_lane((lane, "uint64"), a, b), function(a, b))
        np.testing.assert_array_equal(run_lane((f"{lane}s", "uint64"), a, scalar=TOP), function(a, np.uint64(TOP)))

    @pytest.mark.parametrize("dtype", UNSIGNED)
    def test_division(self, dtype):
        info = np.iinfo(dtype)
        a = np.array([0, 1, 7, info.max // 2 + 1, info.max, info.max], dtype)
        b = np.array([3, 1, 2, info.max, 2, 0], dtype)
        wanted = [int(x) // int(y) if y else 0 for x, y in zip(a, b, strict=True)]
        np.testing.assert_array_equal(run_lane(("div", dtype), a, b), np.array(wanted, dtype))


class TestShifts:
    AMOUNTS = (0, 1, 3, 7, 8, 15, 16, 31, 32, 63, 64, 200)

    @pytest.mark.parametrize("dtype", UNSIGNED)
    @pytest.mark.parametrize("amount", AMOUNTS)
    def test_unsigned(self, dtype, amount):
        info = np.iinfo(dtype)
        x = np.array([0, 1, 5, info.max // 3, info.max], dtype)
        right = np.array([int(v) >> amount for v in x], dtype)
        left = np.array([(int(v) << amount) & int(info.max) for v in x], dtype)
        np.testing.assert_array_equal(run_lane(("shift_right", dtype), x, scalar=amount), right)
        np.testing.assert_array_equal(run_lane(("shift_left", dtype), x, scalar=amount), left)

    @pytest.mark.parametrize("dtype", ["int8", "int16", "int32", "int64"])
    @pytest.mark.parametrize("amount", AMOUNTS)
    def test_signed_to_the_right(self, dtype, amount):
        info = np.iinfo(dtype)
        x = np.array([0, 1, -1, info.max, info.min, -5], dtype)
        np.testing.assert_array_equal(
            run_lane(("shift_right", dtype), x, scalar=amount), np.array([int(v) >> amount for v in x], dtype)
        )

    def test_the_documented_examples(self):
        pattern = 0b1010101010101010
        x = np.array([pattern], np.uint16)
        assert run_lane(("shift_right", "uint16"), x, scalar=1)[0] == 0b0101010101010101
        assert run_lane(("shift_left", "uint16"), x, scalar=1)[0] == 0b0101010101010100
        signed = run_lane(("shift_right", "int16"), x.view(np.int16), scalar=3)
        assert signed.view(np.uint16)[0] == 0b1111010101010101

    def test_a_negative_amount_shifts_by_nothing(self):
        assert run_lane(("shift_right", "int32"), np.array([12], np.int32), scalar=-1)[0] == 12


@pytest.mark.parametrize(("dtype", "wanted"), [("int64", [0, 1, -1, 0, 0]), ("uint64", [0, 1, 0, 0, 0])])
def test_reciprocal_of_integers(dtype, wanted):
    x = np.array([0, 1, -1, 2, 100], np.int64).view(dtype)
    np.testing.assert_array_equal(run_lane(("reciprocal", dtype), x), np.array(wanted, dtype))
