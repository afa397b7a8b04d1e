"""The instruction table against the public reference: element types, pipes, merge modes, round modes."""

import json
import re
from pathlib import Path

import pytest

from emulator.asc.enums import CMPMODE, RoundMode
from emulator.dtypes import DTYPES
from emulator.engine.lanes.registry import LANES
from emulator.engine.loops import lane_address
from emulator.isa.record import Execute, Form, Level, Pipe
from emulator.isa.table import FAMILIES, TABLE, lookup, opcode
from emulator.soc import load_soc

TABLES = Path(__file__).parents[2] / "oracle" / "tables"
DOCUMENTED = json.loads((TABLES / "documented_types.json").read_text())
ARCHITECTURES = {"dav-2201", "dav-3510"}
COMPUTING = [record for record in TABLE if record.form is not Form.NONE and record.form is not Form.CONVERT]
(CAST,) = (record for record in TABLE if record.form is Form.CONVERT)

# What the reference offers and the table does not, each with its reason.
LEFT_OUT = {
    ("memory", "bitwise_not", "dav-3510"): ({"float16", "float32"}, "a floating lane is a value, not its bits"),
    ("memory", "sub_relu", "dav-3510"): ({"uint64"}, "the reference does not say what a difference below 0 becomes"),
    ("memory", "shift_left", "dav-3510"): ({"int8", "int16", "int32", "int64"}, "keeps the sign bit of the type"),
    ("memory", "shift_left", "dav-2201"): ({"int16", "int32"}, "keeps the sign bit of the type"),
    ("memory", "compare", "dav-2201"): ({"int32"}, "EQ only, and types are not listed by mode"),
    ("memory", "compare_scalar", "dav-2201"): ({"int32"}, "EQ only, and types are not listed by mode"),
}
LEFT_OUT_CASTS = {"int64->float32": ({"floor", "ceil", "round", "trunc"}, "float64 does not hold every int64")}


def named(record):
    return f"{record.level}-{record.name}"


def ascend_name(record):
    """The name in Ascend C: add_relu -> AddRelu, bitwise_and -> And, compare_scalar -> Compares."""
    special = {"compare_scalar": "Compares", "select_scalar": "Select"}
    name = record.name.removeprefix("bitwise_")
    return special.get(name) or "".join(word.capitalize() for word in name.split("_"))


def sections(file):
    return json.loads((TABLES / file).read_text())


class TestKeys:
    def test_an_opcode_is_a_position(self):
        assert [opcode(record.level, record.name) for record in TABLE] == list(range(len(TABLE)))
        assert all(lookup(record.level, record.name) is record for record in TABLE)

    def test_an_unknown_name_is_a_key_error(self):
        with pytest.raises(KeyError):
            lookup(Level.MEMORY, "load_align")

    def test_families_partition_the_table(self):
        assert [id(record) for records in FAMILIES.values() for record in records] == [id(record) for record in TABLE]

    def test_qualified_names_are_unique(self):
        names = [record.qualified_name for record in TABLE]
        assert len(set(names)) == len(names)


class TestRecords:
    @pytest.mark.parametrize("record", TABLE, ids=named)
    def test_is_complete(self, record):
        assert record.summary.endswith(".")
        assert record.source.startswith("基础API/")
        assert record.source.endswith(".md")
        assert record.provenance
        assert set(record.dtypes) <= ARCHITECTURES
        assert all(record.dtypes.values()), "an architecture without a type is left out"
        assert (record.form is Form.NONE) == (record.lane == "")
        if record.form is not Form.NONE:
            assert record.cost

    @pytest.mark.parametrize("record", COMPUTING, ids=named)
    def test_every_type_has_a_lane_of_the_record_s_form(self, record):
        suffixes = [f"_{mode.value}" for mode in CMPMODE] if record.form.value.endswith("->m") else [""]
        for arch, names in record.dtypes.items():
            assert len(set(names)) == len(names)
            for name in names:
                for suffix in suffixes:
                    assert LANES[record.lane_on(arch) + suffix, DTYPES[name].kind].form is record.form

    def test_every_lane_serves_a_record(self):
        used = {name for record in TABLE for name in record.lanes}
        compares = [name for record in TABLE if record.form.value.endswith("->m") for name in record.lanes]
        used |= {f"{lane}_{mode.value}" for lane in compares for mode in CMPMODE}
        assert {name for name, _ in LANES} <= used

    @pytest.mark.parametrize("record", TABLE, ids=named)
    def test_level_way_and_pipe_agree(self, record):
        if record.level is Level.REG:
            assert record.execute >= Execute.REG_LOAD
            assert set(record.dtypes) <= {"dav-3510"}
        pipes = {Level.MEMORY: Pipe.V, Level.REG: Pipe.V, Level.CALL: Pipe.V, Level.SCALAR: Pipe.S}
        if record.level in pipes:
            assert record.pipe is pipes[record.level]


class TestReference:
    @pytest.mark.parametrize("record", COMPUTING, ids=named)
    def test_element_types(self, record):
        documented = DOCUMENTED[record.level.value][record.name]
        assert set(record.dtypes) == set(documented)
        for arch, names in record.dtypes.items():
            missing = set(documented[arch]) - set(names)
            reason = LEFT_OUT.get((record.level.value, record.name, arch), (set(), ""))
            assert set(names) <= set(documented[arch])
            assert missing == reason[0], reason[1]

    @pytest.mark.parametrize("arch", sorted(ARCHITECTURES))
    def test_casts(self, arch):
        pairs = (entry.split(":") for entry in CAST.dtypes[arch])
        offered = {pair: set(modes.split(",")) for pair, modes in pairs}
        documented = DOCUMENTED["cast"][arch]
        assert set(offered) == set(documented)
        for pair, modes in offered.items():
            missing, reason = LEFT_OUT_CASTS.get(pair, (set(), ""))
            assert modes | missing == set(documented[pair]), reason
            assert not modes & missing

    def test_merging_only_where_the_reference_has_it(self):
        rows = [row for table in sections("reg_merge_modes.json") for row in table["rows"]]
        merging = {re.sub(r"（.*", "", row[0]): "MERGING" in row[1] + row[2] for row in rows}
        checked = 0
        for record in COMPUTING:
            if record.level is Level.REG and ascend_name(record) in merging:
                assert record.merging == merging[ascend_name(record)], record.name
                checked += 1
            elif record.level is Level.MEMORY:
                assert not record.merging
        assert checked >= 17

    def test_pipes(self):
        rows = [row for table in sections("api_pipes.json") for row in table["rows"]]
        pipes = {row[-3]: row[-1] for row in rows if len(row) == 4}
        for record in TABLE:
            if record.level is Level.MEMORY:
                assert pipes[ascend_name(record)] == "PIPE_V", record.name
        directions = {"DataCopy(GM->UB)": "MTE2", "DataCopyPad(UB->GM)": "MTE3", "DataCopy(UB->UB)": "V"}
        assert {name: pipes[name] for name in directions} == {n: f"PIPE_{p}" for n, p in directions.items()}

    def test_every_capability_of_a_soc_has_its_architecture(self):
        for name in ("Ascend950", "Ascend910B"):
            soc = load_soc(name)
            assert soc.arch in ARCHITECTURES
            assert soc.capabilities.nddma == (soc.arch in lookup(Level.DMA, "nddma").dtypes)


class TestMachineCode:
    """Every lane that a record promises compiles."""

    @pytest.mark.slow
    @pytest.mark.parametrize("record", COMPUTING, ids=named)
    def test_lanes(self, record):
        suffixes = [f"_{mode.value}" for mode in CMPMODE] if record.form.value.endswith("->m") else [""]
        packed = ("bits",) if record.level is Level.MEMORY and "m" in record.form.value else ()
        for arch, names in record.dtypes.items():
            for name in names:
                for suffix in suffixes:
                    assert lane_address((record.lane_on(arch) + suffix, name, *packed))

    @pytest.mark.slow
    @pytest.mark.parametrize("entry", sorted({entry for entries in CAST.dtypes.values() for entry in entries}))
    def test_casts(self, entry):
        pair, modes = entry.split(":")
        source, target = pair.split("->")
        for mode in modes.split(","):
            assert RoundMode(mode)
            assert lane_address(("cast", source, target, mode))
