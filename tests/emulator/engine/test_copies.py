"""Copies against the reference's worked examples and against an element-by-element model."""

import itertools
import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from emulator import Device, asc

EXAMPLES = {
    example["id"]: example
    for example in json.loads((Path(__file__).parents[2] / "oracle" / "api_examples.json").read_text())
}
UB_ELEMENTS = 4096
ND_TYPES = [np.uint8, np.float16, np.float32, np.int64]


@asc.jit
def load(x: asc.GlobalAddress, z: asc.GlobalAddress, params, pad=None, padded: bool = False):
    """Copy into poisoned UB, then all of that UB out."""
    source, target = asc.GlobalTensor(), asc.GlobalTensor()
    source.set_global_buffer(x)
    target.set_global_buffer(z)
    count = target.get_size()
    local = asc.LocalTensor(x.dtype, asc.TPosition.VECIN, 0, count)
    if padded:
        asc.data_copy_pad(local, source, params, pad)
    else:
        asc.data_copy(local, source, params)
    asc.set_flag(asc.HardEvent.MTE2_MTE3, 0)
    asc.wait_flag(asc.HardEvent.MTE2_MTE3, 0)
    asc.data_copy(target, local, count)


@asc.jit
def store(x: asc.GlobalAddress, z: asc.GlobalAddress, params):
    """Copy all of x into UB, then store with ``params``."""
    source, target = asc.GlobalTensor(), asc.GlobalTensor()
    source.set_global_buffer(x)
    target.set_global_buffer(z)
    local = asc.LocalTensor(x.dtype, asc.TPosition.VECIN, 0, source.get_size())
    asc.data_copy(local, source, source.get_size())
    asc.set_flag(asc.HardEvent.MTE2_MTE3, 0)
    asc.wait_flag(asc.HardEvent.MTE2_MTE3, 0)
    asc.data_copy_pad(target, local, params)


def loaded(source, params, pad=None, *, padded=False, count=UB_ELEMENTS, soc="Ascend950"):
    out = np.zeros(count, source.dtype)
    with Device(soc):
        load[1](source, out, params, pad, padded)
    return out


def poison(dtype):
    return np.full(UB_ELEMENTS * np.dtype(dtype).itemsize, 0xA5, np.uint8).view(dtype)


class TestNdDma:
    @pytest.mark.parametrize(
        "name", ["nddma_pad2d_const_16x32_to_32x64", "nddma_transpose_16x64", "nddma_broadcast_1x16_to_3x16"]
    )
    def test_worked_examples(self, name):
        example = EXAMPLES[name]
        given_, wanted = example["params"], np.array(example["expected"], np.float32)
        sizes = example["inputs"]["src"].split("reshape([")[1].split("]")[0].split(",")
        source = np.arange(1, np.prod([int(size) for size in sizes]) + 1, dtype=np.float32)
        info = asc.NdDmaLoopInfo(
            tuple(given_["loopSize"]),
            tuple(given_["loopSrcStride"]),
            tuple(given_["loopDstStride"]),
            tuple(given_["loopLpSize"]),
            tuple(given_["loopRpSize"]),
        )
        got = loaded(source, asc.NdDmaParams(info, given_["constantValue"], given_["nearest"]))
        np.testing.assert_array_equal(got[: wanted.size].reshape(wanted.shape), wanted)

    @settings(deadline=None, max_examples=60)
    @given(st.data())
    def test_against_a_loop_over_elements(self, data):
        dtype = data.draw(st.sampled_from(ND_TYPES))
        dims = data.draw(st.integers(1, 5))
        sizes = [data.draw(st.integers(1, 4)) for _ in range(dims)]
        sources = [data.draw(st.integers(0, 9)) for _ in range(dims)]
        lefts = [data.draw(st.integers(0, 2)) for _ in range(dims)]
        rights = [data.draw(st.integers(0, 2)) for _ in range(dims)]
        nearest = np.dtype(dtype).itemsize < 8 and data.draw(st.booleans())
        constant = 0 if np.dtype(dtype).itemsize == 8 else 7
        targets, step = [], 1
        for size, left, right in zip(sizes, lefts, rights, strict=True):
            targets.append(step)
            step *= size + left + right
        if step > UB_ELEMENTS:
            return
        source = np.arange(1, 200).astype(dtype)
        info = asc.NdDmaLoopInfo(tuple(sizes), tuple(sources), tuple(targets), tuple(lefts), tuple(rights))
        got = loaded(source, asc.NdDmaParams(info, constant, nearest))
        wanted = poison(dtype)
        extents = [range(left + size + right) for size, left, right in zip(sizes, lefts, rights, strict=True)]
        for position in itertools.product(*extents):
            inner = [p - left for p, left in zip(position, lefts, strict=True)]
            clamped = [min(max(i, 0), size - 1) for i, size in zip(inner, sizes, strict=True)]
            place = sum(p * stride for p, stride in zip(position, targets, strict=True))
            value = source[sum(i * stride for i, stride in zip(clamped, sources, strict=True))]
            wanted[place] = value if nearest or inner == clamped else constant
        np.testing.assert_array_equal(got.view(np.uint8), wanted.view(np.uint8))


class TestDataCopyPad:
    def test_worked_example_with_padding(self):
        example = EXAMPLES["dcpad_right5_f32_32x59"]
        source = np.arange(1, 32 * 59 + 1, dtype=np.float32)
        params = asc.DataCopyExtParams(32, 236, 0, 0)
        got = loaded(source, params, asc.DataCopyPadExtParams(asc.float32, True, 0, 5, 0), padded=True)
        np.testing.assert_array_equal(got[: 32 * 64].reshape(32, 64), np.array(example["expected"], np.float32))

    def test_negative_gap_reads_a_block_again(self):
        source = np.arange(24, dtype=np.float16)
        got = loaded(source, asc.DataCopyExtParams(3, 48, -48, 1), padded=True)[:144].reshape(3, 48)
        for block in got:
            np.testing.assert_array_equal(block[:24], source)

    def test_without_padding_the_fill_repeats_the_first_element(self):
        source = np.arange(5, 15, dtype=np.int16)
        got = loaded(source, asc.DataCopyExtParams(2, 10, 0, 0), padded=True)
        np.testing.assert_array_equal(
            got[:32].reshape(2, 16), [[5, 6, 7, 8, 9] + [5] * 11, [10, 11, 12, 13, 14] + [10] * 11]
        )

    def test_out_of_ub_stores_exactly_the_bytes(self):
        source = np.arange(256, dtype=np.uint8)
        out = np.full(150, 255, np.uint8)
        with Device("Ascend910B"):
            store[1](source, out, asc.DataCopyExtParams(2, 47, 1, 1))
        wanted = np.full(150, 255, np.uint8)
        wanted[0:47], wanted[48:95] = source[0:47], source[96:143]
        np.testing.assert_array_equal(out, wanted)

    @settings(deadline=None, max_examples=60)
    @given(
        st.sampled_from([np.uint8, np.int16, np.float32]),
        st.integers(1, 5),
        st.integers(1, 40),
        st.integers(0, 9),
        st.integers(0, 3),
        st.integers(0, 8),
        st.integers(0, 8),
        st.booleans(),
    )
    def test_against_a_loop_over_blocks(self, dtype, blocks, elements, gap, target_gap, left, right, is_pad):
        size = np.dtype(dtype).itemsize
        source = np.arange(1, 400).astype(dtype)
        params = asc.DataCopyExtParams(blocks, elements * size, gap * size, target_gap)
        element = {np.uint8: asc.uint8, np.int16: asc.int16, np.float32: asc.float32}[dtype]
        got = loaded(source, params, asc.DataCopyPadExtParams(element, is_pad, left, right, 3), padded=True)
        wanted = poison(dtype)
        region = -(-(left + elements + right) * size // 32) * 32 // size
        for block in range(blocks):
            first = block * (region + target_gap * 32 // size)
            data = source[block * (elements + gap) :][:elements]
            if is_pad:
                wanted[first : first + region] = 3
            elif not left and not right:
                wanted[first : first + region] = data[0]
            wanted[first + left : first + left + elements] = data
        np.testing.assert_array_equal(got.view(np.uint8), wanted.view(np.uint8))


def test_strided_blocks_of_data_copy():
    source = np.arange(64, dtype=np.float32)
    got = loaded(source, asc.DataCopyParams(block_count=2, block_len=1, src_stride=2, dst_stride=1))
    np.testing.assert_array_equal(got[0:8], source[0:8])
    np.testing.assert_array_equal(got[16:24], source[24:32])


def test_within_ub():
    @asc.jit
    def kernel(x: asc.GlobalAddress, z: asc.GlobalAddress):
        source, target = asc.GlobalTensor(), asc.GlobalTensor()
        source.set_global_buffer(x)
        target.set_global_buffer(z)
        a = asc.LocalTensor(asc.float32, asc.TPosition.VECIN, 0, 64)
        b = asc.LocalTensor(asc.float32, asc.TPosition.VECIN, 1024, 64)
        asc.data_copy(a, source, 64)
        asc.set_flag(asc.HardEvent.MTE2_V, 0)
        asc.wait_flag(asc.HardEvent.MTE2_V, 0)
        asc.data_copy(b, a, 64)
        asc.set_flag(asc.HardEvent.V_MTE3, 0)
        asc.wait_flag(asc.HardEvent.V_MTE3, 0)
        asc.data_copy(target, b, 64)

    x, z = np.arange(64, dtype=np.float32), np.zeros(64, np.float32)
    with Device("Ascend910B"):
        result = kernel[1](x, z)
    np.testing.assert_array_equal(z, x)
    assert "V    data_copy" in result.program.disassemble()
