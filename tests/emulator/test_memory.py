"""Global memory: addresses, bounds, lifetimes, and the words of every refusal."""

import gc
import re
import weakref

import ml_dtypes
import numpy as np
import pytest

from emulator.errors import GlobalMemoryError
from emulator.memory import GUARD_BYTES, POISON_BYTE, GlobalMemory


@pytest.fixture
def memory():
    return GlobalMemory()


class TestAllocate:
    @pytest.mark.parametrize("nbytes", [1, 31, 512, 513, 100_000])
    def test_aligned_on_device_and_host(self, memory, nbytes):
        address = memory.allocate(nbytes)
        allocation = memory.find(address)
        assert address % 512 == 0
        assert allocation.buffer.ctypes.data % 64 == 0
        assert (allocation.nbytes, allocation.buffer.shape, allocation.buffer.dtype) == (nbytes, (nbytes,), np.uint8)

    def test_poisoned(self, memory):
        assert np.all(memory.read(memory.allocate(1000), 1000) == POISON_BYTE)
        assert POISON_BYTE == 0xA5

    def test_guard_gap(self, memory):
        first, second = memory.allocate(1), memory.allocate(1)
        assert second - (first + 1) >= GUARD_BYTES >= 4096
        assert first >= GUARD_BYTES

    def test_addresses_are_never_used_again(self, memory):
        seen = set()
        for _ in range(50):
            address = memory.allocate(64)
            assert address not in seen
            seen.add(address)
            memory.free(address)

    def test_takes_numpy_integers(self, memory):
        address = memory.allocate(np.int64(16))
        assert memory.view(np.int64(address), np.int32(16)).nbytes == 16

    @pytest.mark.parametrize("nbytes", [0, -1])
    def test_needs_a_byte(self, memory, nbytes):
        with pytest.raises(GlobalMemoryError, match=f"cannot allocate {nbytes} B for x: at least 1"):
            memory.allocate(nbytes, label="x")
        assert memory.live == 0

    @pytest.mark.parametrize("nbytes", [True, 1.5, "8", None])
    def test_needs_an_integer(self, memory, nbytes):
        with pytest.raises(GlobalMemoryError, match=f"nbytes is {re.escape(repr(nbytes))}; an integer"):
            memory.allocate(nbytes)

    @pytest.mark.parametrize("nbytes", [1 << 62, 1 << 70])
    def test_more_than_the_host_has(self, memory, nbytes):
        with pytest.raises(GlobalMemoryError, match="host has not so much"):
            memory.allocate(nbytes, label="huge")
        assert (memory.live, memory.allocated_bytes) == (0, 0)


class TestCapacity:
    def test_exhaustion_names_what_is_in_use(self):
        memory = GlobalMemory(capacity_bytes=1000)
        memory.allocate(600)
        with pytest.raises(GlobalMemoryError, match="cannot allocate 401 B for y: 600 of 1000 B are in use"):
            memory.allocate(401, label="y")
        memory.allocate(400)

    def test_freeing_gives_back(self):
        memory = GlobalMemory(capacity_bytes=1000)
        memory.free(memory.allocate(1000))
        memory.allocate(1000)

    def test_bound_arrays_do_not_count(self):
        memory = GlobalMemory(capacity_bytes=10)
        address = memory.bind(np.zeros(100, np.uint8))
        assert memory.allocated_bytes == 100
        memory.allocate(10)
        memory.unbind(address)
        assert memory.allocated_bytes == 10


class TestBind:
    @pytest.mark.parametrize("dtype", [np.float32, np.float16, np.bool_, np.complex64, ml_dtypes.bfloat16])
    def test_shares_memory(self, memory, dtype):
        array = np.zeros((3, 4), dtype)
        address = memory.bind(array)
        assert np.shares_memory(memory.view(address, array.nbytes), array)
        memory.write(address, np.ones((3, 4), dtype))
        assert np.all(array == np.ones((), dtype))

    def test_scalar_array(self, memory):
        array = np.array(1.5, np.float32)
        assert memory.read(memory.bind(array), 4).view(np.float32)[0] == 1.5

    def test_keeps_the_array_alive_until_unbound(self, memory):
        class Tracked(np.ndarray):
            pass

        array = np.zeros(8, np.uint8).view(Tracked)
        gone = weakref.ref(array)
        address = memory.bind(array)
        del array
        gc.collect()
        assert gone() is not None
        memory.unbind(address)
        gc.collect()
        assert gone() is None

    def test_read_only_on_request(self, memory):
        array = np.arange(4, dtype=np.uint8)
        address = memory.bind(array, label="x", writable=False)
        with pytest.raises(GlobalMemoryError, match=r"4 B cannot be written to x at 0x\w+ \(4 B\): it is read-only"):
            memory.write(address, b"1234")
        with pytest.raises(ValueError, match="read-only"):
            memory.view(address, 4)[0] = 1
        assert array.tolist() == [0, 1, 2, 3]
        array[0] = 9
        assert memory.read(address, 1)[0] == 9

    def test_read_only_array_stays_so(self, memory):
        array = np.arange(4, dtype=np.uint8)
        array.flags.writeable = False
        assert not memory.find(memory.bind(array, writable=True)).writable

    @pytest.mark.parametrize(
        ("array", "words"),
        [
            (np.zeros((4, 4))[:, ::2], r"shape \(4, 2\) with strides \(32, 16\) B is not C-contiguous"),
            (np.zeros((4, 2)).T, "not C-contiguous"),
            (np.zeros((2, 0)), r"shape \(2, 0\) has no bytes"),
            (np.array([None]), "dtype object"),
            ([1, 2], "is a list; only a NumPy array"),
        ],
    )
    def test_refuses(self, memory, array, words):
        with pytest.raises(GlobalMemoryError, match=f"^features .*{words}"):
            memory.bind(array, label="features")
        assert memory.live == 0

    def test_unbinding_leaves_the_array(self, memory):
        array = np.arange(4, dtype=np.int32)
        memory.unbind(memory.bind(array))
        assert array.tolist() == [0, 1, 2, 3]


class TestRelease:
    def test_counts(self, memory):
        a, b = memory.allocate(100), memory.allocate(28)
        c = memory.bind(np.zeros(3, np.uint8))
        assert (memory.live, memory.allocated_bytes) == (3, 131)
        memory.free(a)
        memory.unbind(c)
        assert (memory.live, memory.allocated_bytes) == (1, 28)
        memory.free(b)
        assert (memory.live, memory.allocated_bytes) == (0, 0)

    def test_double_free(self, memory):
        address = memory.allocate(8, label="x")
        memory.free(address)
        with pytest.raises(GlobalMemoryError, match=rf"x at {address:#x} \(8 B\) was freed before"):
            memory.free(address)

    @pytest.mark.parametrize("offset", [1, 7, 8])
    def test_free_of_an_inner_address(self, memory, offset):
        address = memory.allocate(8, label="x")
        with pytest.raises(GlobalMemoryError, match=rf"not the start of an allocation: it is byte {offset} of x"):
            memory.free(address + offset)
        assert memory.live == 1

    @pytest.mark.parametrize("address", [0, 1, 1 << 63, -5])
    def test_free_of_an_unknown_address(self, memory, address):
        memory.allocate(8, label="x")
        with pytest.raises(GlobalMemoryError, match=f"{address:#x} is no address of global memory: .* x at"):
            memory.free(address)

    def test_free_with_nothing_allocated(self, memory):
        with pytest.raises(GlobalMemoryError, match="0x10 is no address of global memory: nothing is allocated"):
            memory.free(16)

    def test_free_and_unbind_do_not_mix(self, memory):
        allocated, bound = memory.allocate(8, label="a"), memory.bind(np.zeros(8, np.uint8), label="b")
        with pytest.raises(GlobalMemoryError, match=r"a .*was allocated, not bound: free it"):
            memory.unbind(allocated)
        with pytest.raises(GlobalMemoryError, match=r"b .*is a bound array: unbind it"):
            memory.free(bound)
        assert memory.live == 2

    def test_free_gives_host_memory_back(self, memory):
        address = memory.allocate(8)
        allocation = memory.find(address)
        memory.free(address)
        assert allocation.freed
        assert allocation.buffer.nbytes == 0


class TestFind:
    def test_overshoot_is_told_in_full(self, memory):
        address = memory.allocate(100, label="gradients")
        with pytest.raises(
            GlobalMemoryError,
            match=rf"^16 B from byte 96 of gradients at {address:#x} \(100 B\) end 12 B past its end$",
        ):
            memory.find(address + 96, 16)

    def test_one_past_the_end(self, memory):
        address = memory.allocate(100, label="x")
        with pytest.raises(GlobalMemoryError, match=r"1 B from byte 100 of x .* end 1 B past"):
            memory.find(address + 100)
        memory.find(address + 100, 0)

    def test_freed_is_said(self, memory):
        address = memory.allocate(100, label="x")
        memory.free(address)
        for use in (lambda: memory.find(address), lambda: memory.view(address, 4), lambda: memory.write(address, b"1")):
            with pytest.raises(GlobalMemoryError, match=r"of x at 0x\w+ \(100 B\): it was freed"):
                use()

    def test_the_gap_names_its_neighbour(self, memory):
        address = memory.allocate(100, label="x")
        second = memory.allocate(8, label="y")
        with pytest.raises(GlobalMemoryError, match=r"4 B from .* lie in no allocation .*: 20 B past the end of x"):
            memory.find(address + 120, 4)
        with pytest.raises(GlobalMemoryError, match="2 B before the start of y"):
            memory.find(second - 2, 4)
        memory.free(second)
        with pytest.raises(GlobalMemoryError, match=r"before the start of y .*, which was freed"):
            memory.find(second - 2, 4)

    def test_no_allocation_reaches_another(self, memory):
        first, second = memory.allocate(512, label="x"), memory.allocate(512)
        with pytest.raises(GlobalMemoryError, match="of x"):
            memory.find(first, second - first + 8)

    def test_negative_size(self, memory):
        with pytest.raises(GlobalMemoryError, match="cannot be negative"):
            memory.view(memory.allocate(8), -1)


class TestAccess:
    def test_a_view_is_no_copy_and_a_read_is_one(self, memory):
        address = memory.allocate(16)
        view, copy = memory.view(address + 4, 8), memory.read(address + 4, 8)
        view[:] = 7
        assert memory.read(address, 16).tolist() == [0xA5] * 4 + [7] * 8 + [0xA5] * 4
        assert np.all(copy == 0xA5)

    @pytest.mark.parametrize("data", [b"\1\2\3\4", bytearray(b"\1\2\3\4"), memoryview(b"\1\2\3\4")])
    def test_write_takes_bytes(self, memory, data):
        address = memory.allocate(8)
        memory.write(address + 2, data)
        assert memory.read(address, 8).tolist() == [0xA5, 0xA5, 1, 2, 3, 4, 0xA5, 0xA5]

    def test_write_takes_any_array_in_c_order(self, memory):
        address = memory.allocate(24)
        array = np.arange(6, dtype=np.int32).reshape(2, 3).T
        memory.write(address, array)
        assert memory.read(address, 24).view(np.int32).tolist() == [0, 3, 1, 4, 2, 5]

    def test_a_refused_write_changes_nothing(self, memory):
        address = memory.allocate(8)
        with pytest.raises(GlobalMemoryError, match="1 B past its end"):
            memory.write(address + 5, b"1234")
        assert np.all(memory.read(address, 8) == 0xA5)

    def test_overlapping_copy_moves(self, memory):
        address = memory.allocate(8)
        memory.write(address, bytes(range(8)))
        memory.write(address + 2, memory.view(address, 6))
        assert memory.read(address, 8).tolist() == [0, 1, 0, 1, 2, 3, 4, 5]
