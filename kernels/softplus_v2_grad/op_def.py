"""What the operator's registry says: inputs, outputs, attributes, dtypes.

Source: ops-nn, activation/softplus_v2_grad/op_host/softplus_v2_grad_def.cpp (August 2026).
"""

from __future__ import annotations

from typing import NamedTuple


class Attribute(NamedTuple):
    """An optional float attribute of the operator."""

    position: int
    name: str
    default: float


class OperatorDefinition(NamedTuple):
    """The operator as its registry declares it; every tensor has one of ``dtypes``, the same for all."""

    name: str
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    attributes: tuple[Attribute, ...]
    dtypes: tuple[str, ...]
    soc_families: tuple[str, ...]


BETA = Attribute(0, "beta", 1.0)
THRESHOLD = Attribute(1, "threshold", 20.0)

SOFTPLUS_V2_GRAD = OperatorDefinition(
    name="SoftplusV2Grad",
    inputs=("input_gradients", "input_features"),
    outputs=("output_backprops",),
    attributes=(BETA, THRESHOLD),
    dtypes=("float32", "float16", "bfloat16"),
    soc_families=("Ascend950",),
)
