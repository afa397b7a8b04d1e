"""Kernels that read data back: what the scalar unit sees decides how they go on."""

import numpy as np
import pytest

from emulator import DeadlockError, Device, asc

E = asc.HardEvent


@asc.jit
def countdown(x: asc.GlobalAddress, steps: asc.GlobalAddress):
    """Subtract 1 from a vector until its first element is not positive; write the number of rounds."""
    source, rounds = asc.GlobalTensor(), asc.GlobalTensor()
    source.set_global_buffer(x + 8 * asc.get_block_idx())
    rounds.set_global_buffer(steps + 8 * asc.get_block_idx())
    local = asc.LocalTensor(asc.float32, asc.TPosition.VECCALC, 0, 8)
    tally = asc.LocalTensor(asc.int32, asc.TPosition.VECCALC, 64, 8)
    asc.data_copy(local, source, 8)
    asc.set_flag(E.MTE2_V, 0)
    asc.wait_flag(E.MTE2_V, 0)
    asc.set_flag(E.MTE2_S, 0)
    asc.wait_flag(E.MTE2_S, 0)
    done = 0
    while local.get_value(0) > 0:
        asc.adds(local, local, -1.0, 8)
        asc.set_flag(E.V_S, 0)
        asc.wait_flag(E.V_S, 0)
        done += 1
    for index in range(8):
        tally.set_value(index, done)
    asc.set_flag(E.S_MTE3, 0)
    asc.wait_flag(E.S_MTE3, 0)
    asc.data_copy(rounds, tally, 8)
    asc.set_flag(E.V_MTE3, 0)
    asc.wait_flag(E.V_MTE3, 0)
    asc.data_copy(source, local, 8)


@pytest.mark.parametrize("schedule", ["timed", "program", "adversarial", "random"])
@pytest.mark.parametrize("threads", [1, 4])
def test_control_flow_follows_the_data(schedule, threads):
    x = np.repeat(np.array([2.5, 0.0, 7.0, -3.0], np.float32), 8)
    wanted = np.repeat([3, 0, 7, 0], 8)
    steps = np.zeros(32, np.int32)
    with Device("Ascend950", schedule=schedule, threads=threads):
        first = countdown[4](x, steps)
        np.testing.assert_array_equal(steps, wanted)
        np.testing.assert_array_equal(x, np.repeat([-0.5, 0, 0, -3], 8))
        x[:] = 1
        again = countdown[4](x, steps)
        np.testing.assert_array_equal(steps, 1)
    assert not again.from_cache
    assert again.program.instruction_count != first.program.instruction_count


def test_global_memory_can_be_read_and_written_by_the_scalar_unit():
    @asc.jit
    def kernel(x: asc.GlobalAddress):
        memory = asc.GlobalTensor()
        memory.set_global_buffer(x)
        memory.set_value(1, memory.get_value(0) * 2)
        memory.set_value(2, memory.get_value(1) + 1)

    x = np.array([21, 0, 0], np.int16)
    with Device("Ascend910B"):
        kernel[1](x)
    np.testing.assert_array_equal(x, [21, 42, 43])


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.int8, np.uint64], ids=str)
def test_elements_keep_their_type(dtype):
    @asc.jit
    def kernel(x: asc.GlobalAddress):
        memory = asc.GlobalTensor()
        memory.set_global_buffer(x)
        memory.set_value(1, memory.get_value(0))

    x = np.array([3.5 if np.dtype(dtype).kind == "f" else np.iinfo(dtype).max, 0], dtype)
    with Device("Ascend950"):
        kernel[1](x)
    assert x[1] == x[0]


def test_reading_what_can_never_be_written_is_a_deadlock():
    @asc.jit
    def kernel(x: asc.GlobalAddress):
        local = asc.LocalTensor(asc.float32, asc.TPosition.VECCALC, 0, 8)
        asc.wait_flag(E.V_S, 0)
        local.get_value(0)

    with Device("Ascend950"), pytest.raises(DeadlockError, match=r"core 0 S: wait_flag V_S id 0"):
        kernel[1](np.zeros(8, np.float32))


def test_a_missing_flag_reads_stale_data():
    @asc.jit
    def kernel(x: asc.GlobalAddress, seen: list):
        source = asc.GlobalTensor()
        source.set_global_buffer(x)
        local = asc.LocalTensor(asc.float32, asc.TPosition.VECCALC, 0, 8)
        asc.data_copy(local, source, 8)
        seen.append(local.get_value(0))
        asc.set_flag(E.MTE2_S, 0)
        asc.wait_flag(E.MTE2_S, 0)
        seen.append(local.get_value(0))

    seen = []
    with Device("Ascend950"):
        kernel[1](np.full(8, 4, np.float32), seen)
    assert seen[0] != 4
    assert seen[1] == 4
