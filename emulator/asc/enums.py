"""Enumerations of the authoring API, named as pyasc names them."""

from __future__ import annotations

from enum import Enum, IntEnum

from emulator.isa.layout import LoadDist, MaskPattern, flag_index
from emulator.isa.record import Pipe


class TPosition(Enum):
    """Logical positions of a buffer."""

    GM = "GM"
    VECIN = "VECIN"
    VECOUT = "VECOUT"
    VECCALC = "VECCALC"


class HardEvent(Enum):
    """Hardware events between two pipes, SRC_DST; those a vector core has."""

    MTE2_V = (Pipe.MTE2, Pipe.V)
    V_MTE2 = (Pipe.V, Pipe.MTE2)
    MTE3_V = (Pipe.MTE3, Pipe.V)
    V_MTE3 = (Pipe.V, Pipe.MTE3)
    V_V = (Pipe.V, Pipe.V)
    MTE3_MTE2 = (Pipe.MTE3, Pipe.MTE2)
    MTE2_MTE3 = (Pipe.MTE2, Pipe.MTE3)
    S_V = (Pipe.S, Pipe.V)
    V_S = (Pipe.V, Pipe.S)
    S_MTE2 = (Pipe.S, Pipe.MTE2)
    MTE2_S = (Pipe.MTE2, Pipe.S)
    S_MTE3 = (Pipe.S, Pipe.MTE3)
    MTE3_S = (Pipe.MTE3, Pipe.S)

    def __init__(self, source: Pipe, destination: Pipe) -> None:
        self.source = source
        self.destination = destination
        self.first_flag = flag_index(source, destination, 0)


class PipeID(Enum):
    """Pipes that a barrier can name."""

    PIPE_S = Pipe.S
    PIPE_V = Pipe.V
    PIPE_MTE2 = Pipe.MTE2
    PIPE_MTE3 = Pipe.MTE3
    PIPE_ALL = None


class RoundMode(Enum):
    """Rounding of a conversion; the value is the mode's name in the instruction table."""

    CAST_NONE = "none"
    CAST_RINT = "rint"
    CAST_FLOOR = "floor"
    CAST_CEIL = "ceil"
    CAST_ROUND = "round"
    CAST_TRUNC = "trunc"
    CAST_ODD = "odd"


class CMPMODE(Enum):
    """Comparisons; the value is the suffix of the lane function."""

    LT = "lt"
    GT = "gt"
    EQ = "eq"
    LE = "le"
    GE = "ge"
    NE = "ne"


class SelMode(IntEnum):
    """Modes of the memory-level select."""

    VSEL_CMPMASK_SPR = 0
    VSEL_TENSOR_SCALAR_MODE = 1
    VSEL_TENSOR_TENSOR_MODE = 2


class MaskMergeMode(Enum):
    """What happens to lanes outside the mask: set to 0, or left as they are."""

    ZEROING = 0
    MERGING = 1


__all__ = [
    "CMPMODE",
    "HardEvent",
    "LoadDist",
    "MaskMergeMode",
    "MaskPattern",
    "PipeID",
    "RoundMode",
    "SelMode",
    "TPosition",
]
