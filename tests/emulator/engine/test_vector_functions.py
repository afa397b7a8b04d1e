"""Random vector functions against a scalar interpreter that runs one lane of one iteration at a time.

The engine batches iterations where a legality test allows it; the interpreter below knows nothing of batches, masks as
prefixes or machine code.
"""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from emulator import Device, OperandError, UbCapacityError, asc
from emulator.engine import runner

LANES = 64
REGISTERS = 4
UB_VECTORS = 16

BINARY = {"add": np.add, "sub": np.subtract, "mul": np.multiply, "max": np.maximum, "min": np.minimum}
SCALAR = {"adds": np.add, "muls": np.multiply}
COMPARE = {"GT": np.greater, "LE": np.less_equal, "EQ": np.equal}


def interpreted(buffer: asc.reg.UbPointer, steps: tuple, trips: int, count: int):
    registers = [asc.reg.RegTensor(asc.float32) for _ in range(REGISTERS)]
    everything = asc.reg.create_mask(asc.float32)
    for register in registers:
        asc.reg.duplicate(register, 0.5, everything)
    compared = asc.reg.MaskReg()
    asc.reg.compares(compared, registers[0], 0.0, asc.CMPMODE.GT, everything)
    remaining = asc.number(count, asc.uint32)
    for i in asc.range(trips):
        mask = asc.reg.update_mask(asc.float32, remaining)
        for step in steps:
            match step:
                case ("load", dst, base, stride):
                    asc.reg.load_align(
                        registers[dst],
                        buffer,
                        asc.reg.create_addr_reg(asc.float32, i, stride) if not base else i * stride + base,
                    )
                case ("store", src, base, stride):
                    asc.reg.store_align(buffer, registers[src], i * stride + base, mask)
                case ("select", dst, a, b):
                    asc.reg.select(registers[dst], registers[a], registers[b], compared)
                case (name, a, b) if name in COMPARE:
                    asc.reg.compare(compared, registers[a], registers[b], asc.CMPMODE[name], mask)
                case (name, dst, a, value) if name in SCALAR:
                    getattr(asc.reg, name)(registers[dst], registers[a], value, mask)
                case ("merge", dst, a, b):
                    asc.reg.max(
                        registers[dst],
                        registers[a],
                        registers[b],
                        compared,
                        mask_merge_mode=asc.reg.MaskMergeMode.MERGING,
                    )
                case (name, dst, a, b):
                    getattr(asc.reg, name)(registers[dst], registers[a], registers[b], mask)


@asc.jit
def kernel(x: asc.GlobalAddress, steps: tuple, trips: int, count: int):
    memory = asc.GlobalTensor()
    memory.set_global_buffer(x)
    size = memory.get_size()
    local = asc.LocalTensor(asc.float32, asc.TPosition.VECCALC, 0, size)
    asc.data_copy(local, memory, size)
    asc.set_flag(asc.HardEvent.MTE2_V, 0)
    asc.wait_flag(asc.HardEvent.MTE2_V, 0)
    asc.vf_call(asc.simd_vf(lambda buffer: interpreted(buffer, steps, trips, count)), local)
    asc.set_flag(asc.HardEvent.V_MTE3, 0)
    asc.wait_flag(asc.HardEvent.V_MTE3, 0)
    asc.data_copy(memory, local, size)


def reference(x, steps, trips, count):
    """One iteration, one instruction, one lane after another."""
    memory = x.copy()
    registers = [np.full(LANES, 0.5, np.float32) for _ in range(REGISTERS)]
    compared = registers[0] > 0
    for i in range(trips):
        active = np.arange(LANES) < max(count - i * LANES, 0)
        for step in steps:
            match step:
                case ("load", dst, base, stride):
                    registers[dst] = memory[base + i * stride :][:LANES].copy()
                case ("store", src, base, stride):
                    place = memory[base + i * stride :][:LANES]
                    place[active] = registers[src][active]
                case ("select", dst, a, b):
                    registers[dst] = np.where(compared, registers[a], registers[b])
                case (name, a, b) if name in COMPARE:
                    compared = COMPARE[name](registers[a], registers[b]) & active
                case (name, dst, a, value) if name in SCALAR:
                    registers[dst] = np.where(active, SCALAR[name](registers[a], np.float32(value)), np.float32(0))
                case ("merge", dst, a, b):
                    registers[dst] = np.where(compared, np.maximum(registers[a], registers[b]), registers[dst])
                case (name, dst, a, b):
                    registers[dst] = np.where(active, BINARY[name](registers[a], registers[b]), np.float32(0))
    return memory


index = st.integers(0, REGISTERS - 1)
base = st.sampled_from([0, 8, 64, 128, 192, 256])
stride = st.sampled_from([0, 8, 32, 64, 72, 128])
step = st.one_of(
    st.tuples(st.just("load"), index, base, stride),
    st.tuples(st.just("store"), index, base, stride),
    st.tuples(st.just("select"), index, index, index),
    st.tuples(st.just("merge"), index, index, index),
    st.tuples(st.sampled_from(sorted(COMPARE)), index, index),
    st.tuples(st.sampled_from(sorted(SCALAR)), index, index, st.sampled_from([-1.5, 0.25, 3.0])),
    st.tuples(st.sampled_from(sorted(BINARY)), index, index, index),
)


def emulate(x, steps, trips, count):
    out = x.copy()
    with Device("Ascend950"):
        kernel[1](out, steps, trips, count)
    return out


@settings(deadline=None, max_examples=150)
@given(st.lists(step, min_size=2, max_size=9), st.integers(1, 5), st.integers(0, 5 * LANES), st.integers(0, 1000))
def test_random_bodies_match_the_scalar_interpreter(steps, trips, count, seed):
    steps = tuple(steps)
    x = np.random.default_rng(seed).normal(size=UB_VECTORS * LANES).astype(np.float32)
    with np.errstate(all="ignore"):
        wanted = reference(x, steps, trips, count)
    got = emulate(x, steps, trips, count)
    np.testing.assert_array_equal(got.view(np.uint32), wanted.view(np.uint32))


@settings(deadline=None, max_examples=60)
@given(st.lists(step, min_size=2, max_size=9), st.integers(2, 5), st.integers(0, 5 * LANES))
def test_one_iteration_at_a_time_gives_the_same_bits(steps, trips, count):
    steps = tuple(steps)
    x = np.random.default_rng(1).normal(size=UB_VECTORS * LANES).astype(np.float32)
    batched = emulate(x, steps, trips, count)
    with pytest.MonkeyPatch.context() as patch:
        settings_of = runner.RunSettings
        patch.setattr(runner, "RunSettings", lambda *args, **others: settings_of(*args, **others, batch_iterations=1))
        single = emulate(x, steps, trips, count)
    np.testing.assert_array_equal(batched.view(np.uint32), single.view(np.uint32))


def body(function, *shape, x=None, dtype=asc.float32):
    """Run a vector function over a UB tensor that is copied in from x and out again."""
    x = np.arange(1, 257, dtype=dtype.numpy) if x is None else x

    @asc.jit
    def run(x: asc.GlobalAddress):
        memory = asc.GlobalTensor()
        memory.set_global_buffer(x)
        local = asc.LocalTensor(dtype, asc.TPosition.VECCALC, 0, memory.get_size())
        asc.data_copy(local, memory, memory.get_size())
        asc.set_flag(asc.HardEvent.MTE2_V, 0)
        asc.wait_flag(asc.HardEvent.MTE2_V, 0)
        asc.vf_call(function, local)
        asc.set_flag(asc.HardEvent.V_MTE3, 0)
        asc.wait_flag(asc.HardEvent.V_MTE3, 0)
        asc.data_copy(memory, local, memory.get_size())

    with Device("Ascend950"):
        result = run[1](x)
    return x, result


def test_loop_carried_registers_sum_up():
    @asc.simd_vf
    def total(buffer):
        mask = asc.reg.create_mask(asc.float32)
        total, item = asc.reg.RegTensor(asc.float32), asc.reg.RegTensor(asc.float32)
        asc.reg.duplicate(total, 0.0, mask)
        for i in asc.range(4):
            asc.reg.load_align(item, buffer, i * 64)
            asc.reg.add(total, total, item, mask)
        asc.reg.store_align(buffer, total, mask)

    x, result = body(total)
    np.testing.assert_array_equal(x[:64], np.arange(1, 257, dtype=np.float32).reshape(4, 64).sum(0))
    assert "one iteration at a time" in result.program.disassemble()


def test_nested_loops_address_by_both_indices():
    @asc.simd_vf
    def shift(buffer):
        mask = asc.reg.create_mask(asc.float32)
        item = asc.reg.RegTensor(asc.float32)
        for i in asc.range(2):
            for j in asc.range(2):
                asc.reg.load_align(item, buffer, asc.reg.create_addr_reg(asc.float32, i, 128, j, 64))
                asc.reg.muls(item, item, 2.0, mask)
                asc.reg.store_align(buffer, item, asc.reg.create_addr_reg(asc.float32, i, 128, j, 64), mask)

    x, _ = body(shift)
    np.testing.assert_array_equal(x, 2 * np.arange(1, 257, dtype=np.float32))


def test_broadcast_load():
    @asc.simd_vf
    def splat(buffer):
        mask = asc.reg.create_mask(asc.float32)
        item = asc.reg.RegTensor(asc.float32)
        for i in asc.range(4):
            asc.reg.load_align(item, buffer, i * 64 + 3, dist=asc.reg.LoadDist.BRC)
            asc.reg.store_align(buffer, item, i * 64, mask)

    x, _ = body(splat)
    np.testing.assert_array_equal(x.reshape(4, 64), np.repeat([[4.0], [68.0], [132.0], [196.0]], 64, axis=1))


@pytest.mark.parametrize(
    ("pattern", "chosen"),
    [
        ("ALL", np.ones(64, bool)),
        ("ALLF", np.zeros(64, bool)),
        ("VL8", np.arange(64) < 8),
        ("VL128", np.ones(64, bool)),
        ("M3", np.arange(64) % 3 == 0),
        ("M4", np.arange(64) % 4 == 0),
        ("H", np.arange(64) < 32),
        ("Q", np.arange(64) < 16),
    ],
)
def test_mask_patterns(pattern, chosen):
    @asc.simd_vf
    def negate(buffer):
        mask = asc.reg.create_mask(asc.float32, asc.MaskPattern[pattern])
        item = asc.reg.RegTensor(asc.float32)
        for i in asc.range(4):
            asc.reg.load_align(item, buffer, i * 64)
            asc.reg.neg(item, item, mask)
            asc.reg.store_align(buffer, item, i * 64, asc.reg.create_mask(asc.float32))

    x, _ = body(negate)
    wanted = np.where(chosen, -np.arange(1, 257, dtype=np.float32).reshape(4, 64), 0)
    np.testing.assert_array_equal(x.reshape(4, 64), wanted)


def test_a_mask_for_wide_lanes_covers_every_other_narrow_lane():
    """A lane owns as many mask bits as it has bytes, and the lowest counts."""

    @asc.simd_vf
    def negate(buffer):
        mask = asc.reg.create_mask(asc.float32, asc.MaskPattern.VL32)
        item = asc.reg.RegTensor(asc.float16)
        asc.reg.load_align(item, buffer)
        asc.reg.neg(item, item, mask)
        asc.reg.store_align(buffer, item, asc.reg.create_mask(asc.float16))

    x, _ = body(negate, x=np.ones(128, np.float16), dtype=asc.float16)
    lane = np.arange(128)
    np.testing.assert_array_equal(x, np.where((lane % 2 == 0) & (lane < 64), -1, 0))


class TestRefusals:
    def refused(self, function, error, message):
        with pytest.raises(error, match=message):
            body(asc.simd_vf(function))

    def test_a_loop_index_has_no_value(self):
        def branch(buffer):
            for i in asc.range(4):
                if i > 2:
                    pass

        self.refused(branch, OperandError, "recorded once")

    def test_leaving_a_loop(self):
        def leave(buffer):
            for _ in asc.range(4):
                break

        self.refused(leave, OperandError, "before its end")

    def test_a_plain_count_for_update_mask(self):
        def plain(buffer):
            asc.reg.update_mask(asc.float32, 10)

        self.refused(plain, OperandError, r"asc\.number")

    def test_a_store_past_the_tensor(self):
        def beyond(buffer):
            item = asc.reg.RegTensor(asc.float32)
            mask = asc.reg.create_mask(asc.float32)
            asc.reg.duplicate(item, 1.0, mask)
            for i in asc.range(5):
                asc.reg.store_align(buffer, item, i * 64, mask)

        self.refused(beyond, UbCapacityError, r"bytes 0\.\.1280 of .* 1024 B")

    def test_memory_calls_inside(self):
        def inside(buffer):
            asc.abs(
                asc.LocalTensor(asc.float32, addr=0, tile_size=8), asc.LocalTensor(asc.float32, addr=0, tile_size=8), 8
            )

        self.refused(inside, OperandError, "inside a vector function")

    def test_merging_where_it_does_not_exist(self):
        def merge(buffer):
            item = asc.reg.RegTensor(asc.float32)
            mask = asc.reg.create_mask(asc.float32)
            asc.reg.sub(item, item, item, mask, mask_merge_mode=asc.reg.MaskMergeMode.MERGING)

        self.refused(merge, OperandError, "ZEROING only")

    def test_misaligned(self):
        def misaligned(buffer):
            asc.reg.load_align(asc.reg.RegTensor(asc.float32), buffer + 1)

        self.refused(misaligned, OperandError, "multiple of 32")
