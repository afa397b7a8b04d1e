"""aclnnSoftplusBackward: the steps around the kernel, memory shared between arguments, and the one-liner."""

import ml_dtypes
import numpy as np
import pytest

from host_api import acl, aclnn, ops
from host_api.acl import DataType, Status
from host_api.errors import AclError

BF16 = np.dtype(ml_dtypes.bfloat16)
F32 = np.float32


def reference(gradients, features, beta=1.0, threshold=20.0):
    product = features.astype(np.float64) * beta
    gradients = gradients.astype(np.float64)
    return np.where(product > threshold, gradients, gradients / (1 + np.exp(-product)))


def random(shape, dtype, seed):
    return (np.random.default_rng(seed).normal(size=shape) * 3).astype(dtype)


def phase_one(grad_output, features, grad_input, beta=1.0, threshold=20.0):
    scalars = [acl.create_scalar(v, DataType.FLOAT) if isinstance(v, float) else v for v in (beta, threshold)]
    return aclnn.softplus_backward_get_workspace_size(grad_output, features, *scalars, grad_input)


def prepare(bench, *arguments, **factors):
    status, nbytes, executor = phase_one(*arguments, **factors)
    assert status == Status.SUCCESS, acl.get_recent_err_msg()
    return (acl.rt.malloc(nbytes)[1] if nbytes else 0), nbytes, executor


def run(bench, *arguments, **factors):
    workspace, nbytes, executor = prepare(bench, *arguments, **factors)
    assert aclnn.softplus_backward(workspace, nbytes, executor, bench.stream) == Status.SUCCESS
    assert acl.rt.synchronize_stream(bench.stream) == Status.SUCCESS, acl.get_recent_err_msg()


class TestSteps:
    @pytest.mark.parametrize(
        ("dtypes", "strided", "names"),
        [
            ((F32, F32, F32), (), ["SoftplusV2Grad"]),
            ((F32, F32, F32), (0, 1), ["Contiguous(gradOutput)", "Contiguous(self)", "SoftplusV2Grad"]),
            ((F32, F32, F32), (2,), ["SoftplusV2Grad", "ViewCopy(SoftplusV2Grad)"]),
            ((np.float16, F32, F32), (), ["Cast(gradOutput)", "SoftplusV2Grad"]),
            ((BF16, BF16, F32), (), ["SoftplusV2Grad", "Cast(SoftplusV2Grad)"]),
            (
                (np.float64, np.int8, np.float64),
                (0, 1, 2),
                [
                    "Contiguous(gradOutput)",
                    "Contiguous(self)",
                    "Cast(gradOutput)",
                    "Cast(self)",
                    "SoftplusV2Grad",
                    "Cast(SoftplusV2Grad)",
                    "ViewCopy(SoftplusV2Grad)",
                ],
            ),
        ],
    )
    def test_only_what_is_needed_in_the_documented_order(self, bench, dtypes, strided, names):
        arrays = [random((3, 4), dtype, seed) for seed, dtype in enumerate(dtypes)]
        tensors = []
        for index, array in enumerate(arrays):
            stored = np.ascontiguousarray(array.T) if index in strided else array
            strides = (1, 3) if index in strided else (4, 1)
            tensors.append(bench.tensor(stored, shape=(3, 4), strides=strides))
        _, nbytes, executor = phase_one(*tensors)
        assert [step.name for step in executor.steps] == names
        copies = len(names) - 1
        kernel_output = "SoftplusV2Grad" in names and len(names) > names.index("SoftplusV2Grad") + 1
        into_output = bool(kernel_output)
        assert nbytes == 512 * (copies - into_output + kernel_output)
        run(bench, *tensors)
        stored = bench.download(tensors[2].address, np.zeros((4, 3) if 2 in strided else (3, 4), dtypes[2]))
        got = (stored.T if 2 in strided else stored).astype(np.float64)
        np.testing.assert_allclose(
            got, reference(arrays[0], arrays[1]), rtol=1e-2 if BF16 in dtypes else 1e-5, atol=1e-6
        )

    def test_every_byte_but_zero_is_true(self, bench):
        grad = np.ones(4, F32)
        flags = np.array([0, 1, 2, 255], np.uint8).view(np.bool_)
        target = bench.tensor(np.zeros(4, F32))
        run(bench, bench.tensor(grad), bench.tensor(flags), target)
        wanted = reference(grad, np.array([0, 1, 1, 1]))
        np.testing.assert_allclose(bench.download(target.address, grad), wanted, rtol=1e-6)

    @pytest.mark.parametrize("dtype", [np.int8, np.int16, np.int32, np.int64, np.uint8, np.bool_])
    def test_integers_of_every_kind(self, bench, dtype):
        grad, x = random((40,), F32, 1), np.arange(40).astype(dtype)
        target = bench.tensor(np.zeros(40, F32))
        run(bench, bench.tensor(grad), bench.tensor(x), target, beta=0.5)
        wanted = reference(grad, x, 0.5)
        np.testing.assert_allclose(bench.download(target.address, grad), wanted, rtol=1e-5)

    @pytest.mark.parametrize(
        ("value", "dtype"),
        [
            (2, DataType.INT64),
            (2.0, DataType.DOUBLE),
            (2.0, DataType.BF16),
            (2, DataType.COMPLEX64),
            (2, DataType.UINT8),
        ],
    )
    def test_factors_of_any_real_type(self, bench, value, dtype):
        grad, x = random((8,), F32, 1), random((8,), F32, 2)
        target = bench.tensor(np.zeros(8, F32))
        run(bench, bench.tensor(grad), bench.tensor(x), target, beta=acl.create_scalar(value, dtype))
        np.testing.assert_allclose(bench.download(target.address, grad), reference(grad, x, 2.0), rtol=1e-5)


class TestSharedMemory:
    def test_in_place(self, bench):
        grad, x = random((5, 9), F32, 1), random((5, 9), F32, 2)
        tensor = bench.tensor(grad)
        run(bench, tensor, bench.tensor(x), tensor)
        np.testing.assert_allclose(bench.download(tensor.address, grad), reference(grad, x), rtol=1e-5)

    @pytest.mark.parametrize("shift", [1, 7, 64])
    def test_shifted_output_over_an_input(self, bench, shift):
        count = 70_000
        stored = random((count + shift,), F32, 1)
        x = random((count,), F32, 2)
        address = bench.upload(stored)
        grad = bench.tensor(stored, shape=(count,), strides=(1,), address=address)
        target = bench.tensor(stored, shape=(count,), strides=(1,), offset=shift, address=address)
        run(bench, grad, bench.tensor(x), target)
        got = bench.download(address, stored)
        np.testing.assert_allclose(got[shift:], reference(stored[:count], x), rtol=1e-5)
        np.testing.assert_array_equal(got[:shift], stored[:shift])

    def test_a_workspace_inside_a_tensor(self, bench):
        grad = np.ones((64, 64), np.float64)
        tensors = [bench.tensor(grad) for _ in range(3)]
        _, nbytes, executor = phase_one(*(bench.tensor(grad[:4], address=t.address) for t in tensors))
        assert 0 < nbytes <= grad.nbytes
        status = aclnn.softplus_backward(tensors[1].address, nbytes, executor, bench.stream)
        assert status == Status.ACLNN_PARAM_INVALID
        assert "overlaps self" in acl.get_recent_err_msg()


class TestOneLiner:
    def test_leaves_an_open_device_as_it_was(self, bench):
        memory = bench.stream.device.memory
        for _ in range(3):
            ops.softplus_backward(np.ones(5, F32), np.ones(5, np.int32))
        with pytest.raises(AclError):
            ops.softplus_backward(np.ones(5, F32), np.ones(6, F32))
        assert memory.live == 0
        assert acl.rt.reset_device(0) == Status.SUCCESS
        assert acl.rt.malloc(4)[0] == Status.RT_CONTEXT_NULL

    def test_layouts_of_every_kind(self):
        grad, x = random((6, 8), F32, 1), random((8, 6), F32, 2)
        got = ops.softplus_backward(grad[::-1, ::2], x.T[:, ::2])
        np.testing.assert_allclose(got, reference(grad[::-1, ::2], x.T[:, ::2]), rtol=1e-5)

    @pytest.mark.parametrize("beta", [1j, "1", None])
    def test_factors_that_are_no_numbers(self, beta):
        with pytest.raises(AclError) as caught:
            ops.softplus_backward(np.ones(3, F32), np.ones(3, F32), beta=beta)
        assert repr(beta) in caught.value.message
        assert acl.init() == Status.SUCCESS

    def test_the_same_input_gives_the_same_bits(self):
        grad, x = random((3, 4000), np.float16, 1), random((3, 4000), np.float16, 2)
        first, second = (ops.softplus_backward(grad, x, 1.3, 2.0) for _ in range(2))
        assert first.tobytes() == second.tobytes()
