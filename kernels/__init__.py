"""Kernels, a folder an operator: definition, tiling record, one kernel module an architecture, golden reference."""
