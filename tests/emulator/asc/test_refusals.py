"""Bad operands are refused at the author's line, naming argument, value and limit, before any data moves."""

import numpy as np
import pytest

from emulator import (
    Device,
    EmulatorError,
    GlobalMemoryError,
    LaunchError,
    OperandError,
    SocError,
    UbCapacityError,
    asc,
)

COUNT = 64


def copy_past_the_end(x, t):
    asc.data_copy_pad(x[60:], t, asc.DataCopyExtParams(1, 64, 0, 0))


def read_past_the_end(x, t):
    asc.data_copy(t, x[56:], 16)


def buffer_larger_than_ub(x, t):
    pipe = asc.TPipe()
    pipe.init_buffer(asc.TBuf(), 300_000)


def buffers_larger_than_ub_together(x, t):
    pipe = asc.TPipe()
    pipe.init_buffer(asc.TQue(asc.TPosition.VECIN, 2), 2, 100_000)
    pipe.init_buffer(asc.TBuf(), 100_000)


def event_id_out_of_range(x, t):
    asc.set_flag(asc.HardEvent.MTE2_V, 8)


def mixed_types(x, t):
    asc.add(t, t.reinterpret_cast(asc.float16), t, COUNT)


def unsupported_type(x, t):
    asc.exp(t.reinterpret_cast(asc.int32), t.reinterpret_cast(asc.int32), 8)


def misaligned(x, t):
    asc.abs(t[1:], t[8:], 8)


def past_the_tensor(x, t):
    asc.add(t, t, t, COUNT + 1)


def negative_count(x, t):
    asc.abs(t, t, -1)


def partial_overlap(x, t):
    asc.muls(t[8:], t, 2.0, 32)


def widening_in_place(x, t):
    asc.cast(t, t.reinterpret_cast(asc.float16), asc.RoundMode.CAST_NONE, 32)


def tail_of_a_plain_copy(x, t):
    asc.data_copy(t, x, 3)


def too_many_blocks(x, t):
    asc.data_copy_pad(t, x, asc.DataCopyExtParams(4096, 4, 0, 0))


def length_no_multiple_of_the_element(x, t):
    asc.data_copy_pad(t, x, asc.DataCopyExtParams(1, 6, 0, 0))


def pad_wider_than_a_block(x, t):
    asc.data_copy_pad(t, x, asc.DataCopyExtParams(1, 4, 0, 0), asc.DataCopyPadExtParams(asc.float32, True, 9, 0, 0))


def six_dimensions(x, t):
    asc.data_copy(t, x, asc.NdDmaParams(asc.NdDmaLoopInfo((1,) * 6, (0,) * 6, (0,) * 6)))


def empty_loop(x, t):
    asc.data_copy(t, x, asc.NdDmaParams(asc.NdDmaLoopInfo((4, 0), (1, 4), (1, 4))))


def compare_of_a_partial_repeat(x, t):
    asc.compare(t.reinterpret_cast(asc.uint8), t, t, asc.CMPMODE.GT, 32)


def round_mode_without_meaning(x, t):
    asc.cast(t.reinterpret_cast(asc.int32), t, asc.RoundMode.CAST_ODD, 8)


def scalar_barrier(x, t):
    asc.pipe_barrier(asc.PipeID.PIPE_S)


def registers_outside_a_vector_function(x, t):
    asc.reg.RegTensor(asc.float32)


def deque_from_nothing(x, t):
    pipe = asc.TPipe()
    queue = asc.TQue(asc.TPosition.VECIN, 1)
    pipe.init_buffer(queue, 1, 64)
    queue.deque(asc.float32)


def unbound_tensor(x, t):
    asc.data_copy(t, asc.GlobalTensor(), 8)


CASES = [
    (copy_past_the_end, GlobalMemoryError, r"bytes 240\.\.304 of x, which has 256 B: 48 B past its end"),
    (read_past_the_end, GlobalMemoryError, r"reads bytes 224\.\.288 of x"),
    (buffer_larger_than_ub, UbCapacityError, r"300000|300032.*253952"),
    (buffers_larger_than_ub_together, UbCapacityError, r"1 x 100000 B, but only 53952 of 253952 B.*TQue VECIN"),
    (event_id_out_of_range, OperandError, r"event_id is 8; Ascend950 has ids 0\.\.7"),
    (mixed_types, OperandError, r"src0 holds float16.*float32"),
    (unsupported_type, OperandError, r"exp on dav-3510 takes float16, float32, not int32"),
    (misaligned, OperandError, r"dst .* byte 4, which is not a multiple of 32"),
    (past_the_tensor, UbCapacityError, r"needs 260 B but .* has 256 B"),
    (negative_count, OperandError, r"count is -1"),
    (partial_overlap, OperandError, r"overlaps src .* in part"),
    (widening_in_place, OperandError, r"overlaps src"),
    (tail_of_a_plain_copy, OperandError, r"3 x float32 is 12 B; it moves whole blocks of 32 B"),
    (too_many_blocks, OperandError, r"block_count is 4096; the hardware takes 0\.\.4095"),
    (length_no_multiple_of_the_element, OperandError, r"block_len 6 B is no multiple of the 4 B"),
    (pad_wider_than_a_block, OperandError, r"left_padding is 9; the hardware takes 0\.\.8"),
    (six_dimensions, OperandError, r"number of loops is 6; the hardware takes 1\.\.5"),
    (empty_loop, OperandError, r"loop_size\[1\] is 0"),
    (compare_of_a_partial_repeat, OperandError, r"128 B, no multiple of 256"),
    (round_mode_without_meaning, OperandError, r"CAST_CEIL.*not .*CAST_ODD"),
    (scalar_barrier, OperandError, r"PIPE_S"),
    (registers_outside_a_vector_function, OperandError, r"vf_call"),
    (deque_from_nothing, OperandError, r"empty"),
    (unbound_tensor, OperandError, r"set_global_buffer"),
]


@pytest.mark.parametrize(("body", "error", "message"), CASES, ids=lambda case: getattr(case, "__name__", None))
def test_refused_at_the_authors_line(body, error, message):
    @asc.jit
    def kernel(x: asc.GlobalAddress):
        source = asc.GlobalTensor()
        source.set_global_buffer(x)
        tensor = asc.LocalTensor(asc.float32, asc.TPosition.VECCALC, 0, COUNT)
        asc.data_copy(source, tensor, COUNT)
        body(source, tensor)

    x = np.arange(COUNT, dtype=np.float32)
    with Device("Ascend950"), pytest.raises(error, match=message) as caught:
        kernel[1](x)
    assert caught.value.location.file == __file__
    assert caught.value.location.function == body.__name__
    np.testing.assert_array_equal(x, np.arange(COUNT))


def test_the_older_generation_lacks_registers_and_nddma():
    @asc.simd_vf
    def nothing(t):
        pass

    @asc.jit
    def registers(x: asc.GlobalAddress):
        asc.vf_call(nothing, asc.LocalTensor(asc.float32, addr=0, tile_size=8))

    @asc.jit
    def box(x: asc.GlobalAddress):
        source = asc.GlobalTensor()
        source.set_global_buffer(x)
        asc.data_copy(
            asc.LocalTensor(asc.float32, addr=0, tile_size=8),
            source,
            asc.NdDmaParams(asc.NdDmaLoopInfo((8,), (1,), (1,))),
        )

    x = np.zeros(8, np.float32)
    with Device("Ascend910B"):
        with pytest.raises(OperandError, match="no register level"):
            registers[1](x)
        with pytest.raises(OperandError, match="NDDMA"):
            box[1](x)


class TestLaunch:
    @staticmethod
    @asc.jit
    def kernel(x: asc.GlobalAddress, n: int):
        pass

    def test_outside_a_device(self):
        with pytest.raises(LaunchError, match="with Device"):
            self.kernel[1](np.zeros(4, np.float32), 1)

    def test_called_without_a_launch(self):
        with pytest.raises(LaunchError, match=r"kernel\[core_num\]"):
            self.kernel(np.zeros(4, np.float32), 1)

    @pytest.mark.parametrize("cores", [0, 65, -1, 1.5, "8"])
    def test_core_count(self, cores):
        with Device("Ascend950") as device, pytest.raises(LaunchError, match=r"1\.\.64"):
            device.launch(self.kernel, cores, (np.zeros(4, np.float32), 1))

    @pytest.mark.parametrize(
        ("x", "message"),
        [
            (np.zeros(4, np.complex64), "complex64"),
            (np.zeros((4, 4), np.float32)[:, ::2], "C-contiguous"),
            (3, "NumPy array"),
        ],
    )
    def test_arguments(self, x, message):
        with Device("Ascend950"), pytest.raises(LaunchError, match=message):
            self.kernel[1](x, 1)

    def test_missing_argument(self):
        with Device("Ascend950"), pytest.raises(LaunchError, match="'n'"):
            self.kernel[1](np.zeros(4, np.float32))

    def test_read_only_output(self):
        @asc.jit
        def store(x: asc.GlobalAddress):
            target = asc.GlobalTensor()
            target.set_global_buffer(x)
            asc.data_copy(target, asc.LocalTensor(asc.float32, addr=0, tile_size=8), 8)

        x = np.zeros(8, np.float32)
        x.flags.writeable = False
        with Device("Ascend950"), pytest.raises(GlobalMemoryError, match="x, which is read-only"):
            store[1](x)

    def test_freed_memory(self):
        with Device("Ascend950") as device:
            address = device.memory.allocate(64, label="weights")
            tensor = device.tensor(address, asc.float32, 16)
            device.memory.free(address)
            with pytest.raises(EmulatorError, match=r"weights.*freed"):
                self.kernel[1](tensor, 1)

    def test_closed_device(self):
        with Device("Ascend950") as device:
            pass
        with pytest.raises(LaunchError, match="closed"):
            device.launch(self.kernel, 1, (np.zeros(4, np.float32), 1))

    @pytest.mark.parametrize(
        ("arguments", "message"),
        [
            ({"soc": "Ascend95"}, "did you mean Ascend950"),
            ({"cores": 0}, "cores is 0"),
            ({"ub_bytes": 300_000}, "262144"),
            ({"ub_bytes": 100}, "multiple of 32"),
            ({"schedule": "fast"}, "timed, program"),
        ],
    )
    def test_device_arguments(self, arguments, message):
        with pytest.raises((SocError, LaunchError), match=message):
            Device(**arguments)
