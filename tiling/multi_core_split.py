"""How tiles are dealt to cores."""

from __future__ import annotations

import math
from collections.abc import Sequence

from kernels.softplus_v2_grad.tiling_data import MultiCore, Split
from tiling._checks import whole_number
from tiling.errors import TilingError

STAGE = "MultiCoreSplit"


def multi_core_split(max_bro_shape: Sequence[int], split: Split, max_cores: int) -> MultiCore:
    """Deal the tiles as evenly as whole tiles allow.

    ``split.axis`` counts in ``max_bro_shape``.  TilingError where there is no tile, or no core to take one.
    Source: ops-nn, op_host/arch35/softplus_v2_grad_tiling_arch35.cpp.
    """
    total_tiles = math.prod(max_bro_shape[: split.axis]) * split.a_o
    num_cores = min(total_tiles, whole_number(STAGE, "max_cores", max_cores))
    if num_cores <= 0:
        raise TilingError(STAGE, "at least 1 tile and 1 core are needed", total_tiles=total_tiles, max_cores=max_cores)
    tiles_main, cores_tail = divmod(total_tiles, num_cores)
    return MultiCore(num_cores, total_tiles, tiles_main, cores_tail)
