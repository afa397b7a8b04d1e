"""What acl promises beyond the plain calls: lifetimes, what a stream owes its tasks, arguments that do not fit."""

import re

import ml_dtypes
import numpy as np
import pytest

from emulator.errors import DeadlockError, GlobalMemoryError, LaunchError
from host_api import acl
from host_api.acl import MemcpyKind, Status
from host_api.errors import AclError

H2H, H2D = MemcpyKind.HOST_TO_HOST, MemcpyKind.HOST_TO_DEVICE
D2H, D2D = MemcpyKind.DEVICE_TO_HOST, MemcpyKind.DEVICE_TO_DEVICE


def message():
    return acl.get_recent_err_msg()


def raiser(error):
    def task():
        raise error

    return task


class TestDevice:
    def test_the_default_soc_does_not_contradict_an_open_device(self, bench_on):
        bench = bench_on("Ascend910B")
        assert acl.rt.set_device(0) == Status.SUCCESS
        assert bench.stream.device.soc.name == "Ascend910B"

    def test_the_device_stays_until_every_user_has_reset_it(self, bench):
        address = bench.upload(np.arange(4.0))
        assert acl.rt.set_device(0) == Status.SUCCESS
        assert acl.rt.reset_device(0) == Status.SUCCESS
        np.testing.assert_array_equal(bench.download(address, np.zeros(4)), np.arange(4.0))
        assert acl.rt.reset_device(0) == Status.SUCCESS
        assert acl.rt.malloc(4) == (Status.RT_CONTEXT_NULL, 0)

    @pytest.mark.parametrize("device_id", [1, -1, None, "0", 0.0])
    def test_ids(self, device_id):
        acl.init()
        assert acl.rt.set_device(device_id) == Status.RT_INVALID_DEVICEID == 107001
        assert repr(device_id) in message()

    def test_finalize_twice(self):
        acl.init()
        assert acl.finalize() == Status.SUCCESS
        assert acl.finalize() == Status.REPEAT_FINALIZE == 100037

    def test_reset_runs_what_the_streams_hold(self, bench):
        done = []
        bench.stream.submit(lambda: done.append(1))
        assert acl.rt.reset_device(0) == Status.SUCCESS
        assert done == [1]

    def test_a_failing_task_does_not_keep_the_device_open(self, bench):
        bench.stream.submit(raiser(GlobalMemoryError("gone")))
        assert acl.rt.reset_device(0) == Status.RT_PARAM_INVALID
        assert acl.rt.create_stream() == (Status.RT_CONTEXT_NULL, None)
        assert acl.rt.set_device(0, "Ascend910B") == Status.SUCCESS


class TestStreams:
    def test_destroying_runs_what_is_queued(self, bench):
        done = []
        bench.stream.submit(lambda: done.append(1))
        assert acl.rt.destroy_stream(bench.stream) == Status.SUCCESS
        assert done == [1]

    def test_destroying_reports_a_failure_and_destroys(self, bench):
        bench.stream.submit(raiser(LaunchError("no")))
        assert acl.rt.destroy_stream(bench.stream) == Status.RT_INTERNAL_ERROR
        assert acl.rt.synchronize_stream(bench.stream) == Status.RT_STREAM_CONTEXT

    def test_one_failing_stream_does_not_hold_up_the_others(self, bench):
        _, other = acl.rt.create_stream()
        done = []
        bench.stream.submit(raiser(LaunchError("first")))
        other.submit(lambda: done.append(1))
        assert acl.rt.synchronize_device() == Status.RT_INTERNAL_ERROR
        assert "first" in message()
        assert done == [1]

    def test_first_in_first_out(self, bench):
        done = []
        for number in range(20):
            bench.stream.submit(lambda number=number: done.append(number))
        assert bench.stream.pending == 20
        acl.rt.synchronize_stream(bench.stream)
        assert done == list(range(20))

    @pytest.mark.parametrize(
        ("error", "status"),
        [
            (DeadlockError(()), 507034),
            (LaunchError("words"), 507000),
            (GlobalMemoryError("words"), 107000),
            (AclError(Status.ACLNN_INNER_TILING_ERROR, "words"), 561002),
        ],
    )
    def test_the_status_says_what_kind_of_failure(self, bench, error, status):
        bench.stream.submit(raiser(error), label="myKernel")
        bench.stream.submit(lambda: None)
        assert acl.rt.synchronize_stream(bench.stream) == status
        shown = message()
        assert shown.startswith("myKernel: ")
        assert "1 more task(s) of the stream dropped" in shown

    def test_a_slip_in_python_is_not_swallowed(self, bench):
        bench.stream.submit(raiser(ZeroDivisionError("x")))
        bench.stream.submit(raiser(AssertionError("must not run")))
        with pytest.raises(ZeroDivisionError):
            acl.rt.synchronize_stream(bench.stream)
        assert bench.stream.pending == 0

    @pytest.mark.parametrize("stream", [None, 0, "stream"])
    @pytest.mark.parametrize("call", [acl.rt.synchronize_stream, acl.rt.destroy_stream])
    def test_what_is_no_stream(self, bench, call, stream):
        assert call(stream) == Status.RT_PARAM_INVALID
        assert repr(stream) in message()


class TestMalloc:
    @pytest.mark.parametrize("nbytes", [0, -1, 1.5, None, "8", True])
    def test_sizes(self, bench, nbytes):
        assert acl.rt.malloc(nbytes) == (Status.INVALID_PARAM, 0)
        assert repr(nbytes) in message()

    def test_exhaustion(self, bench):
        bench.stream.device.memory.capacity_bytes = 1000
        assert acl.rt.malloc(1001, label="big") == (Status.RT_MEMORY_ALLOCATION, 0)
        assert "1001 B for big" in message()
        assert acl.rt.malloc(1 << 62)[0] == Status.RT_MEMORY_ALLOCATION

    def test_the_label_names_the_memory(self, bench):
        _, address = acl.rt.malloc(8, label="gradients")
        assert acl.rt.memcpy(np.zeros(16, np.uint8), 16, address, 16, D2H) == Status.RT_PARAM_INVALID
        assert "gradients" in message()

    @pytest.mark.parametrize("address", [None, 0])
    def test_free_of_null(self, bench, address):
        assert acl.rt.free(address) == Status.INVALID_PARAM

    @pytest.mark.parametrize("shift", [1, 4, 8, 1 << 20])
    def test_free_of_what_malloc_did_not_give(self, bench, shift):
        _, address = acl.rt.malloc(8)
        assert acl.rt.free(address + shift) == Status.RT_PARAM_INVALID
        assert acl.rt.free(address) == Status.SUCCESS


class TestMemcpy:
    @pytest.fixture
    def address(self, bench):
        return bench.upload(np.arange(16, dtype=np.uint8))

    def content(self, bench, address):
        return bench.download(address, np.zeros(16, np.uint8)).tolist()

    @pytest.mark.parametrize("host", [bytes(16), bytearray(16), memoryview(bytes(16)), np.zeros((4, 4), np.int8)])
    def test_host_memory_of_every_kind(self, bench, address, host):
        assert acl.rt.memcpy(address, 16, host, 16, H2D) == Status.SUCCESS
        assert not any(self.content(bench, address))

    def test_bfloat16(self, bench, address):
        array = np.arange(8, dtype=ml_dtypes.bfloat16)
        acl.rt.memcpy(address, 16, array, 16, H2D)
        np.testing.assert_array_equal(bench.download(address, array), array)

    def test_host_to_host(self, bench):
        target = bytearray(4)
        assert acl.rt.memcpy(target, 4, b"abcd", 3, H2H) == Status.SUCCESS
        assert target == b"abc\0"

    def test_overlapping_device_memory_moves(self, bench, address):
        assert acl.rt.memcpy(address + 2, 14, address, 14, D2D) == Status.SUCCESS
        assert self.content(bench, address) == [0, 1, *range(14)]

    def test_the_number_of_a_kind_will_do(self, bench, address):
        assert acl.rt.memcpy(address, 16, bytes(16), 16, 1) == Status.SUCCESS

    def test_nothing_is_copied_from_nowhere(self, bench):
        assert acl.rt.memcpy(None, 0, None, 0, H2D) == Status.SUCCESS

    @pytest.mark.parametrize(
        ("arguments", "status", "words"),
        [
            (lambda a: (None, 16, bytes(16), 16, H2D), 100000, "dst is None"),
            (lambda a: (a, 16, None, 16, H2D), 100000, "src is None"),
            (lambda a: (0, 16, bytes(16), 16, H2D), 100000, "dst is 0"),
            (lambda a: (a, 16, bytes(16), 16, 9), 100000, "kind is 9"),
            (lambda a: (a, 16, bytes(16), None, H2D), 107000, "count is None"),
            (lambda a: (a, 16, bytes(16), 1.5, H2D), 107000, "count is 1.5"),
            (lambda a: (a, -1, bytes(16), 16, H2D), 107000, "dst_max is -1"),
            (lambda a: (a, 17, bytes(16), 16, H2D), 107000, "dst: 17 B .* end 1 B past"),
            (lambda a: (a, 16, bytes(15), 16, H2D), 107000, "src has 15 B, fewer than 16"),
            (lambda a: (a, 15, bytes(16), 16, H2D), 107000, "room for 15"),
            (lambda a: (a, 16, a + 1, 16, D2D), 107000, "src: 16 B from byte 1 .* end 1 B past"),
            (lambda a: (bytearray(20), 21, a, 16, D2H), 107000, "dst has 20 B, fewer than 21"),
            (lambda a: (a, 16, a, 16, H2D), 107000, "src is a int; HOST_TO_DEVICE takes an array"),
            (lambda a: (bytearray(16), 16, bytes(16), 16, H2D), 107000, "takes a device address"),
            (lambda a: (bytes(16), 16, a, 16, D2H), 107000, "dst is read-only"),
            (lambda a: (a, 16, np.zeros((4, 8), np.uint8)[:, ::2], 16, H2D), 107000, "src must be .*C-contiguous"),
            (lambda a: (a, 16, np.array([None] * 2), 16, H2D), 107000, "src must be"),
            (lambda a: (a, 16, [0] * 16, 16, H2D), 107000, "src is a list"),
            (lambda a: ("x", 16, bytes(16), 16, H2D), 107000, "dst: address is 'x'"),
        ],
    )
    def test_refusals_change_nothing(self, bench, address, arguments, status, words):
        assert acl.rt.memcpy(*arguments(address)) == status
        assert re.search(words, message())
        assert self.content(bench, address) == list(range(16))
