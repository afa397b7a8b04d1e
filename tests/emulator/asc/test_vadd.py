"""The two vector additions of pyasc's tutorials: queues that own their buffers, and hand-placed tensors with flags."""

from dataclasses import dataclass

import numpy as np
import pytest

from emulator import Device, asc

TILES, BUFFERS = 8, 2


@asc.jit
def vadd_queues(x: asc.GlobalAddress, y: asc.GlobalAddress, z: asc.GlobalAddress, block_length: int):
    offset = asc.get_block_idx() * block_length
    tile = block_length // TILES // BUFFERS
    sources, target = [asc.GlobalTensor(), asc.GlobalTensor()], asc.GlobalTensor()
    sources[0].set_global_buffer(x + offset)
    sources[1].set_global_buffer(y + offset)
    target.set_global_buffer(z + offset)
    pipe = asc.TPipe()
    inputs = [asc.TQue(asc.TPosition.VECIN, BUFFERS) for _ in sources]
    output = asc.TQue(asc.TPosition.VECOUT, BUFFERS)
    for queue in (*inputs, output):
        pipe.init_buffer(queue, BUFFERS, tile * x.dtype.sizeof())
    for i in range(TILES * BUFFERS):
        for queue, source in zip(inputs, sources, strict=True):
            local = queue.alloc_tensor(x.dtype)
            asc.data_copy(local, source[i * tile :], tile)
            queue.enque(local)
        a, b = (queue.deque(x.dtype) for queue in inputs)
        c = output.alloc_tensor(x.dtype)
        asc.add(c, a, b, tile)
        output.enque(c)
        for queue, local in zip(inputs, (a, b), strict=True):
            queue.free_tensor(local)
        c = output.deque(x.dtype)
        asc.data_copy(target[i * tile :], c, tile)
        output.free_tensor(c)


@asc.jit
def vadd_flags(x: asc.GlobalAddress, y: asc.GlobalAddress, z: asc.GlobalAddress, block_length: int):
    offset = asc.get_block_idx() * block_length
    tile = block_length // TILES // BUFFERS
    tensors = [asc.GlobalTensor() for _ in range(3)]
    for tensor, address in zip(tensors, (x, y, z), strict=True):
        tensor.set_global_buffer(address + offset, block_length)
    nbytes = tile * BUFFERS * x.dtype.sizeof()
    positions = (asc.TPosition.VECIN, asc.TPosition.VECIN, asc.TPosition.VECOUT)
    a, b, c = (asc.LocalTensor(x.dtype, pos, index * nbytes, tile * BUFFERS) for index, pos in enumerate(positions))
    for i in range(TILES * BUFFERS):
        half = i % BUFFERS * tile
        asc.data_copy(a[half:], tensors[0][i * tile :], tile)
        asc.data_copy(b[half:], tensors[1][i * tile :], tile)
        asc.set_flag(asc.HardEvent.MTE2_V, i % BUFFERS)
        asc.wait_flag(asc.HardEvent.MTE2_V, i % BUFFERS)
        asc.add(c[half:], a[half:], b[half:], tile)
        asc.set_flag(asc.HardEvent.V_MTE3, i % BUFFERS)
        asc.wait_flag(asc.HardEvent.V_MTE3, i % BUFFERS)
        asc.data_copy(tensors[2][i * tile :], c[half:], tile)
        asc.set_flag(asc.HardEvent.MTE3_MTE2, i % BUFFERS)
        asc.wait_flag(asc.HardEvent.MTE3_MTE2, i % BUFFERS)


def operands(dtype, count=8 * 2048):
    generator = np.random.default_rng(7)
    return (
        generator.normal(size=count).astype(dtype),
        generator.normal(size=count).astype(dtype),
        np.zeros(count, dtype),
    )


@pytest.mark.parametrize("kernel", [vadd_queues, vadd_flags], ids=lambda kernel: kernel.name)
@pytest.mark.parametrize("soc", ["Ascend910B", "Ascend950"])
@pytest.mark.parametrize("schedule", ["timed", "program", "adversarial", "random"])
@pytest.mark.parametrize("dtype", [np.float32, np.float16, np.int32])
def test_adds_in_place(kernel, soc, schedule, dtype):
    x, y, z = operands(dtype)
    with Device(soc, schedule=schedule, seed=3) as device:
        result = kernel[8](x, y, z, 2048)
        assert device.memory.live == 0
    np.testing.assert_array_equal(z, x + y)
    assert (result.cycles is None) == (schedule != "timed")


def test_a_second_launch_uses_the_recorded_program():
    x, y, z = operands(np.float32)
    with Device("Ascend910B"):
        first = vadd_queues[8](x, y, z, 2048)
        z[:] = 0
        again = vadd_queues[8](x, y, z, 2048)
        other = vadd_queues[8](x[: 8 * 1024], y[: 8 * 1024], z[: 8 * 1024], 1024)
    assert again.program is first.program
    assert again.from_cache
    assert other.program is not first.program
    np.testing.assert_array_equal(z, x + y)


@asc.jit
def times_factor(z: asc.GlobalAddress, count: int, factor):
    source = asc.GlobalTensor()
    source.set_global_buffer(z)
    pipe = asc.TPipe()
    buffer = asc.TBuf(asc.TPosition.VECCALC)
    pipe.init_buffer(buf=buffer, num=count * 4)
    ones = buffer.get(asc.float32)
    asc.duplicate(ones, 1.0, count)
    asc.muls(ones, ones, factor.value if isinstance(factor, Factor) else factor, count)
    asc.set_flag(asc.HardEvent.V_MTE3, 0)
    asc.wait_flag(asc.HardEvent.V_MTE3, 0)
    asc.data_copy(source, ones, count)


@dataclass(frozen=True)
class Factor:
    value: float


@pytest.mark.parametrize("wrap", [float, np.float32, Factor, lambda value: Factor(np.float32(value))])
def test_zeros_of_both_signs_are_different_arguments(wrap):
    z = np.ones(64, np.float32)
    with Device("Ascend910B"):
        for factor in (0.0, -0.0, 0.0):
            times_factor[1](z, 64, wrap(factor))
            np.testing.assert_array_equal(np.signbit(z), np.signbit(np.full(64, factor)))


def test_queues_overlap_copy_and_compute():
    x, y, z = operands(np.float32)
    with Device("Ascend910B"):
        queued = vadd_queues[8](x, y, z, 2048).cycles
        serial = vadd_flags[8](x, y, z, 2048).cycles
    assert queued < 0.8 * serial


def test_disassembly_shows_pipes_operands_and_lines():
    x, y, z = operands(np.float32)
    with Device("Ascend910B"):
        text = vadd_queues[8](x, y, z, 2048).program.disassemble(core=1)
    lines = text.splitlines()
    assert "MTE2 data_copy       ub[0x0], gm x[+8192], 512 B" in lines[0]
    assert lines[0].rstrip().endswith(f"test_vadd.py:{vadd_queues.function.__code__.co_firstlineno + 16}")
    assert any("V    add" in line and "count=128, float32" in line for line in lines)
    assert any("wait_flag       V_MTE2 id" in line for line in lines)


def test_a_changed_global_records_again(monkeypatch):
    x, y, z = operands(np.float32)
    with Device("Ascend910B"):
        before = vadd_queues[8](x, y, z, 2048).program.instruction_count
        monkeypatch.setitem(vadd_queues.function.__globals__, "TILES", 4)
        after = vadd_queues[8](x, y, z, 2048).program.instruction_count
    assert after < before
    np.testing.assert_array_equal(z, x + y)
