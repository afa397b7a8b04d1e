"""aclnnSoftplusBackward: what may be destroyed or freed when, and workspaces that will not do."""

import numpy as np
import pytest

from host_api import acl, aclnn
from host_api.acl import DataType, Format, Status

F32 = np.float32


def reference(gradients, features, beta=1.0, threshold=20.0):
    product = features.astype(np.float64) * beta
    gradients = gradients.astype(np.float64)
    return np.where(product > threshold, gradients, gradients / (1 + np.exp(-product)))


def random(shape, dtype, seed):
    return (np.random.default_rng(seed).normal(size=shape) * 3).astype(dtype)


def describe(shape=(2, 3), dtype=DataType.FLOAT):
    return acl.create_tensor(shape, dtype, None, 0, Format.ND, shape, 0)


def phase_one(grad_output, features, grad_input, beta=1.0, threshold=20.0):
    scalars = [acl.create_scalar(v, DataType.FLOAT) if isinstance(v, float) else v for v in (beta, threshold)]
    return aclnn.softplus_backward_get_workspace_size(grad_output, features, *scalars, grad_input)


def prepare(bench, *arguments, **factors):
    status, nbytes, executor = phase_one(*arguments, **factors)
    assert status == Status.SUCCESS, acl.get_recent_err_msg()
    return (acl.rt.malloc(nbytes)[1] if nbytes else 0), nbytes, executor


class TestLifetimes:
    def arguments(self, bench, dtype=F32):
        self.grad, self.x = random((6, 5), dtype, 1), random((6, 5), dtype, 2)
        self.before = np.full((6, 5), -9, dtype)
        return [bench.tensor(array) for array in (self.grad, self.x, self.before)]

    def test_tensors_may_go_once_the_call_is_queued(self, bench):
        tensors = self.arguments(bench)
        workspace, nbytes, executor = prepare(bench, *tensors)
        assert aclnn.softplus_backward(workspace, nbytes, executor, bench.stream) == Status.SUCCESS
        for tensor in tensors:
            assert acl.destroy_tensor(tensor) == Status.SUCCESS
        assert acl.rt.synchronize_stream(bench.stream) == Status.SUCCESS
        got = bench.download(tensors[2].address, self.grad)
        np.testing.assert_allclose(got, reference(self.grad, self.x), rtol=1e-5)

    @pytest.mark.parametrize("which", range(3))
    def test_tensor_destroyed_between_the_phases(self, bench, which):
        tensors = self.arguments(bench)
        workspace, nbytes, executor = prepare(bench, *tensors)
        acl.destroy_tensor(tensors[which])
        assert aclnn.softplus_backward(workspace, nbytes, executor, bench.stream) != Status.SUCCESS
        assert "destroyed" in acl.get_recent_err_msg()
        np.testing.assert_array_equal(bench.download(tensors[2].address, self.before), self.before)

    @pytest.mark.parametrize("name", ["beta", "threshold"])
    def test_scalar_destroyed_before(self, bench, name):
        scalar = acl.create_scalar(1.0, DataType.FLOAT)
        acl.destroy_scalar(scalar)
        assert phase_one(describe(), describe(), describe(), **{name: scalar})[0] != Status.SUCCESS
        assert f"{name} was destroyed" in acl.get_recent_err_msg()

    @pytest.mark.parametrize("which", range(3))
    def test_memory_freed_between_the_phases(self, bench, which):
        tensors = self.arguments(bench)
        workspace, nbytes, executor = prepare(bench, *tensors)
        acl.rt.free(tensors[which].address)
        assert aclnn.softplus_backward(workspace, nbytes, executor, bench.stream) != Status.SUCCESS
        assert "freed" in acl.get_recent_err_msg()
        assert bench.stream.pending == 0

    @pytest.mark.parametrize("which", range(4))
    def test_memory_freed_while_queued_changes_nothing(self, bench, which):
        tensors = self.arguments(bench, np.float64)
        workspace, nbytes, executor = prepare(bench, *tensors)
        aclnn.softplus_backward(workspace, nbytes, executor, bench.stream)
        memory = bench.stream.device.memory
        acl.rt.free([*(tensor.address for tensor in tensors), workspace][which])
        kept = {t.address: memory.read(t.address, 240) for i, t in enumerate(tensors) if i != which}
        if which != 3:
            kept[workspace] = memory.read(workspace, nbytes)
        assert acl.rt.synchronize_stream(bench.stream) != Status.SUCCESS
        assert "freed" in acl.get_recent_err_msg()
        for address, content in kept.items():
            np.testing.assert_array_equal(memory.read(address, content.nbytes), content)

    def test_a_tensor_without_memory(self, bench):
        tensors = [*self.arguments(bench)[:2], describe((6, 5))]
        workspace, nbytes, executor = prepare(bench, *tensors)
        assert aclnn.softplus_backward(workspace, nbytes, executor, bench.stream) != Status.SUCCESS
        assert "gradInput" in acl.get_recent_err_msg()

    def test_a_tensor_larger_than_its_memory(self, bench):
        small = bench.upload(np.zeros(4, F32))
        tensors = [
            *self.arguments(bench)[:2],
            acl.create_tensor((6, 5), DataType.FLOAT, None, 0, Format.ND, (6, 5), small),
        ]
        workspace, nbytes, executor = prepare(bench, *tensors)
        assert aclnn.softplus_backward(workspace, nbytes, executor, bench.stream) != Status.SUCCESS
        assert "104 B past its end" in acl.get_recent_err_msg()
        assert not bench.download(small, np.zeros(4, F32)).any()

    def test_the_device_reset_between_the_phases(self, bench):
        tensors = self.arguments(bench)
        workspace, nbytes, executor = prepare(bench, *tensors)
        acl.rt.reset_device(0)
        acl.rt.set_device(0)
        _, stream = acl.rt.create_stream()
        assert aclnn.softplus_backward(workspace, nbytes, executor, stream) == Status.ACLNN_RUNTIME_ERROR

    @pytest.mark.parametrize(
        ("change", "status"),
        [
            (lambda w, n: (0, n), Status.ACLNN_PARAM_NULLPTR),
            (lambda w, n: (None, n), Status.ACLNN_PARAM_NULLPTR),
            (lambda w, n: (w, n - 1), Status.ACLNN_PARAM_INVALID),
            (lambda w, n: (w, None), Status.ACLNN_PARAM_INVALID),
            (lambda w, n: (w + 512, n), Status.RT_PARAM_INVALID),
        ],
    )
    def test_workspaces_that_will_not_do(self, bench, change, status):
        tensors = self.arguments(bench, np.float64)
        workspace, nbytes, executor = prepare(bench, *tensors)
        assert aclnn.softplus_backward(*change(workspace, nbytes), executor, bench.stream) == status
        assert bench.stream.pending == 0
        assert aclnn.softplus_backward(workspace, nbytes, executor, bench.stream) == Status.SUCCESS
