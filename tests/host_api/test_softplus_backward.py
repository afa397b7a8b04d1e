"""aclnnSoftplusBackward: the operator's own op_api cases, the order of its checks, and results through every path."""

import ml_dtypes
import numpy as np
import pytest

from host_api import acl, aclnn, ops
from host_api.acl import DataType, Status
from host_api.errors import AclError
from kernels.softplus_v2_grad import golden

BF16 = np.dtype(ml_dtypes.bfloat16)
NULL, INVALID = Status.ACLNN_PARAM_NULLPTR, Status.ACLNN_PARAM_INVALID


def phase_one(bench, grad_output, features, grad_input, beta=0.0, threshold=0.0):
    def scalar(value):
        return bench.scalar(value) if isinstance(value, float) else value

    return aclnn.softplus_backward_get_workspace_size(
        grad_output, features, scalar(beta), scalar(threshold), grad_input
    )


def tensors(bench, shapes=((2, 3),) * 3, dtypes=(np.float32,) * 3):
    return [bench.tensor(np.ones(shape, dtype)) for shape, dtype in zip(shapes, dtypes, strict=True)]


class TestChecks:
    @pytest.mark.parametrize(("missing", "name"), [(0, "gradOutput"), (1, "self"), (2, "gradInput")])
    def test_null_tensors(self, bench, missing, name):
        arguments = tensors(bench)
        arguments[missing] = None
        assert phase_one(bench, *arguments) == (NULL, 0, None)
        assert acl.get_recent_err_msg().startswith(f"{name} is null")

    @pytest.mark.parametrize("name", ["beta", "threshold"])
    def test_null_scalars(self, bench, name):
        assert phase_one(bench, *tensors(bench), **{name: None})[0] == NULL
        assert name in acl.get_recent_err_msg()

    @pytest.mark.parametrize(
        "dtypes",
        [
            (np.int32, np.float32, np.float32),
            (np.float32, np.complex64, np.float32),
            (np.float32, np.float32, np.int32),
        ],
    )
    def test_dtypes(self, bench, dtypes):
        assert phase_one(bench, *tensors(bench, dtypes=dtypes))[0] == INVALID
        bad = next(dtype for dtype in dtypes if dtype is not np.float32)
        assert DataType.of_numpy(np.dtype(bad)).name in acl.get_recent_err_msg()

    NINE = (1,) * 8 + (2,)

    @pytest.mark.parametrize(
        "shapes",
        [
            (NINE, NINE, NINE),
            (NINE, (2,), (2,)),
            ((2, 3, 1), (2, 3), (2, 3)),
            ((2, 3), (2, 3), (2, 3, 1)),
        ],
    )
    def test_shapes(self, bench, shapes):
        assert phase_one(bench, *tensors(bench, shapes=shapes))[0] == INVALID
        message = acl.get_recent_err_msg()
        assert "9 dimensions" in message if self.NINE in shapes else "(2, 3, 1)" in message

    @pytest.mark.parametrize("shape", [(0,), (2, 0, 3)])
    def test_empty_tensors_need_nothing(self, bench, shape):
        status, nbytes, executor = phase_one(bench, *tensors(bench, shapes=(shape,) * 3))
        assert (status, nbytes) == (Status.SUCCESS, 0)
        assert aclnn.softplus_backward(0, 0, executor, bench.stream) == Status.SUCCESS
        assert acl.rt.synchronize_stream(bench.stream) == Status.SUCCESS

    @pytest.mark.parametrize(
        "dtypes", [(np.float32,) * 3, (np.float32, np.int32, np.float32), (np.float64, np.bool_, np.float16)]
    )
    def test_accepted(self, bench, dtypes):
        assert phase_one(bench, *tensors(bench, dtypes=dtypes))[0] == Status.SUCCESS

    def test_bfloat16_on_a2(self, bench_on):
        bench = bench_on("Ascend910B2")
        assert phase_one(bench, *tensors(bench, dtypes=(BF16,) * 3))[0] == Status.SUCCESS

    def test_earlier_checks_win(self, bench):
        grad_output, features, _ = tensors(bench, shapes=((2, 3), (2, 4), (2, 3)), dtypes=(np.int32,) * 3)
        assert phase_one(bench, grad_output, features, None)[0] == NULL
        assert phase_one(bench, grad_output, features, features, beta=None)[0] == NULL
        assert phase_one(bench, grad_output, features, features)[0] == INVALID
        assert "INT32" in acl.get_recent_err_msg()

    def test_a_complex_factor(self, bench):
        beta = bench.scalar(1j, DataType.COMPLEX64)
        assert phase_one(bench, *tensors(bench), beta=beta)[0] == INVALID
        assert "beta is COMPLEX64" in acl.get_recent_err_msg()

    def test_destroyed_tensor(self, bench):
        arguments = tensors(bench)
        acl.destroy_tensor(arguments[1])
        assert phase_one(bench, *arguments)[0] == Status.INVALID_PARAM
        assert "self was destroyed" in acl.get_recent_err_msg()


def call(bench, grad_output, features, grad_input, beta, threshold):
    status, nbytes, executor = phase_one(bench, grad_output, features, grad_input, beta, threshold)
    assert status == Status.SUCCESS, acl.get_recent_err_msg()
    workspace = acl.rt.malloc(nbytes)[1] if nbytes else 0
    assert aclnn.softplus_backward(workspace, nbytes, executor, bench.stream) == Status.SUCCESS
    return workspace


def random(shape, dtype, seed):
    return (np.random.default_rng(seed).normal(size=shape) * 3).astype(dtype)


class TestResults:
    def test_nothing_is_visible_before_synchronize(self, bench):
        grad, x = random((5, 7), np.float32, 1), random((5, 7), np.float32, 2)
        target = bench.tensor(np.full((5, 7), -9, np.float32))
        call(bench, bench.tensor(grad), bench.tensor(x), target, 1.5, 2.0)
        assert np.all(bench.download(target.address, grad) == -9)
        assert acl.rt.synchronize_stream(bench.stream) == Status.SUCCESS
        np.testing.assert_allclose(
            bench.download(target.address, grad), golden.softplus_v2_grad(grad, x, 1.5, 2.0), rtol=1e-5
        )

    def test_transposed_self(self, bench):
        grad, stored = random((2, 3), np.float32, 1), random((3, 2), np.float32, 2)
        x = bench.tensor(stored, shape=(2, 3), strides=(1, 2))
        target = bench.tensor(np.zeros((2, 3), np.float32))
        status, nbytes, _ = phase_one(bench, bench.tensor(grad), x, target)
        assert (status, nbytes) == (Status.SUCCESS, 512)
        call(bench, bench.tensor(grad), x, target, 1.0, 20.0)
        acl.rt.synchronize_stream(bench.stream)
        np.testing.assert_allclose(
            bench.download(target.address, grad), golden.softplus_v2_grad(grad, stored.T), rtol=1e-5
        )

    def test_strided_gradinput_leaves_the_gaps_alone(self, bench):
        grad, x = random((3, 4), np.float32, 1), random((3, 4), np.float32, 2)
        storage = np.full((3, 10), 7, np.float32)
        target = bench.tensor(storage, shape=(3, 4), strides=(10, 2), offset=1)
        call(bench, bench.tensor(grad), bench.tensor(x), target, 1.0, 20.0)
        acl.rt.synchronize_stream(bench.stream)
        got = bench.download(target.address, storage)
        np.testing.assert_allclose(got[:, 1:8:2], golden.softplus_v2_grad(grad, x), rtol=1e-5)
        got[:, 1:8:2] = 7
        np.testing.assert_array_equal(got, storage)

    @pytest.mark.parametrize(
        ("grad_type", "self_type", "out_type", "buffers"),
        [
            (np.float32, np.float32, np.float32, 0),
            (np.float16, np.float16, np.float16, 0),
            (BF16, BF16, BF16, 0),
            (np.float32, np.int32, np.float32, 1),
            (np.float16, np.float32, np.float16, 2),
            (np.float64, np.float64, np.float64, 3),
            (np.float32, np.bool_, BF16, 2),
        ],
    )
    def test_dtypes_are_cast_around_the_kernel(self, bench, grad_type, self_type, out_type, buffers):
        grad, x = random((6, 5), grad_type, 1), random((6, 5), self_type, 2)
        target = bench.tensor(np.zeros((6, 5), out_type))
        status, nbytes, _ = phase_one(bench, bench.tensor(grad), bench.tensor(x), target)
        assert (status, nbytes) == (Status.SUCCESS, 512 * buffers)
        call(bench, bench.tensor(grad), bench.tensor(x), target, 1.0, 20.0)
        acl.rt.synchronize_stream(bench.stream)
        got = bench.download(target.address, np.zeros((6, 5), out_type)).astype(np.float64)
        tolerance = {2: 1e-2, 4: 1e-5, 8: 1e-5}[np.dtype(out_type).itemsize]
        reference = golden.softplus_v2_grad(grad, x.astype(np.float64))
        np.testing.assert_allclose(got, reference, rtol=tolerance, atol=tolerance * 1e-2)

    def test_eight_dimensions(self, bench):
        shape = (2, 1, 3, 2, 1, 2, 2, 3)
        grad, x = random(shape, np.float32, 1), random(shape, np.float32, 2)
        target = bench.tensor(np.zeros(shape, np.float32))
        call(bench, bench.tensor(grad), bench.tensor(x), target, 1.0, 20.0)
        acl.rt.synchronize_stream(bench.stream)
        np.testing.assert_allclose(bench.download(target.address, grad), golden.softplus_v2_grad(grad, x), rtol=1e-5)


class TestPhaseTwo:
    def prepared(self, bench):
        grad = np.ones((4, 4), np.float64)
        self.target = bench.tensor(np.full((4, 4), 5, np.float64))
        self.grad = bench.tensor(grad)
        return phase_one(bench, self.grad, bench.tensor(grad), self.target)

    def untouched(self, bench):
        return np.all(bench.download(self.target.address, np.zeros((4, 4))) == 5)

    def test_workspace_too_small_or_missing(self, bench):
        _, nbytes, executor = self.prepared(bench)
        assert aclnn.softplus_backward(0, nbytes, executor, bench.stream) == NULL
        assert aclnn.softplus_backward(1 << 32, nbytes - 1, executor, bench.stream) == INVALID
        assert str(nbytes) in acl.get_recent_err_msg()
        acl.rt.synchronize_stream(bench.stream)
        assert self.untouched(bench)

    def test_an_executor_runs_once(self, bench):
        _, nbytes, executor = self.prepared(bench)
        workspace = acl.rt.malloc(nbytes)[1]
        assert aclnn.softplus_backward(workspace, nbytes, executor, bench.stream) == Status.SUCCESS
        assert aclnn.softplus_backward(workspace, nbytes, executor, bench.stream) == INVALID

    def test_destroyed_stream(self, bench):
        _, nbytes, executor = self.prepared(bench)
        workspace = acl.rt.malloc(nbytes)[1]
        acl.rt.destroy_stream(bench.stream)
        assert aclnn.softplus_backward(workspace, nbytes, executor, bench.stream) == Status.RT_STREAM_CONTEXT
        assert self.untouched(bench)

    def test_null_executor_and_stream(self, bench):
        _, nbytes, executor = self.prepared(bench)
        assert aclnn.softplus_backward(0, 0, None, bench.stream) == NULL
        assert aclnn.softplus_backward(0, nbytes, executor, None) == NULL

    def test_memory_freed_before_it_runs(self, bench):
        grad = np.ones((4, 4), np.float32)
        source, target = bench.tensor(grad), bench.tensor(np.full((4, 4), 5, np.float32))
        call(bench, source, bench.tensor(grad), target, 1.0, 20.0)
        acl.rt.free(source.address)
        assert acl.rt.synchronize_stream(bench.stream) == Status.RT_PARAM_INVALID
        assert "freed" in acl.get_recent_err_msg()
        assert np.all(bench.download(target.address, grad) == 5)

    def test_no_kernel_for_the_older_generation(self, bench_on):
        bench = bench_on("Ascend910B2")
        grad = np.ones((4, 4), np.float32)
        _, nbytes, executor = phase_one(bench, *(bench.tensor(grad) for _ in range(3)))
        status = aclnn.softplus_backward(0, nbytes, executor, bench.stream)
        assert status == Status.ACLNN_INNER_FIND_KERNEL_ERROR
        assert "Ascend910B2" in acl.get_recent_err_msg()


class TestOneLiner:
    @pytest.mark.parametrize("dtype", [np.float32, np.float16, BF16, np.float64], ids=str)
    def test_on_arrays(self, dtype):
        grad, x = random((3, 200), dtype, 1), random((3, 200), dtype, 2)
        got = ops.softplus_backward(grad, x, beta=2.0, threshold=5.0)
        assert got.dtype == grad.dtype
        tolerance = 1e-2 if got.itemsize == 2 else 1e-5
        np.testing.assert_allclose(
            got.astype(np.float64), golden.softplus_v2_grad(grad, x, 2.0, 5.0), rtol=tolerance, atol=tolerance * 0.1
        )

    def test_empty_and_scalar(self):
        assert ops.softplus_backward(np.zeros((0, 3), np.float32), np.zeros((0, 3), np.float32)).shape == (0, 3)
        assert ops.softplus_backward(np.float32(2), np.float32(0)) == np.float32(1)

    @pytest.mark.parametrize(
        ("grad", "x", "soc", "words"),
        [
            (np.zeros(3, np.float32), np.zeros(4, np.float32), "Ascend950", "(4,)"),
            (np.zeros(3, np.int32), np.zeros(3, np.int32), "Ascend950", "INT32"),
            (np.zeros(3, np.float32), np.array(["a"] * 3), "Ascend950", "<U1"),
            (np.zeros(3, np.float32), np.zeros(3, np.float32), "Ascend123", "Ascend123"),
        ],
    )
    def test_refusals_leave_no_runtime_behind(self, grad, x, soc, words):
        with pytest.raises(AclError) as caught:
            ops.softplus_backward(grad, x, soc=soc)
        assert words in str(caught.value)
        assert acl.init() == Status.SUCCESS

    def test_within_a_running_runtime(self, bench):
        before = bench.stream.device.memory.live
        ops.softplus_backward(np.ones(5, np.float32), np.ones(5, np.float32))
        assert bench.stream.device.memory.live == before
