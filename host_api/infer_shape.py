"""Shape inference of SoftplusV2Grad: NumPy broadcasting of the two inputs."""

from __future__ import annotations

from collections.abc import Sequence

from host_api.acl.status import Status
from host_api.errors import AclError

UNKNOWN_EXTENT = -1
UNKNOWN_RANK = (-2,)
"""Graph mode's marks for what is known at run time only."""


def infer_shape(input_gradients: Sequence[int], input_features: Sequence[int]) -> tuple[int, ...]:
    """Shape of output_backprops; AclError (561001) where the inputs do not broadcast.

    An extent of -1 is unknown: against 1 it stays so, against anything else it must turn out to be that or 1.  The
    shape (-2,) has an unknown rank, and so has the result.
    Source: ops-nn, op_host/softplus_v2_grad_infershape.cpp; opbase, infershape_broadcast_util.cpp.
    """
    shapes = tuple(input_gradients), tuple(input_features)
    if UNKNOWN_RANK in shapes:
        return UNKNOWN_RANK
    for name, shape in zip(("input_gradients", "input_features"), shapes, strict=True):
        if any(extent < UNKNOWN_EXTENT for extent in shape):
            raise AclError(Status.ACLNN_INNER_INFERSHAPE_ERROR, f"{name} is {shape}; an extent is at least -1")
    rank = max(map(len, shapes))
    first, second = ((1,) * (rank - len(shape)) + shape for shape in shapes)
    result = []
    for axis, (a, b) in enumerate(zip(first, second, strict=True)):
        if a != b and 1 not in (a, b) and UNKNOWN_EXTENT not in (a, b):
            raise AclError(
                Status.ACLNN_INNER_INFERSHAPE_ERROR,
                f"input_gradients {shapes[0]} and input_features {shapes[1]} do not broadcast in dimension {axis}: "
                f"{a} against {b}",
            )
        result.append(b if a == 1 or (a == UNKNOWN_EXTENT and b != 1) else a)
    return tuple(result)
