"""Benchmarks under pytest-benchmark: `make bench`.  `aivemu bench` prints the ratios to NumPy and PyTorch."""

import pytest

from emulator import Device


@pytest.fixture
def device():
    with Device("Ascend950") as device:
        yield device
