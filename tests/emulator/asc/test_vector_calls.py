"""Memory-level vector calls through a launch: operands, masks, and what differs between architectures."""

import numpy as np
import pytest

from emulator import Device, asc

E = asc.HardEvent
COUNT = 128


def computed(soc, body, *sources, out=np.float32, count=COUNT):
    """Copy the sources into UB, call ``body(result, *tensors)`` on pipe V, copy the result out."""

    @asc.jit
    def kernel(inputs: asc.GlobalAddress, result: asc.GlobalAddress):
        source, target = asc.GlobalTensor(), asc.GlobalTensor()
        source.set_global_buffer(inputs)
        target.set_global_buffer(result)
        nbytes = 8 * count
        tensors = [asc.LocalTensor(inputs.dtype, addr=i * nbytes, tile_size=count) for i in range(len(sources))]
        for i, tensor in enumerate(tensors):
            asc.data_copy(tensor, source[i * count :], count)
        asc.set_flag(E.MTE2_V, 0)
        asc.wait_flag(E.MTE2_V, 0)
        local = asc.LocalTensor(result.dtype, addr=8 * nbytes, tile_size=count)
        body(local, *tensors)
        asc.set_flag(E.V_MTE3, 0)
        asc.wait_flag(E.V_MTE3, 0)
        asc.data_copy(target, local, count)

    stacked = np.concatenate(sources)
    result = np.zeros(count, out)
    with Device(soc):
        kernel[1](stacked, result)
    return result


X = np.linspace(-4, 4, COUNT, dtype=np.float32)
Y = np.roll(X, 5)


@pytest.mark.parametrize("soc", ["Ascend910B", "Ascend950"])
def test_forms(soc):
    np.testing.assert_array_equal(computed(soc, lambda d, a, b: asc.sub(d, a, b, COUNT), X, Y), X - Y)
    np.testing.assert_array_equal(computed(soc, lambda d, a: asc.muls(d, a, 0.3, COUNT), X), X * np.float32(0.3))
    np.testing.assert_array_equal(computed(soc, lambda d, a: asc.duplicate(d, -0.0, COUNT), X).view(np.uint32), 1 << 31)
    np.testing.assert_array_equal(computed(soc, lambda d, a: asc.duplicate(d, 0.0, COUNT), X).view(np.uint32), 0)
    np.testing.assert_array_equal(computed(soc, lambda d, a: asc.relu(d, a, 64), X)[:64], np.maximum(X[:64], 0))


@pytest.mark.parametrize("soc", ["Ascend910B", "Ascend950"])
def test_compare_and_select(soc):
    def body(result, a, b):
        mask = asc.LocalTensor(asc.uint8, addr=16384, tile_size=COUNT // 8)
        asc.compare(mask, a, b, asc.CMPMODE.GT, COUNT)
        asc.select(result, mask, a, b, asc.SelMode.VSEL_TENSOR_TENSOR_MODE, COUNT)

    np.testing.assert_array_equal(computed(soc, body, X, Y), np.maximum(X, Y))

    def with_scalar(result, a):
        mask = asc.LocalTensor(asc.uint8, addr=16384, tile_size=COUNT // 8)
        asc.compare_scalar(mask, a, 1.0, asc.CMPMODE.LE, COUNT)
        asc.select(result, mask, a, 9.0, asc.SelMode.VSEL_TENSOR_SCALAR_MODE, COUNT)

    np.testing.assert_array_equal(computed(soc, with_scalar, X), np.where(X <= 1, X, 9))


@pytest.mark.parametrize(("soc", "differs"), [("Ascend910B", False), ("Ascend950", True)])
def test_nan_differs_from_itself_on_the_newer_generation_only(soc, differs):
    def body(result, a):
        mask = asc.LocalTensor(asc.uint8, addr=16384, tile_size=COUNT // 8)
        asc.compare(mask, a, a, asc.CMPMODE.NE, COUNT)
        asc.duplicate(a, 1.0, COUNT)
        asc.select(result, mask, a, 0.0, asc.SelMode.VSEL_TENSOR_SCALAR_MODE, COUNT)

    np.testing.assert_array_equal(computed(soc, body, np.full(COUNT, np.nan, np.float32)), float(differs))


@pytest.mark.parametrize(("soc", "fused"), [("Ascend910B", False), ("Ascend950", True)])
def test_axpy_is_fused_on_the_newer_generation_only(soc, fused):
    a = np.full(COUNT, 1 + 2.0**-12, np.float32)

    def body(result, x):
        asc.duplicate(result, -(1 + 2.0**-11), COUNT)
        asc.axpy(result, x, 1 + 2.0**-12, COUNT)

    np.testing.assert_array_equal(computed(soc, body, a), 2.0**-24 if fused else 0.0)


def test_casts_change_the_type():
    narrow = computed("Ascend910B", lambda d, a: asc.cast(d, a, asc.RoundMode.CAST_RINT, COUNT), X, out=np.float16)
    np.testing.assert_array_equal(narrow, X.astype(np.float16))
    whole = computed("Ascend950", lambda d, a: asc.cast(d, a, asc.RoundMode.CAST_FLOOR, COUNT), X, out=np.int32)
    np.testing.assert_array_equal(whole, np.floor(X).astype(np.int32))


def test_count_zero_does_nothing():
    np.testing.assert_array_equal(
        computed("Ascend910B", lambda d, a: (asc.muls(d, a, 2.0, COUNT), asc.exp(d, a, 0)), X), 2 * X
    )


def test_author_functions_are_documented():
    assert "Exp.md" in asc.exp.__doc__
    assert "float32" in asc.reg.muls.__doc__
    assert {"exp", "cast", "compare_scalar"} <= set(dir(asc))
