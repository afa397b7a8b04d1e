"""The register level of dav-3510: registers, masks and the instructions of a vector function."""

from typing import TYPE_CHECKING

from emulator.asc.enums import CMPMODE, LoadDist, MaskMergeMode, MaskPattern
from emulator.asc.reg import compute
from emulator.asc.reg.compute import *  # noqa: F403
from emulator.asc.reg.memory import (
    create_addr_reg,
    create_mask,
    lanes,
    load_align,
    local_mem_bar,
    store_align,
    update_mask,
)
from emulator.asc.reg.registers import AddrReg, MaskReg, RegTensor, UbPointer

__all__ = [
    "CMPMODE",
    "AddrReg",
    "LoadDist",
    "MaskMergeMode",
    "MaskPattern",
    "MaskReg",
    "RegTensor",
    "UbPointer",
    "create_addr_reg",
    "create_mask",
    "lanes",
    "load_align",
    "local_mem_bar",
    "store_align",
    "update_mask",
    *compute.__all__,
]

if TYPE_CHECKING:
    from emulator.asc.vector import VectorCall

    # The computing calls are made from the instruction table.
    def __getattr__(name: str) -> VectorCall: ...
