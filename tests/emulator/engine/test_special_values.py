"""Results on MAX, MIN, zeros, infinities and NaN, against the tables of the public reference (INF/NAN mode)."""

import json
import re
from pathlib import Path

import numpy as np
import pytest

from emulator.dtypes import DTYPES
from emulator.engine.loops import run_lane

TABLES = Path(__file__).parents[2] / "oracle" / "tables"
TYPES = {"half": "float16", "float": "float32", "bfloat16_t": "bfloat16"}
TYPES |= {f"{name}_t": name for name in DTYPES if "int" in name}

UNARY = {
    "Exp": "exp", "Ln": "ln", "Neg": "neg", "Abs": "abs", "Sqrt": "sqrt", "Rsqrt": "rsqrt",
    "Reciprocal": "reciprocal", "Relu": "relu",
}  # fmt: skip
BINARY = {"Add": "add", "Sub": "sub", "Mul": "mul", "Div": "div", "Max": "max", "Min": "min"}
SCALAR = {"Adds": "adds", "Muls": "muls", "Maxs": "maxs", "Mins": "mins", "LeakyRelu": "leaky_relu"}
COMPARE = {"Compare": "compare", "Compares": "compare_scalar"}
MEMORY_COMPARE = {"Compare": "compare_ordered", "Compares": "compare_ordered_scalar"}

# Divisions by 0.0 that stand twice with results of both signs: the second lost the sign of its zero in print.
LOST_SIGN_OF_ZERO = {("reg", "Div", number) for number in (3, 10, 30, 37)}


def tables(names):
    """Rows of the register- and memory-level tables of these calls; 'reg' or 'mem' leads each id."""
    for file in ("reg_special_values.json", "memory_level_special_values.json"):
        for table in json.loads((TABLES / file).read_text()):
            found = re.match(r"([A-Za-z]+)特殊值", table["caption"])
            if found and found[1] in names:
                for number, row in enumerate(table["rows"]):
                    level = "mem" if file.startswith("mem") else "reg"
                    if (level, found[1], number) in LOST_SIGN_OF_ZERO:
                        row = [*row[:2], "-0.0", *row[3:]]
                    yield pytest.param(level, found[1], row, id=f"{level}-{found[1]}-{number}")


def values(text, dtype):
    """The values a cell lists: 65504.0（MAX）/inf/-0.0, MAX, nan."""
    numpy = DTYPES[dtype].numpy
    info = np.finfo(numpy) if DTYPES[dtype].is_float and dtype != "bfloat16" else None
    names = {}
    if info is not None:
        names = {"MAX": info.max, "MIN": info.min}
    elif not DTYPES[dtype].is_float:
        names = {"MAX": np.iinfo(numpy).max, "MIN": np.iinfo(numpy).min}
    for part in re.split(r"[/;]", text):
        word = re.sub(r"（.*?）|\(.*?\)", "", part).strip()
        if word in names:
            yield names[word]
        else:
            number = float(word) if DTYPES[dtype].is_float else int(float(word))
            # The memory-level tables print int32's MAX one too large.
            if dtype == "int32" and number == 2**31:
                number -= 1
            # The tables print float's MAX with eight digits.
            if info is not None and np.isfinite(number) and abs(number) > float(info.max) * 0.999999:
                number = np.copysign(float(info.max), number)
            yield number


def agree(got, wanted, dtype):
    """Equal, or equal to the printed digits."""
    got = np.float64(got)
    if np.isnan(wanted):
        return np.isnan(got)
    if wanted == 0 and got == 0:
        return True
    if got == wanted or not np.isfinite(wanted):
        return got == wanted
    digits = len(repr(float(wanted)).lstrip("-0.").replace(".", "").split("e")[0])
    return np.isclose(got, wanted, rtol=10.0 ** -min(digits - 1, 6), atol=0)


def array(values_, dtype):
    return np.array(list(values_)).astype(DTYPES[dtype].numpy)


@pytest.mark.parametrize(("level", "name", "row"), tables(UNARY))
def test_unary(level, name, row):
    for dtype in types(row[0]):
        for value in values(row[1], dtype):
            (got,) = run_lane((UNARY[name], dtype), array([value], dtype))
            (wanted,) = values(row[2], dtype)
            assert agree(got, wanted, dtype), (name, dtype, value, got, wanted)


@pytest.mark.parametrize(("level", "name", "row"), tables(BINARY))
def test_binary(level, name, row):
    for dtype in types(row[0]):
        for a in values(row[1], dtype):
            for b in values(row[2], dtype):
                (got,) = run_lane((BINARY[name], dtype), array([a], dtype), array([b], dtype))
                (wanted,) = values(row[3], dtype)
                assert agree(got, wanted, dtype), (name, dtype, a, b, got, wanted)


@pytest.mark.parametrize(("level", "name", "row"), tables(SCALAR))
def test_scalar(level, name, row):
    for dtype in types(row[0]):
        for a in values(row[1], dtype):
            for b in values(row[2], dtype):
                (got,) = run_lane((SCALAR[name], dtype), array([a], dtype), scalar=b)
                (wanted,) = values(row[3], dtype)
                assert agree(got, wanted, dtype), (name, dtype, a, b, got, wanted)


@pytest.mark.parametrize(("level", "name", "row"), tables(COMPARE))
def test_compare(level, name, row):
    mode = row[1].partition("::")[2].lower()
    for dtype in dict.fromkeys(types(row[0])):
        wanted = list(row[4].split("/"))
        rights = list(values(row[3], dtype))
        lane = (COMPARE if level == "reg" else MEMORY_COMPARE)[name]
        for a in values(row[2], dtype):
            for b, bit in zip(rights, wanted * (len(rights) if len(wanted) == 1 else 1), strict=True):
                if name == "Compare":
                    (got,) = run_lane((f"{lane}_{mode}", dtype), array([a], dtype), array([b], dtype))
                else:
                    (got,) = run_lane((f"{lane}_{mode}", dtype), array([a], dtype), scalar=b)
                assert got == int(bit), (level, name, mode, dtype, a, b, got, bit)


def types(text):
    return [TYPES[part.strip()] for part in re.split(r"[/,，]", text) if part.strip() in TYPES]
