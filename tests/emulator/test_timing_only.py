"""Runs that only keep time: the same cycles as a full run, and nothing moves."""

import numpy as np
import pytest

from emulator import Device, LaunchError, asc
from kernels.softplus_v2_grad.arch35 import softplus_v2_grad
from tiling.softplus_v2_grad import make_tiling


def launch(output, **device):
    shape = output.shape
    gradients, features = np.ones(shape, np.float32), np.ones(shape, np.float32)
    tiling = make_tiling([shape, shape], [shape], "float32", ub_bytes=16384, aiv_cores=7)
    with Device("Ascend950", **device):
        return softplus_v2_grad[7](gradients, features, output, tiling)


def test_cycles_and_timelines_equal_those_of_a_full_run():
    idle, full = np.zeros((40, 999), np.float32), np.zeros((40, 999), np.float32)
    timed, moved = launch(idle, timing_only=True), launch(full)
    assert timed.cycles == moved.cycles > 0
    for a, b in zip(timed.timelines, moved.timelines, strict=True):
        np.testing.assert_array_equal(a, b)
    assert not idle.any()
    assert full.all()


def test_time_runs_forward_on_every_pipe():
    result = launch(np.zeros((40, 999), np.float32))
    for core, timeline in enumerate(result.timelines):
        issued, started, ended = timeline.T
        assert np.all(issued <= started)
        assert np.all(started <= ended)
        pipes = result.program.core_rows(core)[:, 1]
        for pipe in np.unique(pipes):
            mine = pipes == pipe
            assert np.all(ended[mine][:-1] <= started[mine][1:])
        assert ended.max() <= result.cycles


def test_two_runs_give_the_same_cycles():
    assert launch(np.zeros((9, 500), np.float32)).cycles == launch(np.zeros((9, 500), np.float32), threads=1).cycles


def test_only_under_the_timed_schedule():
    with pytest.raises(LaunchError, match="timed schedule, not 'program'"):
        Device(schedule="program", timing_only=True)


def test_a_kernel_that_reads_data_back_is_refused():
    @asc.jit
    def peek(x: asc.GlobalAddress):
        asc.LocalTensor(asc.float32, addr=0, tile_size=8).get_value(0)

    with Device("Ascend950", timing_only=True), pytest.raises(LaunchError, match="reads data back"):
        peek[1](np.zeros(8, np.float32))
