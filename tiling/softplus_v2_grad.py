"""Host tiling of SoftplusV2Grad, field for field as the shipped operator fills its record."""

from __future__ import annotations

import math
import struct
from collections.abc import Sequence
from typing import Any, SupportsFloat

import msgspec

from kernels.softplus_v2_grad.op_def import BETA, SOFTPLUS_V2_GRAD, THRESHOLD
from kernels.softplus_v2_grad.tiling_data import PHYSICAL_BUFFERS, TilingData
from tiling.check_broadcast_shape import check_broadcast_shape
from tiling.errors import TilingError
from tiling.find_split_axis import find_split_axis
from tiling.multi_core_split import multi_core_split
from tiling.pad_and_squeeze import pad_and_squeeze
from tiling.precompute_strides import precompute_strides

STAGE = "MakeTiling"
ARITHMETIC_BYTES = 4
"""Arithmetic is in float32 whatever the storage type, so tiles are sized for it."""
MAX_RANK = 8
_TEMPLATE_RANKS = (4, 8)
_INT64_MAX = (1 << 63) - 1


def make_tiling(
    input_shapes: Sequence[Sequence[int]],
    output_shapes: Sequence[Sequence[int]],
    dtype: Any,
    *,
    ub_bytes: int,
    aiv_cores: int,
    beta: float = BETA.default,
    threshold: float = THRESHOLD.default,
) -> TilingData:
    """Tile the two inputs and the one output over UB and cores.

    ``input_shapes`` are those of input_gradients and input_features, ``output_shapes`` holds that of output_backprops,
    each of at most 8 dimensions; ``dtype`` is a name or anything with a ``name``: float32, float16 or bfloat16.
    ``ub_bytes`` is the UB of one core.  ``beta`` and ``threshold`` are rounded to float32, beyond its range to
    infinity.

    Raises TilingError, which names the function that refused and its numbers, for shapes that do not broadcast,
    an element count beyond int64 (the shipped code would wrap), too little UB, no core, and empty tensors: those need
    no kernel, and aclnn never launches one for them.
    Source: ops-nn, op_host/arch35/softplus_v2_grad_tiling_arch35.cpp.
    """
    _check_arguments(input_shapes, output_shapes, dtype)
    shapes = pad_and_squeeze(input_shapes, output_shapes)
    check_broadcast_shape(shapes.inputs, shapes.outputs)
    if math.prod(shapes.max_bro_shape) > _INT64_MAX:
        raise TilingError(STAGE, "the element count does not fit 64 bits", max_bro_shape=shapes.max_bro_shape)
    split, per_buf_bytes = find_split_axis(shapes.max_bro_shape, ARITHMETIC_BYTES, ub_bytes, PHYSICAL_BUFFERS)
    # An extent of 0 against 1 does not show in max_bro_shape; the tile would hold an element the tensor does not have.
    for shape in (*shapes.inputs, *shapes.outputs):
        if 0 in shape:
            raise TilingError(STAGE, "an empty tensor needs no kernel", shape=shape)
    multicore = multi_core_split(shapes.max_bro_shape, split, aiv_cores)
    rank = len(shapes.max_bro_shape)
    template_rank = next(candidate for candidate in _TEMPLATE_RANKS if rank <= candidate)
    missing = template_rank - rank

    def padded(shape: Sequence[int]) -> tuple[int, ...]:
        return (1,) * missing + tuple(shape)

    def strides(shape: Sequence[int]) -> tuple[int, ...]:
        return (0,) * missing + precompute_strides(shape)

    first, second = shapes.inputs
    (output,) = shapes.outputs
    return TilingData(
        split=msgspec.structs.replace(split, axis=split.axis + missing),
        multicore=multicore,
        rank=rank,
        per_buf_bytes=per_buf_bytes,
        max_bro_shape=padded(shapes.max_bro_shape),
        num_inputs=len(shapes.inputs),
        num_outputs=len(shapes.outputs),
        input_shapes=(padded(first), padded(second)),
        input_strides=(strides(first), strides(second)),
        output_shapes=(padded(output),),
        output_strides=(strides(output),),
        beta=_as_float32("beta", beta),
        threshold=_as_float32("threshold", threshold),
    )


def _check_arguments(input_shapes: Sequence[Sequence[int]], output_shapes: Sequence[Sequence[int]], dtype: Any) -> None:
    name = getattr(dtype, "name", dtype)
    if name not in SOFTPLUS_V2_GRAD.dtypes:
        raise TilingError(STAGE, f"dtype must be one of {', '.join(SOFTPLUS_V2_GRAD.dtypes)}", dtype=name)
    for what, shapes, wanted in (
        ("inputs", input_shapes, SOFTPLUS_V2_GRAD.inputs),
        ("outputs", output_shapes, SOFTPLUS_V2_GRAD.outputs),
    ):
        if len(shapes) != len(wanted):
            raise TilingError(STAGE, f"the operator has {len(wanted)} {what}", given=len(shapes))
        for shape in shapes:
            if len(shape) > MAX_RANK:
                raise TilingError(STAGE, f"at most {MAX_RANK} dimensions are supported", rank=len(shape), shape=shape)


def _as_float32(name: str, value: float) -> float:
    if not isinstance(value, SupportsFloat):
        raise TilingError(STAGE, f"{name} must be a number", value=value)
    try:
        rounded: float = struct.unpack("f", struct.pack("f", float(value)))[0]
    except OverflowError:
        return math.inf if value > 0 else -math.inf
    except (TypeError, ValueError):
        raise TilingError(STAGE, f"{name} must be a number", value=value) from None
    # NaNs are equal only when they are one object, and equal records must be one key.
    return math.nan if math.isnan(rounded) else rounded
