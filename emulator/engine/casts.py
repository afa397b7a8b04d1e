"""Loops that convert between element types, one for each (source type, destination type, round mode)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from emulator.dtypes import DTYPES
from emulator.engine.intrinsics import bits_of_float32, float32_of_bits
from emulator.engine.jit import inlined
from emulator.engine.lanes.conversion import rounding_body
from emulator.engine.storage import STORAGE, canonical_nan

_Convert = Callable[[Any], Any]

# The largest float64 below 2**63: float64(2**63 - 1) would round up and wrap.
_TOP_INT64 = float(np.nextafter(2.0**63, 0))


def _float_to_integer(name: str, mode: str) -> _Convert:
    """Saturating, infinities to the extremes, NaN to 0: the conversions' default, CTRL[59] = 0."""
    info = np.iinfo(name)
    low, high = int(info.min), int(info.max)
    bottom, top = float(low), min(float(high), _TOP_INT64)
    rounding = inlined(rounding_body(mode))

    @inlined
    def convert(x: Any) -> Any:
        value = rounding(x)
        clamped = min(max(value if value == value else 0.0, bottom), top)
        return np.int64(high) if value > top else np.int64(clamped)

    return convert


def _integer_to_integer(name: str) -> _Convert:
    info = np.iinfo(name)
    low, high = np.int64(info.min), np.int64(min(info.max, 2**63 - 1))

    @inlined
    def convert(x: Any) -> Any:
        return min(max(x, low), high)

    return convert


@inlined
def _nearest(x: Any) -> Any:
    return canonical_nan(np.float32(x))


def _to_integral_value(mode: str) -> _Convert:
    """float32 to float32: the value is rounded to an integer and stays a float."""
    rounding = inlined(rounding_body(mode))

    @inlined
    def convert(x: Any) -> Any:
        return canonical_nan(rounding(x))

    return convert


def _directed(name: str, mode: str) -> _Convert:
    """Rounding to a narrower floating type other than to nearest even.

    The nearest value is at most one step away from the wanted one, and neighbours differ by one in their bits.
    """
    store, load = STORAGE[name].store, STORAGE[name].load
    word = np.uint32 if name == "float32" else np.uint16
    one = word(1)

    if name == "float32":

        @inlined
        def bits_of(x: Any) -> Any:
            return bits_of_float32(np.float32(x))

        @inlined
        def value_of(bits: Any) -> Any:
            return np.float64(float32_of_bits(bits))

    else:

        @inlined
        def bits_of(x: Any) -> Any:
            return store(x)

        @inlined
        def value_of(bits: Any) -> Any:
            return np.float64(load(bits))

    step = _STEPS[mode]

    @inlined
    def convert(x: Any) -> Any:
        exact = np.float64(x)
        nearest = bits_of(exact)
        away = abs(value_of(nearest)) > abs(exact)
        truncated = word(nearest - one) if away else nearest
        below, above = abs(value_of(truncated)), abs(value_of(word(truncated + one)))
        inexact = below != abs(exact)
        outward = step(exact, below, above, truncated)
        chosen = word(truncated + one) if inexact and outward else truncated
        # NaN and infinity are exact; canonical_nan then settles NaN.
        special = (exact != exact) or (exact - exact != 0.0)
        return canonical_nan(exact if special else value_of(chosen))

    return convert


@inlined
def _outward_floor(x: Any, below: Any, above: Any, bits: Any) -> Any:
    return x < 0


@inlined
def _outward_ceil(x: Any, below: Any, above: Any, bits: Any) -> Any:
    return x > 0


@inlined
def _outward_trunc(x: Any, below: Any, above: Any, bits: Any) -> Any:
    return False


@inlined
def _outward_round(x: Any, below: Any, above: Any, bits: Any) -> Any:
    return abs(x) - below >= above - abs(x)


@inlined
def _outward_odd(x: Any, below: Any, above: Any, bits: Any) -> Any:
    return bits & 1 == 0


_STEPS = {
    "floor": _outward_floor,
    "ceil": _outward_ceil,
    "trunc": _outward_trunc,
    "round": _outward_round,
    "odd": _outward_odd,
}


def _converter(source: str, destination: str, mode: str) -> _Convert:
    src, dst = DTYPES[source], DTYPES[destination]
    if not dst.is_float:
        return _float_to_integer(destination, mode) if src.is_float else _integer_to_integer(destination)
    if source == destination and mode != "none":
        return _to_integral_value(mode)
    return _nearest if mode in ("none", "rint") else _directed(destination, mode)


def cast_loop(source: str, destination: str, mode: str) -> Callable[..., None]:
    """The loop that casts ``source`` elements to ``destination`` elements under ``mode``."""
    convert = _converter(source, destination, mode)
    read, load = STORAGE[source].pointer, STORAGE[source].load
    write, store = STORAGE[destination].pointer, STORAGE[destination].store

    def loop(dst: Any, src0: Any, src1: Any, src2: Any, imm: Any, n: Any) -> None:
        d, a = write(dst), read(src0)
        for i in range(n):
            d[i] = store(convert(load(a[i])))

    return loop
