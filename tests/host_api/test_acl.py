"""The acl runtime: states, streams, memory, descriptions; failures leave device memory as it was."""

import numpy as np
import pytest

from host_api import acl
from host_api.acl import DataType, Format, MemcpyKind, Status
from host_api.errors import AclError

H2D, D2H, D2D = MemcpyKind.HOST_TO_DEVICE, MemcpyKind.DEVICE_TO_HOST, MemcpyKind.DEVICE_TO_DEVICE


def message():
    return acl.get_recent_err_msg()


class TestStates:
    def test_nothing_works_before_init(self):
        assert acl.rt.set_device(0) == Status.UNINITIALIZED
        assert "acl.init" in message()
        assert acl.rt.malloc(8) == (Status.UNINITIALIZED, 0)

    def test_init_twice(self, bench):
        assert acl.init() == Status.REPEAT_INITIALIZE

    def test_no_stream_or_memory_before_set_device(self):
        acl.init()
        assert acl.rt.create_stream() == (Status.RT_CONTEXT_NULL, None)
        assert "set_device" in message()
        assert acl.rt.malloc(8)[0] == Status.RT_CONTEXT_NULL

    def test_other_devices(self):
        acl.init()
        assert acl.rt.set_device(1) == Status.RT_INVALID_DEVICEID
        assert "device_id is 1" in message()

    def test_unknown_soc(self):
        acl.init()
        assert acl.rt.set_device(0, "Ascend9") != Status.SUCCESS
        assert "Ascend9" in message()

    def test_soc_from_the_environment(self, monkeypatch):
        monkeypatch.setenv("AIVEMU_SOC", "Ascend910B3")
        acl.init()
        assert acl.rt.set_device(0) == Status.SUCCESS
        assert acl.rt.set_device(0, "Ascend950") == Status.RT_PARAM_INVALID
        assert "Ascend910B3" in message()

    def test_a_message_is_read_once(self, bench):
        acl.init()
        assert message()
        assert not message()


class TestMemory:
    def test_round_trip(self, bench):
        data = np.arange(10, dtype=np.int16)
        np.testing.assert_array_equal(bench.download(bench.upload(data), data), data)

    def test_device_to_device(self, bench):
        data = np.arange(10, dtype=np.int16)
        a, b = bench.upload(data), bench.upload(np.zeros_like(data))
        assert acl.rt.memcpy(b, 20, a, 20, D2D) == Status.SUCCESS
        np.testing.assert_array_equal(bench.download(b, data), data)

    @pytest.mark.parametrize("nbytes", [0, -4])
    def test_malloc_of_nothing(self, bench, nbytes):
        assert acl.rt.malloc(nbytes) == (Status.INVALID_PARAM, 0)
        assert str(nbytes) in message()

    def test_double_free(self, bench):
        address = bench.upload(np.zeros(4))
        assert acl.rt.free(address) == Status.SUCCESS
        assert acl.rt.free(address) == Status.RT_PARAM_INVALID
        assert "freed" in message()

    @pytest.mark.parametrize(
        ("offset", "dst_max", "count", "words"),
        [(0, 100, 100, "past its end"), (0, 8, 16, "room for 8"), (36, 8, 8, "past its end"), (0, 40, -1, "-1")],
    )
    def test_copies_out_of_bounds_change_nothing(self, bench, offset, dst_max, count, words):
        data = np.arange(10, dtype=np.float32)
        address = bench.upload(data)
        source = np.full(100, 255, np.uint8)
        assert acl.rt.memcpy(address + offset, dst_max, source, count, H2D) == Status.RT_PARAM_INVALID
        assert words in message()
        np.testing.assert_array_equal(bench.download(address, data), data)

    def test_a_host_buffer_too_small(self, bench):
        address = bench.upload(np.zeros(10, np.float32))
        assert acl.rt.memcpy(np.zeros(2, np.float32), 40, address, 40, D2H) == Status.RT_PARAM_INVALID
        assert "8 B" in message()

    def test_reading_freed_memory(self, bench):
        address = bench.upload(np.zeros(4))
        acl.rt.free(address)
        assert acl.rt.memcpy(np.zeros(4), 32, address, 32, D2H) == Status.RT_PARAM_INVALID


class TestStreams:
    def test_work_waits_for_synchronize(self, bench):
        done = []
        bench.stream.submit(lambda: done.append(1))
        assert not done
        assert acl.rt.synchronize_stream(bench.stream) == Status.SUCCESS
        assert done == [1]

    def test_a_failure_drops_the_rest(self, bench):
        done = []

        def fail():
            raise AclError(Status.RT_PARAM_INVALID, "broken")

        bench.stream.submit(fail)
        bench.stream.submit(lambda: done.append(1))
        assert acl.rt.synchronize_stream(bench.stream) == Status.RT_PARAM_INVALID
        assert "broken" in message()
        assert acl.rt.synchronize_stream(bench.stream) == Status.SUCCESS
        assert not done

    def test_after_destroy(self, bench):
        assert acl.rt.destroy_stream(bench.stream) == Status.SUCCESS
        assert acl.rt.synchronize_stream(bench.stream) == Status.RT_STREAM_CONTEXT
        assert "destroyed" in message()
        assert acl.rt.destroy_stream(bench.stream) == Status.RT_STREAM_CONTEXT

    def test_reset_destroys_streams(self, bench):
        acl.rt.reset_device(0)
        assert acl.rt.synchronize_stream(bench.stream) == Status.RT_STREAM_CONTEXT

    def test_synchronize_device_runs_every_stream(self, bench):
        _, other = acl.rt.create_stream()
        done = []
        other.submit(lambda: done.append("other"))
        bench.stream.submit(lambda: done.append("first"))
        assert acl.rt.synchronize_device() == Status.SUCCESS
        assert done == ["first", "other"]

    def test_kernels_launch_on_a_stream(self, bench):
        from emulator import Device, asc

        @asc.jit
        def fill(x: asc.GlobalAddress):
            target = asc.GlobalTensor()
            target.set_global_buffer(x)
            local = asc.LocalTensor(asc.float32, addr=0, tile_size=8)
            asc.duplicate(local, 4.0, 8)
            asc.set_flag(asc.HardEvent.V_MTE3, 0)
            asc.wait_flag(asc.HardEvent.V_MTE3, 0)
            asc.data_copy(target, local, 8)

        x = np.zeros(8, np.float32)
        with Device("Ascend950"):
            fill[1, bench.stream](x)
            assert not x.any()
            acl.rt.synchronize_stream(bench.stream)
        np.testing.assert_array_equal(x, 4.0)


class TestDescriptions:
    def test_strides_and_offset_address_elements(self, bench):
        data = np.arange(6, dtype=np.float32).reshape(3, 2)
        tensor = bench.tensor(data, shape=(2, 3), strides=(1, 2))
        np.testing.assert_array_equal(tensor.view(bench.stream.device.memory), data.T)
        assert not tensor.is_contiguous

    @pytest.mark.parametrize(
        ("arguments", "words"),
        [
            (((2, -1), DataType.FLOAT, None, 0, Format.ND, None, 1), "(2, -1)"),
            (((2, 3), DataType.FLOAT, (1,), 0, Format.ND, None, 1), "1 entries"),
            (((2, 3), DataType.FLOAT, None, -1, Format.ND, None, 1), "offset is -1"),
            (((2, 3), DataType.FLOAT, (3, 1), 1, Format.ND, (2, 3), 1), "reaches element 6"),
        ],
    )
    def test_impossible_tensors(self, arguments, words):
        with pytest.raises(AclError) as caught:
            acl.create_tensor(*arguments)
        assert words in caught.value.message

    def test_destroying_twice(self, bench):
        tensor = bench.tensor(np.zeros(4))
        assert acl.destroy_tensor(tensor) == Status.SUCCESS
        assert acl.destroy_tensor(tensor) == Status.INVALID_PARAM

    def test_numeric_values_are_those_of_the_c_header(self):
        names = ("FLOAT", "FLOAT16", "INT64", "DOUBLE", "BOOL", "COMPLEX64", "BF16")
        assert [DataType[name].value for name in names] == [
            0, 1, 9, 11, 12, 16, 27,
        ]  # fmt: skip
