"""A fresh acl runtime for each test, and short ways to put arrays on the device."""

import numpy as np
import pytest

from host_api import acl
from host_api.acl import DataType, Format, MemcpyKind, Status


class Bench:
    """An initialised runtime with one stream."""

    def __init__(self, soc="Ascend950"):
        assert acl.init() == Status.SUCCESS
        assert acl.rt.set_device(0, soc) == Status.SUCCESS
        status, self.stream = acl.rt.create_stream()
        assert status == Status.SUCCESS

    def upload(self, array):
        status, address = acl.rt.malloc(max(array.nbytes, 1))
        assert status == Status.SUCCESS
        host = np.ascontiguousarray(array)
        assert acl.rt.memcpy(address, max(host.nbytes, 1), host, host.nbytes, MemcpyKind.HOST_TO_DEVICE) == 0
        return address

    def tensor(self, array, *, strides=None, offset=0, shape=None, address=None):
        address = self.upload(array) if address is None else address
        shape = array.shape if shape is None else shape
        return acl.create_tensor(
            shape, DataType.of_numpy(array.dtype), strides, offset, Format.ND, array.shape, address
        )

    def download(self, address, like):
        out = np.empty_like(like)
        assert acl.rt.memcpy(out, out.nbytes, address, out.nbytes, MemcpyKind.DEVICE_TO_HOST) == 0
        return out

    def scalar(self, value, dtype=DataType.FLOAT):
        return acl.create_scalar(value, dtype)


@pytest.fixture
def bench():
    yield Bench()
    acl.finalize()


@pytest.fixture
def bench_on():
    def make(soc):
        return Bench(soc)

    yield make
    acl.finalize()


@pytest.fixture(autouse=True)
def _no_runtime_left_over():
    yield
    acl.finalize()
    acl.get_recent_err_msg()
