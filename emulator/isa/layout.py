"""How instructions lie in memory: the columns of a program's rows and of a vector function's rows.

The recorder writes these columns and the engine reads them; both import the positions from here.
"""

from __future__ import annotations

from enum import IntEnum, IntFlag

# Columns of a program row (int64).
OP, PIPE, DST, SRC0, SRC1, COUNT, AUX, PARAM, IMM, LOC = range(10)
ROW_WIDTH = 10

# An address below GM_BASE is a byte of UB; above it the argument slot (from 1) and a byte offset in that tensor.
GM_SHIFT = 44
GM_BASE = 1 << GM_SHIFT
GM_OFFSET_MASK = GM_BASE - 1

# Parameter record of a two-dimensional copy; all strides run from head to head, in bytes.
COPY_BLOCKS, COPY_BYTES, COPY_SRC_STRIDE, COPY_DST_STRIDE, COPY_LEFT, COPY_RIGHT, COPY_PAD, COPY_VALUE, COPY_SIZE = (
    range(9)
)


class PadFill(IntEnum):
    """What a padded copy writes beside the data of a block."""

    NONE = 0
    VALUE = 1
    FIRST_ELEMENT = 2
    POISON = 3


# Parameter record of an N-dimensional copy: element bytes, fill (0 constant, 1 nearest), constant bits,
# then five loops of (size, source stride, destination stride, left, right) in elements, innermost first.
NDDMA_SIZE, NDDMA_NEAREST, NDDMA_VALUE, NDDMA_LOOPS = range(4)
NDDMA_LOOP_WIDTH = 5
NDDMA_DIMS = 5

# Parameter record of a vector function call: body, batch limit in iterations, whether its loop may run fused, argument
# count, UB addresses of the arguments, count of ranges read and their (low, high) bytes, count of ranges written and
# theirs.
VF_BODY, VF_BATCH, VF_FUSED, VF_ARGS = range(4)

# Parameter record of a fused loop: scalar register that counts its lanes, lanes of an iteration, count of pointers and
# their (argument, byte offset), count of immediates and their bits.
FUSED_COUNTER, FUSED_LANES, FUSED_POINTERS = range(3)

# Columns of a vector function's rows (int64).
(V_OP, V_LANE, V_DST, V_SRC0, V_SRC1, V_MASK, V_ARG, V_OFFSET, V_STRIDE, V_IMM, V_SIZE, V_AUX, V_LOC) = (
    *range(9),
    12,
    13,
    14,
    15,
)
VF_ROW_WIDTH = 16
VF_LOOP_DEPTH = 4


class LaneFlags(IntFlag):
    """``V_AUX`` of a register-level lane instruction."""

    TO_MASK = 1
    FROM_MASK = 2
    MERGING = 4


class LoadDist(IntEnum):
    """``V_AUX`` of a register load: how memory is spread over lanes."""

    NORM = 0
    BRC = 1


class MaskPattern(IntEnum):
    """``V_AUX`` of create_mask: the lanes that are set; VL<n> sets the first n lanes."""

    ALL = 0
    VL1 = 1
    VL2 = 2
    VL3 = 3
    VL4 = 4
    VL8 = 8
    VL16 = 16
    VL32 = 32
    VL64 = 64
    VL128 = 128
    M3 = 200
    M4 = 201
    H = 202
    Q = 203
    ALLF = 204


PIPES = 4
EVENT_IDS = 8
FLAGS = PIPES * PIPES * EVENT_IDS


def flag_index(source: int, destination: int, event_id: int) -> int:
    """Position of a hardware flag in the engine's flag arrays."""
    return (source * PIPES + destination) * EVENT_IDS + event_id
