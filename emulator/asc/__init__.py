"""The kernel-authoring API.  Names, argument order and enums follow pyasc, the official Python Ascend C.

``asc.reg`` adds the register level of dav-3510 in the same style.
"""

from typing import TYPE_CHECKING

from emulator.asc import reg, vector
from emulator.asc.enums import CMPMODE, HardEvent, MaskPattern, PipeID, RoundMode, SelMode, TPosition
from emulator.asc.jit import ConstExpr, Kernel, jit
from emulator.asc.movement import data_copy, data_copy_pad
from emulator.asc.params import (
    DataCopyExtParams,
    DataCopyPadExtParams,
    DataCopyParams,
    NdDmaLoopInfo,
    NdDmaParams,
)
from emulator.asc.reg.function import VectorFunction, simd_vf, vf_call
from emulator.asc.sync import pipe_barrier, set_flag, wait_flag
from emulator.asc.system import (
    get_block_idx,
    get_block_num,
    get_data_block_size_in_bytes,
    number,
    range,  # noqa: A004  (pyasc's name)
    static_range,
)
from emulator.asc.tensors import GlobalAddress, GlobalTensor, LocalTensor
from emulator.asc.tpipe import TBuf, TPipe, TQue, TQueBind
from emulator.asc.vector import *  # noqa: F403
from emulator.dtypes import (
    DataType,
    bfloat16,
    float16,
    float32,
    half,
    int8,
    int16,
    int32,
    int64,
    uint8,
    uint16,
    uint32,
    uint64,
)

__all__ = [
    "CMPMODE",
    "ConstExpr",
    "DataCopyExtParams",
    "DataCopyPadExtParams",
    "DataCopyParams",
    "DataType",
    "GlobalAddress",
    "GlobalTensor",
    "HardEvent",
    "Kernel",
    "LocalTensor",
    "MaskPattern",
    "NdDmaLoopInfo",
    "NdDmaParams",
    "PipeID",
    "RoundMode",
    "SelMode",
    "TBuf",
    "TPipe",
    "TPosition",
    "TQue",
    "TQueBind",
    "VectorFunction",
    "bfloat16",
    "data_copy",
    "data_copy_pad",
    "float16",
    "float32",
    "get_block_idx",
    "get_block_num",
    "get_data_block_size_in_bytes",
    "half",
    "int16",
    "int32",
    "int64",
    "int8",
    "jit",
    "number",
    "pipe_barrier",
    "range",
    "reg",
    "set_flag",
    "simd_vf",
    "static_range",
    "uint16",
    "uint32",
    "uint64",
    "uint8",
    "vf_call",
    "wait_flag",
    *vector.__all__,
]

if TYPE_CHECKING:
    # The vector calls are made from the instruction table.
    def __getattr__(name: str) -> vector.VectorCall: ...
