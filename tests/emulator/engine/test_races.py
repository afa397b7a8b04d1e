"""A missing flag delivers wrong data in some schedule, the repaired kernel delivers right data in all.

Kernels after public bug reports on cross-pipe synchronisation.
"""

import numpy as np
import pytest

from emulator import Device, FlagError, asc

E = asc.HardEvent
SCHEDULES = ["timed", "program", "adversarial", "random"]


def tensors(dtype, count, number=3):
    return [asc.LocalTensor(dtype, asc.TPosition.VECCALC, i * count * 4, count) for i in range(number)]


def pair(event, present=True):
    if present:
        asc.set_flag(event, 0)
        asc.wait_flag(event, 0)


@asc.jit
def absolute(x: asc.GlobalAddress, z: asc.GlobalAddress, count: int, before_compute: bool, before_store: bool):
    """gm -> ub; abs; ub -> gm, with or without the flags between the pipes."""
    source, target = asc.GlobalTensor(), asc.GlobalTensor()
    source.set_global_buffer(x)
    target.set_global_buffer(z)
    a, b, _ = tensors(x.dtype, count)
    asc.data_copy(a, source, count)
    pair(E.MTE2_V, before_compute)
    asc.abs(b, a, count)
    pair(E.V_MTE3, before_store)
    asc.data_copy(target, b, count)


@asc.jit
def ping(x: asc.GlobalAddress, z: asc.GlobalAddress, count: int, before_refill: bool):
    """Two rounds through one buffer: the second copy in must wait for the first copy out."""
    source, target = asc.GlobalTensor(), asc.GlobalTensor()
    source.set_global_buffer(x)
    target.set_global_buffer(z)
    a, *_ = tensors(x.dtype, count)
    for i in range(2):
        asc.data_copy(a, source[i * count :], count)
        pair(E.MTE2_MTE3)
        asc.data_copy(target[i * count :], a, count)
        if i == 0:
            pair(E.MTE3_MTE2, before_refill)


def run(kernel, schedule, values, *flags, seed=0):
    out = np.zeros_like(values)
    count = len(values) // (2 if kernel is ping else 1)
    with Device("Ascend950", schedule=schedule, seed=seed):
        kernel[1](values, out, count, *flags)
    return out


X = -np.arange(1, 2049, dtype=np.float32)


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_with_all_flags_every_schedule_agrees(schedule):
    np.testing.assert_array_equal(run(absolute, schedule, X, True, True), -X)
    np.testing.assert_array_equal(run(ping, schedule, X, True), X)


@pytest.mark.parametrize("schedule", ["timed", "adversarial"])
@pytest.mark.parametrize("flags", [(False, True), (True, False)])
def test_a_missing_wait_delivers_stale_data(schedule, flags):
    assert np.all(run(absolute, schedule, X, *flags) != -X)


def test_author_order_hides_the_missing_wait():
    np.testing.assert_array_equal(run(absolute, "program", X, False, False), -X)


def test_the_adversary_refills_a_buffer_that_is_still_being_read():
    out = run(ping, "adversarial", X, False)
    np.testing.assert_array_equal(out[:1024], X[1024:])


def test_some_random_order_shows_the_race():
    outcomes = {run(absolute, "random", X, False, True, seed=seed).tobytes() for seed in range(12)}
    assert len(outcomes) == 2


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_setting_a_flag_twice_is_an_error_with_both_lines(schedule):
    @asc.jit
    def twice(x: asc.GlobalAddress):
        asc.set_flag(E.V_MTE3, 0)
        asc.set_flag(E.V_MTE3, 0)
        asc.pipe_barrier(asc.PipeID.PIPE_ALL)

    with Device("Ascend950", schedule=schedule), pytest.raises(FlagError, match="V_MTE3 id 0") as caught:
        twice[1](X.copy())
    first = twice.function.__code__.co_firstlineno + 2
    assert caught.value.location.line == first + 1
    assert f":{first} in twice" in str(caught.value)
