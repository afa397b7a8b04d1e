"""SoC files: the published figures are in them, each group says where it comes from, and names lead to them."""

import json
from pathlib import Path

import msgspec
import pytest

from emulator.errors import SocError
from emulator.soc import load_soc, soc_names, variants
from emulator.soc.spec import Sourced

ORACLE = Path(__file__).parents[2] / "oracle"


def groups(spec):
    for field in spec.__struct_fields__:
        value = getattr(spec, field)
        if isinstance(value, Sourced):
            yield value
        elif isinstance(value, tuple):
            yield from value
        elif hasattr(value, "__struct_fields__"):
            yield from (getattr(value, inner) for inner in value.__struct_fields__ if getattr(value, inner) is not None)


@pytest.mark.parametrize(
    ("name", "arch", "cores", "ub_bytes"),
    [
        ("Ascend950", "dav-3510", 64, 253952),
        ("Ascend910B", "dav-2201", 48, 196608),
        ("ascend910b3", "dav-2201", 40, 196608),
    ],
)
def test_known_chips(name, arch, cores, ub_bytes):
    spec = load_soc(name)
    assert (spec.arch, spec.aiv_cores, spec.ub_bytes, spec.event_ids) == (arch, cores, ub_bytes, 8)


def test_every_platform_of_pyasc_is_known():
    wanted = {f"Ascend910B{suffix}" for suffix in ("1", "2", "2C", "3", "4", "4-1")}
    wanted |= {f"Ascend910_93{suffix}" for suffix in ("62", "72", "81", "82", "91", "92")}
    assert wanted <= set(soc_names())
    assert all(variant.provenance for variant in variants().values())


@pytest.mark.parametrize("name", ["Ascend950", "Ascend910B"])
def test_every_group_of_numbers_has_a_source(name):
    found = list(groups(load_soc(name)))
    assert len(found) >= 13
    for group in found:
        assert group.source
        assert group.provenance in ("documented", "measured", "guess")


def test_the_measured_fits_are_the_published_ones():
    spec = load_soc("Ascend910B")
    published = json.loads((ORACLE / "cycles_ascend910b.json").read_text())["memory_level_fits"]
    assert sum(len(fits.rows) for fits in spec.call_fits) == len(published)
    by_name = {"Exp": "exp", "Div": "div", "Add": "add", "CompareScalarGT": "compare_scalar_gt", "Cast": "cast"}
    checked = 0
    for row in published:
        if row["op"] in by_name:
            fit = spec.call_fit(by_name[row["op"]], row["dtype"])
            assert (fit.k, fit.b) == (row["k"], row["b"])
            checked += 1
    assert checked >= 12


def test_register_costs_are_the_published_ones():
    spec = load_soc("Ascend950")
    published = json.loads((ORACLE / "cycles_ascend950.json").read_text())
    for key, name in {"Exp": "exp", "Div": "div", "Neg": "neg", "Select": "select", "Adds": "adds"}.items():
        table = published["vf_latency_throughput"].get(key) or published["vf_latency_throughput"]["Abs/Neg"]
        for types, latency, throughput in table:
            if "float32" in types or types == "all":
                cost = spec.register_cost(name, "float32")
                assert (cost.latency_cycles, cost.cycles_per_register) == (latency, throughput)
    dma = published["dma"]
    for curve, known in ((spec.dma.load, "Load"), (spec.dma.store, "Store"), (spec.dma.nddma, "Nddma")):
        assert (curve.a, curve.b, curve.h) == (dma[known]["a"], dma[known]["b"], dma[known]["h"])
    assert spec.dma.load.cycles(1 << 20, 8) == pytest.approx((1 << 20) / (11.8292 + 6.6155 / 8) + 160)


@pytest.mark.parametrize(("name", "words"), [("Ascend95", "did you mean Ascend950"), ("", "known: "), (None, "None")])
def test_unknown_names(name, words):
    with pytest.raises(SocError, match=words):
        load_soc(name)


@pytest.mark.parametrize(
    ("overrides", "words"),
    [
        ({"cores": 0}, r"cores is 0; .* 1\.\.512"),
        ({"cores": 513}, "513"),
        ({"cores": True}, "True"),
        ({"ub_bytes": 0}, "ub_bytes is 0"),
        ({"ub_bytes": 262176}, "262144"),
        ({"ub_bytes": 1000}, "multiple of 32"),
        ({"ub_bytes": "64K"}, "64K"),
    ],
)
def test_impossible_overrides(overrides, words):
    with pytest.raises(SocError, match=words):
        load_soc("Ascend950").with_overrides(**overrides)


def test_overrides_leave_the_file_alone():
    changed = load_soc("Ascend950").with_overrides(cores=3, ub_bytes=262144)
    assert (changed.aiv_cores, changed.ub_bytes) == (3, 262144)
    assert load_soc("Ascend950").aiv_cores == 64
    with pytest.raises(AttributeError):
        changed.name = "other"


def test_unknown_fields_are_refused():
    with pytest.raises(msgspec.ValidationError):
        msgspec.convert({"name": "X", "speed": 9}, type(load_soc("Ascend950")))
