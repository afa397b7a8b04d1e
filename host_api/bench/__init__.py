"""Speed of the emulator against what else computes SoftplusV2Grad on this machine, measured in one run."""

from host_api.bench.measure import Measurement, interleave
from host_api.bench.suite import compare, environment

__all__ = ["Measurement", "compare", "environment", "interleave"]
