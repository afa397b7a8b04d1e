"""Fused loops compute the bits that single instructions compute, and are fused only where that holds."""

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from emulator import Device, asc
from emulator.engine import runner
from emulator.isa import layout as at
from emulator.isa.record import Execute
from emulator.isa.table import TABLE

BF16 = np.dtype(ml_dtypes.bfloat16)
TYPES = {"float32": np.float32, "float16": np.float16, "bfloat16": BF16, "int16": np.int16, "int32": np.int32}
COUNT = 700


def body_of(steps, count, dtype):
    """A vector function over x, y and out: two loads, ``steps`` over six registers, a store."""

    def body(x, y, out):
        registers = [asc.reg.RegTensor(dtype) for _ in range(6)]
        chosen = asc.reg.MaskReg()
        remaining = asc.number(count, asc.uint32)
        lanes = asc.reg.lanes(dtype)
        for i in asc.range(-(-count // lanes)):
            mask = asc.reg.update_mask(dtype, remaining)
            asc.reg.load_align(registers[0], x, i * lanes)
            asc.reg.load_align(registers[1], y, i * lanes)
            for register in registers[2:]:
                asc.reg.adds(register, registers[0], 1, mask)
            asc.reg.compare(chosen, registers[0], registers[1], asc.CMPMODE.LT, mask)
            for name, dst, a, b, value in steps:
                if name == "compare":
                    asc.reg.compare(chosen, registers[a], registers[b], asc.CMPMODE.GE, mask)
                elif name == "select":
                    asc.reg.select(registers[dst], registers[a], registers[b], chosen)
                elif name in ("adds", "muls", "maxs"):
                    getattr(asc.reg, name)(registers[dst], registers[a], value, mask)
                elif name in ("exp", "neg", "abs", "ln", "sqrt"):
                    getattr(asc.reg, name)(registers[dst], registers[a], mask)
                elif name == "duplicate":
                    asc.reg.duplicate(registers[dst], value, mask)
                else:
                    getattr(asc.reg, name)(registers[dst], registers[a], registers[b], mask)
            asc.reg.store_align(out, registers[steps[-1][1]], i * lanes, mask)

    return body


def run(body, x, y, places=(0, 8192, 16384), batch=None):
    """Run ``body`` on tensors at UB bytes ``places``; returns out and whether a loop was fused."""

    @asc.jit
    def kernel(a: asc.GlobalAddress, b: asc.GlobalAddress, c: asc.GlobalAddress):
        memory = [asc.GlobalTensor() for _ in range(3)]
        for tensor, address in zip(memory, (a, b, c), strict=True):
            tensor.set_global_buffer(address)
        size = memory[0].get_size()
        local = [asc.LocalTensor(a.dtype, addr=place, tile_size=size) for place in places]
        for source, target in zip(memory, local, strict=True):
            asc.data_copy(target, source, size)
            asc.pipe_barrier(asc.PipeID.PIPE_MTE2)
        asc.set_flag(asc.HardEvent.MTE2_V, 0)
        asc.wait_flag(asc.HardEvent.MTE2_V, 0)
        asc.vf_call(asc.simd_vf(body), *local)
        asc.set_flag(asc.HardEvent.V_MTE3, 0)
        asc.wait_flag(asc.HardEvent.V_MTE3, 0)
        asc.data_copy(memory[2], local[2], size)

    out = np.full_like(x, 3)
    with Device("Ascend950"), pytest.MonkeyPatch.context() as patch:
        patch.setattr(runner, "FUSE_FROM_LANES", 1)
        if batch is not None:
            made = runner.RunSettings
            patch.setattr(runner, "RunSettings", lambda *args, **others: made(*args, **others, batch_iterations=batch))
        result = kernel[1](x, y, out)
    program = result.program
    call = next(row for row in program.rows if _is_call(row))
    return out, bool(program.pool[call[at.PARAM] + at.VF_FUSED])


def _is_call(row):

    return TABLE[row[at.OP]].execute is Execute.VECTOR_FUNCTION


FLOATING = ["add", "sub", "mul", "div", "max", "min", "adds", "maxs", "duplicate", "exp", "neg", "abs", "ln", "sqrt"]
ALLOWED = {
    "float32": [*FLOATING, "muls", "select", "compare"],
    "float16": [*FLOATING, "muls", "select", "compare"],
    "bfloat16": ["add", "sub", "mul", "max", "min", "adds", "maxs", "duplicate", "select", "compare"],
    "int16": ["add", "sub", "mul", "div", "max", "min", "adds", "muls", "maxs", "neg", "abs", "select", "compare"],
    "int32": ["add", "sub", "mul", "div", "max", "min", "adds", "muls", "maxs", "neg", "abs", "select", "compare"],
}


@st.composite
def cases(draw):
    name = draw(st.sampled_from(sorted(ALLOWED)))
    index = st.integers(0, 5)
    value = st.sampled_from([-3, 2, 7]) if "int" in name else st.sampled_from([-1.5, 0.75, -0.0, 3.0])
    step = st.tuples(st.sampled_from(ALLOWED[name]), index, index, index, value)
    steps = draw(st.lists(step, min_size=1, max_size=7))
    return name, [*steps, ("add", draw(index), draw(index), draw(index), 1)]


@settings(deadline=None, max_examples=15)
@given(cases(), st.integers(1, COUNT), st.integers(0, 99))
def test_random_bodies_agree_with_single_instructions(case, count, seed):
    name, steps = case
    dtype = TYPES[name]
    generator = np.random.default_rng(seed)
    bits = generator.integers(0, 256, (2, 768 * np.dtype(dtype).itemsize), dtype=np.uint8)
    x, y = (row.view(dtype).copy() for row in bits)
    body = body_of(steps, count, getattr(asc, name))
    fused, was_fused = run(body, x, y)
    single, _ = run(body, x, y, batch=1)
    assert was_fused
    np.testing.assert_array_equal(fused.view(np.uint8), single.view(np.uint8))


STEPS = [("muls", 2, 0, 0, 1.5), ("exp", 3, 2, 0, 0), ("add", 4, 3, 1, 0)]


@pytest.mark.parametrize(
    ("places", "fused"),
    [
        ((0, 4096, 8192), True),
        ((0, 0, 8192), True),  # two loads of one place
        ((0, 4096, 0), False),  # in place through another pointer
        ((0, 4096, 1024), False),  # the store meets later loads
        ((1024, 4096, 0), False),  # the store meets earlier loads
    ],
)
def test_overlaps_run_one_instruction_at_a_time(places, fused):
    x, y = np.linspace(-3, 3, 768, dtype=np.float32), np.linspace(1, 2, 768, dtype=np.float32)
    body = body_of(STEPS, 768, asc.float32)
    got, was_fused = run(body, x, y, places)
    assert was_fused == fused
    single, _ = run(body, x, y, places, batch=1)
    np.testing.assert_array_equal(got, single)


def test_lanes_beyond_the_count_keep_their_memory():
    x = np.ones(768, np.float32)
    got, fused = run(body_of(STEPS, 130, asc.float32), x, x)
    assert fused
    np.testing.assert_array_equal(got[130:], 3)
    assert np.all(got[:130] != 3)


@pytest.mark.parametrize("change", ["carried", "earlier register", "second counter", "strided"])
def test_loops_that_must_not_be_fused(change):
    def body(x, y, out):
        item, total = asc.reg.RegTensor(asc.float32), asc.reg.RegTensor(asc.float32)
        everything = asc.reg.create_mask(asc.float32)
        asc.reg.duplicate(total, 2.0, everything)
        remaining, other = asc.number(512, asc.uint32), asc.number(512, asc.uint32)
        for i in asc.range(8):
            mask = asc.reg.update_mask(asc.float32, remaining)
            asc.reg.load_align(item, x, i * (32 if change == "strided" else 64))
            if change == "carried":
                asc.reg.add(total, total, item, mask)
                asc.reg.store_align(out, total, i * 64, mask)
            elif change == "earlier register":
                asc.reg.add(item, total, item, mask)
                asc.reg.store_align(out, item, i * 64, mask)
            else:
                second = asc.reg.update_mask(asc.float32, other) if change == "second counter" else mask
                asc.reg.add(item, item, item, second)
                asc.reg.store_align(out, item, i * 64, second)

    x = np.arange(768, dtype=np.float32)
    got, fused = run(body, x, x)
    assert not fused
    single, _ = run(body, x, x, batch=1)
    np.testing.assert_array_equal(got, single)


def test_small_launches_do_not_wait_for_a_compiler():
    x = np.linspace(-3, 3, 768, dtype=np.float32)

    @asc.simd_vf
    def scale(tensor):
        item = asc.reg.RegTensor(asc.float32)
        remaining = asc.number(768, asc.uint32)
        for i in asc.range(12):
            mask = asc.reg.update_mask(asc.float32, remaining)
            asc.reg.load_align(item, tensor, i * 64)
            asc.reg.muls(item, item, 0.5, mask)
            asc.reg.store_align(tensor, item, i * 64, mask)

    @asc.jit
    def kernel(a: asc.GlobalAddress):
        asc.vf_call(scale, asc.LocalTensor(asc.float32, addr=0, tile_size=768))

    with Device("Ascend950"):
        program = kernel[1](x).program
    fused = [key for key in program.lanes if key[0] == "fused"]
    assert len(fused) == 1
    assert runner.Tables.of(program).lanes[program.lanes.index(fused[0])] == 0
