"""A kernel that can never finish ends at once and says who waits for what, and where it was written."""

import numpy as np
import pytest

from emulator import DeadlockError, Device, asc

E = asc.HardEvent
X = np.zeros(64, np.float32)


def waits_of(kernel, cores=1, schedule="timed"):
    with Device("Ascend950", schedule=schedule), pytest.raises(DeadlockError) as caught:
        kernel[cores](X.copy())
    return caught.value.waits


@pytest.mark.parametrize("schedule", ["timed", "program", "adversarial", "random"])
def test_a_wait_without_its_set(schedule):
    @asc.jit
    def kernel(x: asc.GlobalAddress):
        asc.wait_flag(E.MTE2_V, 3)

    (wait,) = waits_of(kernel, schedule=schedule)
    assert (wait.core, wait.pipe) == (0, "V")
    assert "MTE2_V id 3" in wait.waits_for
    assert wait.location.line == kernel.function.__code__.co_firstlineno + 2
    assert wait.location.file == __file__


def test_pipes_that_wait_for_each_other():
    @asc.jit
    def kernel(x: asc.GlobalAddress):
        asc.wait_flag(E.MTE2_V, 0)
        asc.set_flag(E.V_MTE2, 0)
        asc.wait_flag(E.V_MTE2, 0)
        asc.set_flag(E.MTE2_V, 0)

    assert {wait.pipe for wait in waits_of(kernel)} == {"V", "MTE2"}


def test_a_barrier_behind_a_stuck_pipe_and_every_core_is_named():
    @asc.jit
    def kernel(x: asc.GlobalAddress):
        if asc.get_block_idx() != 1:
            asc.wait_flag(E.S_MTE3, 1)
            asc.pipe_barrier(asc.PipeID.PIPE_ALL)

    waits = waits_of(kernel, cores=3)
    assert {(wait.core, wait.pipe) for wait in waits} == {(0, "MTE3"), (0, "S"), (2, "MTE3"), (2, "S")}
    assert any("PIPE_ALL" in wait.waits_for for wait in waits)


def test_a_queue_whose_tensors_are_never_freed():
    @asc.jit
    def kernel(x: asc.GlobalAddress):
        pipe = asc.TPipe()
        queue = asc.TQue(asc.TPosition.VECIN, 1)
        pipe.init_buffer(queue, 1, 64)
        queue.alloc_tensor(asc.float32)
        queue.alloc_tensor(asc.float32)

    (wait,) = waits_of(kernel)
    assert "none was freed" in wait.waits_for
    assert wait.location.line == kernel.function.__code__.co_firstlineno + 6


def test_a_set_that_comes_later_on_another_pipe_is_no_deadlock():
    @asc.jit
    def kernel(x: asc.GlobalAddress):
        asc.wait_flag(E.MTE2_V, 0)
        asc.set_flag(E.MTE2_V, 0)

    for schedule in ("timed", "program", "adversarial"):
        with Device("Ascend950", schedule=schedule):
            kernel[2](X.copy())
