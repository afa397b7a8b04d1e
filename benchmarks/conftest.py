"""Benchmarks run under pytest-benchmark: `make bench`."""
