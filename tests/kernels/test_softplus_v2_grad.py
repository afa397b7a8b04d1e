"""The operator's eleven kernel cases, its accuracy bounds, and that nothing but the input decides the result."""

import ml_dtypes
import numpy as np
import pytest

from emulator import Device
from kernels.softplus_v2_grad import golden
from kernels.softplus_v2_grad.arch35 import softplus_v2_grad
from tiling.softplus_v2_grad import make_tiling

BF16 = np.dtype(ml_dtypes.bfloat16)
TOLERANCES = {"float32": (1e-4, 1e-5), "float16": (1e-2, 1e-3), "bfloat16": (1e-2, 1e-2)}
ULP_LIMITS = {"float32": 3.0, "float16": 1.0, "bfloat16": 1.0}

# number: gradients, features, output, dtype, beta, threshold, cores
CASES = {
    1: ((4, 64), (4, 64), (4, 64), np.float32, 1, 20, 1),
    2: ((8, 64), (8, 64), (8, 64), np.float32, 1, 1, 1),
    3: ((8, 128), (8, 128), (8, 128), np.float16, 1, 20, 1),
    4: ((8, 128), (8, 128), (8, 128), BF16, 1, 20, 1),
    5: ((4, 1, 8), (1, 3, 8), (4, 3, 8), np.float32, 1, 20, 1),
    6: ((2, 3, 2, 3, 4), (2, 3, 2, 3, 4), (2, 3, 2, 3, 4), np.float32, 1, 20, 1),
    7: ((2, 2, 2, 2, 2, 4), (2, 2, 2, 2, 2, 4), (2, 2, 2, 2, 2, 4), np.float32, 2, 5, 1),
    "8 rank 4": ((4, 64), (4, 64), (4, 64), np.float32, 1, 20, 64),
    "8 rank 8": ((2, 3, 2, 3, 4), (2, 3, 2, 3, 4), (2, 3, 2, 3, 4), np.float32, 1, 20, 64),
    9: ((10, 64), (10, 64), (10, 64), np.float32, 1, 20, 4),
    10: ((2, 20000), (2, 20000), (2, 20000), np.float32, 1, 20, 3),
    11: ((2, 20000), (2, 20000), (2, 20000), np.float16, 1, 20, 3),
}


def inputs(gradients, features, dtype, seed=0):
    generator = np.random.default_rng(seed)
    return generator.uniform(-2, 2, gradients).astype(dtype), generator.uniform(-6, 6, features).astype(dtype)


def run(gradients, features, output_shape, *, beta=1.0, threshold=20.0, cores=64, ub_bytes=262144, **device):
    output = np.zeros(output_shape, gradients.dtype)
    with Device("Ascend950", cores, ub_bytes, **device):
        tiling = make_tiling(
            [gradients.shape, features.shape],
            [output_shape],
            gradients.dtype,
            ub_bytes=ub_bytes,
            aiv_cores=cores,
            beta=beta,
            threshold=threshold,
        )
        result = softplus_v2_grad[tiling.multicore.num_cores](gradients, features, output, tiling)
    return output, tiling, result


def assert_within_ulps(output, gradients, features, beta, threshold):
    reference = golden.softplus_v2_grad_from_product(gradients, features, beta, threshold)
    holds = golden.bound_applies(reference, np.broadcast_to(features, output.shape), beta, output.dtype)
    assert golden.ulp_error(output, reference)[holds].max() <= ULP_LIMITS[output.dtype.name]


@pytest.mark.parametrize("number", CASES)
def test_kernel_cases(number):
    gradients_shape, features_shape, output_shape, dtype, beta, threshold, cores = CASES[number]
    gradients, features = inputs(gradients_shape, features_shape, dtype)
    output, tiling, _ = run(gradients, features, output_shape, beta=beta, threshold=threshold, cores=cores)
    rtol, atol = TOLERANCES[np.dtype(dtype).name]
    reference = golden.softplus_v2_grad(gradients, features, beta, threshold)
    np.testing.assert_allclose(output.astype(np.float64), reference, rtol=rtol, atol=atol)
    assert_within_ulps(output, gradients, features, beta, threshold)
    assert tiling.template_rank == (8 if tiling.rank > 4 else 4)


@pytest.mark.parametrize("dtype", [np.float32, np.float16, BF16], ids=str)
@pytest.mark.parametrize(("beta", "threshold"), [(1.0, 20.0), (1.1, 1.2), (-3.0, 5.0), (30.0, 60.0), (0.0, 0.0)])
def test_accuracy_over_wide_inputs(dtype, beta, threshold):
    generator = np.random.default_rng(5)
    gradients = (generator.normal(size=50_000) * 10.0 ** generator.integers(-4, 5, 50_000)).astype(dtype)
    features = generator.uniform(-25, 25, 50_000).astype(dtype)
    output, *_ = run(gradients, features, (50_000,), beta=beta, threshold=threshold)
    assert_within_ulps(output, gradients, features, beta, threshold)


def test_both_branches_are_taken():
    gradients, features = inputs((8, 64), (8, 64), np.float32)
    output, *_ = run(gradients, features, (8, 64), threshold=1.0, cores=1)
    above = features > 1
    assert 0 < above.sum() < above.size
    np.testing.assert_array_equal(output[above], gradients[above])
    assert np.all(output[~above] != gradients[~above])


@pytest.mark.parametrize("dtype", [np.float32, np.float16, BF16], ids=str)
def test_special_values(dtype):
    features = np.array([np.nan, np.inf, -np.inf, 0.0, -0.0, 1e4, -1e4, 20.0, 20.5], dtype)
    gradients = np.full(features.shape, 3.0, dtype)
    output, *_ = run(gradients, features, features.shape)
    reference = golden.softplus_v2_grad(gradients, features)
    np.testing.assert_array_equal(np.isnan(output.astype(np.float64)), np.isnan(reference))
    assert output[1] == 3
    assert output[2] == 0
    assert output[6] == 0
    assert output[8] == 3
    assert golden.ulp_error(output[[3, 4, 7]], reference[[3, 4, 7]]).max() <= 3


def test_the_exponential_overflows_as_in_the_shipped_algorithm():
    """exp(89) exceeds float32, so the quotient is 0 although 1e6 x exp(-89) is a normal number."""
    output, *_ = run(np.full(2, 1e6, np.float32), np.array([-89.0, -88.0], np.float32), (2,))
    assert output[0] == 0
    assert output[1] > 0


def test_denormal_quotients_are_flushed():
    gradients = np.array([1e-37, -1e-37], np.float32)
    features = np.array([-5.0, -5.0], np.float32)
    output, *_ = run(gradients, features, (2,))
    np.testing.assert_array_equal(output, [0.0, -0.0])
    assert np.signbit(output[1])


BROADCAST = [
    ((4, 1, 8), (1, 3, 8), (4, 3, 8)),
    ((7, 1), (1, 1300), (7, 1300)),
    ((1,), (5, 3, 700), (5, 3, 700)),
    ((3, 1, 2, 1, 2, 5), (1, 4, 2, 3, 1, 5), (3, 4, 2, 3, 2, 5)),
    ((2, 3, 2, 2, 2, 3, 2, 3), (2, 3, 2, 2, 2, 3, 2, 3), (2, 3, 2, 2, 2, 3, 2, 3)),
    ((2, 1, 2, 1, 2, 1, 2, 3), (1, 3, 1, 2, 1, 3, 1, 1), (2, 3, 2, 2, 2, 3, 2, 3)),
]


@pytest.mark.parametrize("ub_bytes", [2048, 32768, 262144])
@pytest.mark.parametrize("shapes", BROADCAST, ids=str)
@pytest.mark.parametrize("dtype", [np.float32, np.float16], ids=str)
def test_broadcasting_in_every_template(shapes, ub_bytes, dtype):
    gradients, features = inputs(shapes[0], shapes[1], dtype, seed=9)
    output, *_ = run(gradients, features, shapes[2], ub_bytes=ub_bytes, cores=5)
    assert_within_ulps(output, gradients, features, 1.0, 20.0)


def test_the_flat_outer_loop_runs():
    """Eight dimensions, all in one tile: three lie outside the five of an NDDMA."""
    shape = (2, 3, 2, 2, 2, 3, 2, 3)
    gradients, features = inputs(shape, shape, np.float32)
    *_, result = run(gradients, features, shape)
    assert result.program.disassemble().count("nddma") == 2 * 2 * 3 * 2


VARIANTS = [
    {"schedule": "timed", "threads": 1},
    {"schedule": "timed", "threads": 2},
    {"schedule": "timed", "threads": 64},
    {"schedule": "program"},
    {"schedule": "adversarial"},
    {"schedule": "random", "seed": 1},
    {"schedule": "random", "seed": 2},
]


@pytest.mark.parametrize("dtype", [np.float32, np.float16, BF16], ids=str)
@pytest.mark.parametrize("shape", [(70, 3000), (3, 5, 2, 7, 1, 33)], ids=str)
def test_schedules_threads_and_runs_agree_bit_for_bit(shape, dtype):
    gradients, features = inputs(shape, shape, dtype, seed=11)
    features.reshape(-1)[::97] = np.nan
    features.reshape(-1)[::89] = np.inf
    outputs = {run(gradients, features, shape, ub_bytes=16384, **variant)[0].tobytes() for variant in VARIANTS}
    assert len(outputs) == 1


def test_cores_do_not_change_the_result():
    shape = (40, 900)
    gradients, features = inputs(shape, shape, np.float32)
    outputs = {run(gradients, features, shape, ub_bytes=8192, cores=cores)[0].tobytes() for cores in (1, 3, 17, 64)}
    assert len(outputs) == 1


def test_recorded_as_the_documented_instructions():
    gradients, features = inputs((4, 64), (4, 64), np.float32)
    _, _, result = run(gradients, features, (4, 64))
    text = result.program.disassemble()
    body = [line.split("|")[1].split()[0] for line in text.splitlines() if line.strip().startswith("|")]
    assert body == [
        "scalar", "loop", "create_addr_reg", "update_mask", "load_align", "load_align",
        "muls", "neg", "exp", "adds", "div", "sub", "adds", "compare", "select", "store_align",
    ]  # fmt: skip
    assert [line.split()[1:3] for line in text.splitlines() if not line.strip().startswith("|")] == [
        ["MTE2", "nddma"], ["MTE2", "nddma"], ["MTE2", "set_flag"], ["V", "wait_flag"], ["V", "vf_call"],
        ["V", "set_flag"], ["MTE3", "wait_flag"], ["MTE3", "data_copy_pad"], ["S", "pipe_barrier"],
    ]  # fmt: skip


def test_half_precision_casts_through_one_buffer():
    gradients, features = inputs((4, 64), (4, 64), np.float16)
    _, _, result = run(gradients, features, (4, 64))
    names = [line.split()[2] for line in result.program.disassemble().splitlines() if not line.strip().startswith("|")]
    compute = [name for name in names if not name.endswith("_flag")]
    assert compute == ["nddma", "cast", "nddma", "cast", "vf_call", "cast", "data_copy_pad", "pipe_barrier"]
