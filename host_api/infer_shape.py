"""Shape inference of SoftplusV2Grad: NumPy broadcasting of the two inputs."""

from __future__ import annotations

from collections.abc import Sequence

from host_api.acl.status import Status
from host_api.errors import AclError


def infer_shape(input_gradients: Sequence[int], input_features: Sequence[int]) -> tuple[int, ...]:
    """Shape of output_backprops; AclError where the inputs do not broadcast.

    Source: ops-nn, op_host/softplus_v2_grad_infershape.cpp.
    """
    rank = max(len(input_gradients), len(input_features))
    first = (1,) * (rank - len(input_gradients)) + tuple(input_gradients)
    second = (1,) * (rank - len(input_features)) + tuple(input_features)
    for axis, (a, b) in enumerate(zip(first, second, strict=True)):
        if a != b and 1 not in (a, b):
            raise AclError(
                Status.ACLNN_PARAM_INVALID,
                f"input_gradients {tuple(input_gradients)} and input_features {tuple(input_features)} do not broadcast "
                f"in dimension {axis}: {a} against {b}",
            )
    return tuple(b if a == 1 else a for a, b in zip(first, second, strict=True))
