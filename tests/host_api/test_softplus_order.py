"""aclnnSoftplusBackward, phase one: which fault wins, and what products take."""

import itertools

import msgspec
import numpy as np
import pytest

from emulator import Device
from emulator.soc import load_soc
from host_api import acl, aclnn
from host_api.acl import DataType, Format, Status
from host_api.acl.runtime import RUNTIME

F32 = np.float32
NINE = (1,) * 8 + (2,)


def describe(shape=(2, 3), dtype=DataType.FLOAT):
    return acl.create_tensor(shape, dtype, None, 0, Format.ND, shape, 0)


def phase_one(grad_output, features, grad_input, beta=1.0, threshold=20.0):
    scalars = [acl.create_scalar(v, DataType.FLOAT) if isinstance(v, float) else v for v in (beta, threshold)]
    return aclnn.softplus_backward_get_workspace_size(grad_output, features, *scalars, grad_input)


def prepare(bench, *arguments, **factors):
    status, nbytes, executor = phase_one(*arguments, **factors)
    assert status == Status.SUCCESS, acl.get_recent_err_msg()
    return (acl.rt.malloc(nbytes)[1] if nbytes else 0), nbytes, executor


@pytest.fixture
def on_soc():
    """A device under any name, with the figures of Ascend950."""

    def make(name):
        def factory(_):
            device = Device("Ascend950")
            device.soc = msgspec.structs.replace(load_soc("Ascend950"), name=name)
            return device

        RUNTIME.device_factory = factory
        acl.init()
        assert acl.rt.set_device(0) == Status.SUCCESS

    yield make
    RUNTIME.device_factory = Device


# Faults in the order in which they must be found: how to bring each about, its status, and a word of its message.
FAULTS = [
    ("grad_output", lambda a: None, Status.ACLNN_PARAM_NULLPTR, "gradOutput is null"),
    ("self", lambda a: None, Status.ACLNN_PARAM_NULLPTR, "self is null"),
    ("grad_input", lambda a: None, Status.ACLNN_PARAM_NULLPTR, "gradInput is null"),
    ("beta", lambda a: None, Status.ACLNN_PARAM_NULLPTR, "beta is null"),
    ("threshold", lambda a: None, Status.ACLNN_PARAM_NULLPTR, "threshold is null"),
    ("grad_output", lambda a: (a[0], DataType.INT32), Status.ACLNN_PARAM_INVALID, "gradOutput is INT32"),
    ("self", lambda a: (a[0], DataType.COMPLEX64), Status.ACLNN_PARAM_INVALID, "self is COMPLEX64"),
    ("grad_input", lambda a: (a[0], DataType.INT32), Status.ACLNN_PARAM_INVALID, "gradInput is INT32"),
    ("grad_output", lambda a: (NINE, a[1]), Status.ACLNN_PARAM_INVALID, "gradOutput has 9 dimensions"),
    ("self", lambda a: (NINE, a[1]), Status.ACLNN_PARAM_INVALID, "self has 9 dimensions"),
    ("grad_input", lambda a: (NINE, a[1]), Status.ACLNN_PARAM_INVALID, "gradInput has 9 dimensions"),
    ("grad_output", lambda a: ((2, 3, 1), a[1]), Status.ACLNN_PARAM_INVALID, "gradOutput is (2, 3, 1)"),
    ("grad_input", lambda a: ((2, 3, 1), a[1]), Status.ACLNN_PARAM_INVALID, "gradInput is (2, 3, 1)"),
    ("beta", lambda a: 1j, Status.ACLNN_PARAM_INVALID, "beta is COMPLEX64"),
    ("threshold", lambda a: 1j, Status.ACLNN_PARAM_INVALID, "threshold is COMPLEX64"),
]


def call_with(faults):
    arguments = dict.fromkeys(("grad_output", "self", "grad_input"), ((2, 3), DataType.FLOAT))
    arguments |= {"beta": 1.0, "threshold": 20.0}
    for name, change, _, _ in reversed(faults):
        if arguments[name] is not None:
            arguments[name] = change(arguments[name])
    tensors = [
        None if arguments[name] is None else describe(*arguments[name])
        for name in ("grad_output", "self", "grad_input")
    ]
    scalars = {
        name: acl.create_scalar(arguments[name], DataType.COMPLEX64) if arguments[name] == 1j else arguments[name]
        for name in ("beta", "threshold")
    }
    return phase_one(*tensors, **scalars)


class TestOrderOfChecks:
    @pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault[3])
    def test_each_alone(self, bench, fault):
        assert call_with([fault]) == (fault[2], 0, None)
        assert fault[3] in acl.get_recent_err_msg()

    @pytest.mark.parametrize(
        ("earlier", "later"), list(itertools.combinations(FAULTS, 2)), ids=lambda fault: fault[3].replace(" ", "-")
    )
    def test_of_two_the_earlier_is_told(self, bench, earlier, later):
        assert call_with([earlier, later])[0] == earlier[2]
        assert earlier[3] in acl.get_recent_err_msg()

    def test_an_empty_tensor_needs_no_scalar_value(self, bench):
        empty = [describe((2, 0, 3)) for _ in range(3)]
        assert phase_one(*empty, beta=acl.create_scalar(1j, DataType.COMPLEX64))[:2] == (Status.SUCCESS, 0)

    def test_null_is_found_without_a_device(self):
        acl.init()
        assert phase_one(None, describe(), describe())[0] == Status.ACLNN_PARAM_NULLPTR
        assert phase_one(describe(), describe(), describe())[0] == Status.ACLNN_RUNTIME_ERROR
        assert "set_device" in acl.get_recent_err_msg()

    @pytest.mark.parametrize("wrong", [np.zeros((2, 3), F32), "x", 5])
    def test_what_is_no_tensor(self, bench, wrong):
        assert phase_one(wrong, describe(), describe())[0] == Status.ACLNN_PARAM_INVALID
        assert "gradOutput is a" in acl.get_recent_err_msg()


class TestProducts:
    @pytest.mark.parametrize("name", ["Ascend310P3", "Ascend310B4"])
    def test_without_the_operator(self, on_soc, name):
        on_soc(name)
        assert phase_one(describe(), describe(), describe())[0] == Status.ACLNN_INNER_FIND_KERNEL_ERROR
        assert name in acl.get_recent_err_msg()

    @pytest.mark.parametrize(
        ("name", "status"),
        [
            ("Ascend910A", Status.ACLNN_PARAM_INVALID),
            ("Ascend910ProB", Status.ACLNN_PARAM_INVALID),
            ("Ascend910B2", Status.SUCCESS),
            ("Ascend910_9392", Status.SUCCESS),
            ("Ascend950PR", Status.SUCCESS),
        ],
    )
    @pytest.mark.parametrize("which", range(3))
    def test_bfloat16(self, on_soc, name, status, which):
        on_soc(name)
        dtypes = [DataType.FLOAT] * 3
        dtypes[which] = DataType.BF16
        assert phase_one(*(describe(dtype=dtype) for dtype in dtypes))[0] == status

    def test_no_kernel_for_the_older_generation_is_said_by_aclnn(self, bench_on):
        bench = bench_on("Ascend910B2")
        tensors = [bench.tensor(np.ones(4, F32)) for _ in range(3)]
        workspace, nbytes, executor = prepare(bench, *tensors)
        status = aclnn.softplus_backward(workspace, nbytes, executor, bench.stream)
        assert status == Status.ACLNN_INNER_FIND_KERNEL_ERROR
        assert bench.stream.pending == 0

    def test_a_device_too_small_to_tile(self, bench):
        device = bench.stream.device
        device.soc = device.soc.with_overrides(ub_bytes=96)
        tensors = [bench.tensor(np.ones(4, F32)) for _ in range(3)]
        workspace, nbytes, executor = prepare(bench, *tensors)
        status = aclnn.softplus_backward(workspace, nbytes, executor, bench.stream)
        assert status == Status.ACLNN_INNER_TILING_ERROR
        assert "ub_bytes = 96" in acl.get_recent_err_msg()
