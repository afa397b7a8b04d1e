"""Lane functions against float64 NumPy, exhaustively where a type has 65,536 values."""

import ml_dtypes
import numpy as np
import pytest

from emulator.dtypes import DTYPES
from emulator.engine.loops import run_lane

BF16 = np.dtype(ml_dtypes.bfloat16)
ALL_HALVES = np.arange(65536, dtype=np.uint16)


def patterns(dtype, count=200_000, seed=1):
    """Random bit patterns: every exponent, denormals, infinities and NaNs."""
    generator = np.random.default_rng(seed)
    numpy = DTYPES[dtype].numpy
    if numpy.itemsize == 2:
        return ALL_HALVES.view(numpy)
    return generator.integers(0, 2**32, count, dtype=np.uint32).view(numpy)


def flushed(x, dtype):
    smallest = 2.0 ** (-14 if dtype == "float16" else -126)
    value = x.astype(np.float64)
    return np.where(np.abs(value) < smallest, np.copysign(0.0, value), value)


def ulps(got, reference, dtype):
    """Distance in units of the last place, where the reference is a normal number of the type."""
    bits, smallest, largest = (11, -14, 65504.0) if dtype == "float16" else (24, -126, 3.4e38)
    normal = np.isfinite(reference) & (np.abs(reference) >= 2.0**smallest) & (np.abs(reference) <= largest)
    reference, got = reference[normal], got[normal].astype(np.float64)
    unit = np.ldexp(1.0, np.frexp(reference)[1] - bits)
    return np.max(np.abs(got - reference) / unit)


@pytest.mark.parametrize("dtype", ["float16", "float32"])
@pytest.mark.parametrize(
    ("name", "function", "limit"),
    [("exp", np.exp, 0.54), ("ln", np.log, 0.51), ("sqrt", np.sqrt, 0.51), ("rsqrt", lambda v: 1 / np.sqrt(v), 0.51)],
)
def test_transcendentals_are_within_their_error(name, function, limit, dtype):
    x = patterns(dtype)
    with np.errstate(all="ignore"):
        reference = function(flushed(x, dtype))
    got = run_lane((name, dtype), x)
    assert ulps(got, reference, dtype) <= limit
    np.testing.assert_array_equal(np.isnan(got), np.isnan(reference))


def test_exp_over_its_whole_range():
    x = np.linspace(-87.3, 88.7, 2_000_001, dtype=np.float32)
    assert ulps(run_lane(("exp", "float32"), x), np.exp(x.astype(np.float64)), "float32") <= 0.54


@pytest.mark.parametrize(
    ("x", "wanted"),
    [(88.73, np.inf), (-87.34, 0.0), (-103.27893, 0.0), (np.inf, np.inf), (-np.inf, 0.0), (0.0, 1.0), (1e-42, 1.0)],
)
def test_exp_flushes_and_overflows(x, wanted):
    assert run_lane(("exp", "float32"), np.array([x], np.float32))[0] == wanted


@pytest.mark.parametrize(
    ("a", "b", "wanted"), [(1, -5.0e-39, -np.inf), (1.9e-39, 7.7e-39, np.nan), (3e-38, 4, 0.0), (7, 2, 3.5)]
)
def test_div_flushes_denormals(a, b, wanted):
    got = run_lane(("div", "float32"), np.array([a], np.float32), np.array([b], np.float32))
    np.testing.assert_array_equal(got, np.float32(wanted))


def test_a_produced_nan_has_the_documented_bits():
    zero = np.zeros(1, np.float32)
    assert run_lane(("div", "float32"), zero, zero).view(np.uint32)[0] == 0x7FFFFFFF


BINARY = {
    "add": np.add,
    "sub": np.subtract,
    "mul": np.multiply,
    "max": np.maximum,
    "min": np.minimum,
}


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32"])
@pytest.mark.parametrize("name", BINARY)
def test_arithmetic_is_correctly_rounded(name, dtype):
    x = patterns(dtype)
    y = np.random.default_rng(2).permutation(x)
    with np.errstate(all="ignore"):
        wide = BINARY[name](x.astype(np.float32), y.astype(np.float32))
        wanted = wide.astype(x.dtype)
    got = run_lane((name, dtype), x, y)
    numbers = ~np.isnan(wanted.astype(np.float32))
    if name in ("max", "min"):
        numbers &= ~((x == 0) & (y == 0))
    word = np.dtype(f"u{x.itemsize}")
    np.testing.assert_array_equal(got.view(word)[numbers], wanted.view(word)[numbers])
    assert np.all(np.isnan(got[~numbers].astype(np.float32)) | (got[~numbers] == 0))


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int16", "uint16", "int32", "uint32", "int64"])
@pytest.mark.parametrize("name", ["add", "sub", "mul", "max", "min", "bitwise_and", "bitwise_or"])
def test_integers_wrap(name, dtype):
    generator = np.random.default_rng(3)
    info = np.iinfo(dtype)
    x, y = (generator.integers(info.min, info.max, 5000, dtype=dtype, endpoint=True) for _ in range(2))
    with np.errstate(all="ignore"):
        wanted = getattr(
            np, {"sub": "subtract", "mul": "multiply", "max": "maximum", "min": "minimum"}.get(name, name)
        )(x, y)
    np.testing.assert_array_equal(run_lane((name, dtype), x, y), wanted)


def test_integer_division_truncates_and_never_traps():
    x = np.array([7, -7, 7, -7, -128, 5], np.int8)
    y = np.array([2, 2, -2, -2, -1, 0], np.int8)
    np.testing.assert_array_equal(run_lane(("div", "int8"), x, y), [3, -3, -3, 3, -128, 0])


def test_zeros_of_both_signs():
    plus, minus = np.zeros(1, np.float32), -np.zeros(1, np.float32)
    assert not np.signbit(run_lane(("max", "float32"), minus, plus))[0]
    assert np.signbit(run_lane(("min", "float32"), plus, minus))[0]


class TestCasts:
    def cast(self, x, target, mode):
        return run_lane(("cast", x.dtype.name, target, mode), x)

    @pytest.mark.parametrize("source", ["float16", "bfloat16"])
    def test_widening_is_exact(self, source):
        x = patterns(source)
        np.testing.assert_array_equal(self.cast(x, "float32", "none"), x.astype(np.float32))

    @pytest.mark.parametrize("target", ["float16", "bfloat16"])
    def test_nearest_even(self, target):
        x = patterns("float32")
        with np.errstate(all="ignore"):
            wanted = x.astype(DTYPES[target].numpy)
        got = self.cast(x, target, "rint")
        numbers = ~np.isnan(x)
        np.testing.assert_array_equal(got.view(np.uint16)[numbers], wanted.view(np.uint16)[numbers])
        assert np.all(np.isnan(got[~numbers].astype(np.float32)))

    @pytest.mark.parametrize("target", ["float16", "bfloat16"])
    @pytest.mark.parametrize("mode", ["floor", "ceil", "trunc", "round", "odd"])
    def test_directed_modes_by_search(self, target, mode):
        numpy = DTYPES[target].numpy
        finite = ALL_HALVES.view(numpy)
        finite = np.unique(finite[np.isfinite(finite.astype(np.float32))].astype(np.float64))
        x = patterns("float32", 20_000)
        x = np.concatenate(
            [x, finite[::7].astype(np.float32), ((finite[:-1] + finite[1:]) / 2)[::5].astype(np.float32)]
        )
        x = x[np.isfinite(x) & (np.abs(x) < finite[-1])].astype(np.float64)
        below = finite[np.searchsorted(finite, x, side="right") - 1]
        above = finite[np.searchsorted(finite, x, side="left")]
        inner, outer = np.where(x < 0, above, below), np.where(x < 0, below, above)
        if mode in ("floor", "ceil"):
            wanted = below if mode == "floor" else above
        elif mode == "trunc":
            wanted = inner
        elif mode == "round":
            wanted = np.where(np.abs(x - inner) >= np.abs(outer - x), outer, inner)
        else:
            odd = inner.astype(numpy).view(np.uint16) & 1 == 1
            wanted = np.where((inner == outer) | odd, inner, outer)
        got = self.cast(x.astype(np.float32), target, mode).astype(np.float64)
        np.testing.assert_array_equal(got, wanted)

    @pytest.mark.parametrize("mode", ["rint", "floor", "ceil", "trunc", "round"])
    @pytest.mark.parametrize("target", ["int16", "int32", "int64"])
    def test_to_integers_saturating(self, mode, target):
        x = np.concatenate([patterns("float32"), np.arange(-40, 40).astype(np.float32) / 4])
        functions = {"rint": np.rint, "floor": np.floor, "ceil": np.ceil, "trunc": np.trunc}
        with np.errstate(invalid="ignore"):
            value = x.astype(np.float64)
        rounded = functions[mode](value) if mode in functions else np.trunc(value + np.copysign(0.5, value))
        info = np.iinfo(target)
        wanted = [
            0 if np.isnan(v) else info.max if v > info.max else info.min if v < info.min else int(v) for v in rounded
        ]
        np.testing.assert_array_equal(self.cast(x, target, mode), np.array(wanted, target))

    @pytest.mark.parametrize(("source", "target"), [("int32", "uint8"), ("int16", "uint32"), ("uint32", "int16")])
    def test_between_integers_saturating(self, source, target):
        info, limits = np.iinfo(source), np.iinfo(target)
        x = np.random.default_rng(4).integers(info.min, info.max, 3000, dtype=source, endpoint=True)
        x[:5] = [0, 1, 255, 256, info.max]
        wanted = np.clip(x.astype(np.int64), limits.min, limits.max).astype(target)
        np.testing.assert_array_equal(self.cast(x, target, "none"), wanted)

    def test_float_to_float_rounds_to_whole_values(self):
        x = np.array([2.5, -2.5, 0.4, -0.6], np.float32)
        np.testing.assert_array_equal(self.cast(x, "float32", "rint"), [2, -2, 0, -1])
        np.testing.assert_array_equal(self.cast(x, "float32", "round"), [3, -3, 0, -1])

    @pytest.mark.parametrize("mode", ["rint", "floor", "ceil", "trunc", "round"])
    def test_large_integers_to_float(self, mode):
        x = np.array([16777217, -16777217, 2**31 - 1, 16777219], np.int32)
        down, up = [16777216, -16777216, 2147483520, 16777218], [16777218, -16777218, 2147483648, 16777220]
        wanted = {
            "rint": [16777216, -16777216, 2147483648, 16777220],
            "floor": [down[0], up[1], down[2], down[3]],
            "ceil": [up[0], down[1], up[2], up[3]],
            "trunc": down,
            "round": up,
        }[mode]
        np.testing.assert_array_equal(self.cast(x, "float32", mode), np.array(wanted, np.float32))


def test_packed_masks_are_little_endian_bits():
    x = np.arange(16, dtype=np.float32)
    bits = run_lane(("compare_ordered_scalar_ge", "float32", "bits"), x, scalar=9.0)
    np.testing.assert_array_equal(bits[:2], [0b00000000, 0b11111110])
    chosen = run_lane(("select", "float32", "bits"), x, -x, bits)
    np.testing.assert_array_equal(chosen, np.where(x >= 9, x, -x))
