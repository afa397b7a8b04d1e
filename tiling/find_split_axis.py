"""Where to cut a tensor so that a tile fits one UB buffer."""

from __future__ import annotations

from collections.abc import Sequence

from kernels.softplus_v2_grad.tiling_data import Split
from tiling._checks import whole_number
from tiling.errors import TilingError

STAGE = "FindSplitAxis"
UB_ALIGNMENT_BYTES = 32


def per_buffer_bytes(ub_bytes: int, physical_buffers: int) -> int:
    """Bytes of one of ``physical_buffers`` equal buffers, rounded down to 32; TilingError without a buffer."""
    ub_bytes = whole_number(STAGE, "ub_bytes", ub_bytes)
    if whole_number(STAGE, "physical_buffers", physical_buffers) <= 0:
        raise TilingError(STAGE, "at least 1 buffer is needed", physical_buffers=physical_buffers)
    return ub_bytes // physical_buffers // UB_ALIGNMENT_BYTES * UB_ALIGNMENT_BYTES


def find_split_axis(
    max_bro_shape: Sequence[int], dtype_bytes: int, ub_bytes: int, physical_buffers: int
) -> tuple[Split, int]:
    """The outermost axis of a tile and how it is cut, with the bytes of one buffer.

    Walks from the innermost axis outwards and cuts the first one whose rows no longer fit a buffer.  Raises TilingError
    for a dtype or buffer count below 1, buffers too small for an element, and a shape without axes or with an extent
    below 1.  The shipped code lets most empty shapes pass with a tile of no elements; aclnn never tiles one.
    Source: ops-nn, op_host/arch35/softplus_v2_grad_tiling_arch35.cpp.
    """
    if whole_number(STAGE, "dtype_bytes", dtype_bytes) <= 0:
        raise TilingError(STAGE, "an element needs at least 1 byte", dtype_bytes=dtype_bytes)
    nbytes = per_buffer_bytes(ub_bytes, physical_buffers)
    elements = nbytes // dtype_bytes
    if elements <= 0:
        raise TilingError(
            STAGE,
            "UB is too small for one element a buffer",
            ub_bytes=ub_bytes,
            physical_buffers=physical_buffers,
            dtype_bytes=dtype_bytes,
            alignment_bytes=UB_ALIGNMENT_BYTES,
        )
    if not max_bro_shape:
        raise TilingError(STAGE, "the shape has no axis to cut; a scalar is [1]", max_bro_shape=tuple(max_bro_shape))
    for axis, extent in enumerate(max_bro_shape):
        if extent <= 0:
            raise TilingError(STAGE, "an extent is not positive", axis=axis, extent=extent)
    # What has been passed always fits, so a_i is at least 1 and the shipped guard against a_i = 0 has no counterpart.
    inner = 1
    for axis in range(len(max_bro_shape) - 1, -1, -1):
        extent = max_bro_shape[axis]
        if extent * inner > elements:
            a_i = elements // inner
            return Split(axis, a_i, -(-extent // a_i), extent % a_i or a_i), nbytes
        inner *= extent
    return Split(0, max_bro_shape[0], 1, max_bro_shape[0]), nbytes
