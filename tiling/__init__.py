"""Host tiling: pure functions from shapes to a tiling record.

An operator's own module (``tiling.softplus_v2_grad``) puts them together.
"""

from tiling.check_broadcast_shape import check_broadcast_shape
from tiling.errors import TilingError
from tiling.find_split_axis import find_split_axis
from tiling.multi_core_split import multi_core_split
from tiling.pad_and_squeeze import pad_and_squeeze
from tiling.precompute_strides import precompute_strides

__all__ = [
    "TilingError",
    "check_broadcast_shape",
    "find_split_axis",
    "multi_core_split",
    "pad_and_squeeze",
    "precompute_strides",
]
