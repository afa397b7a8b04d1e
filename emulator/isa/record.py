"""The instruction record: everything the emulator knows about one instruction, written once.

Emitting, checking, executing, pricing, disassembling and documenting all read it.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import IntEnum, StrEnum

import msgspec


class Pipe(IntEnum):
    """The instruction queues of a vector core."""

    S = 0
    V = 1
    MTE2 = 2
    MTE3 = 3


class Level(StrEnum):
    """Where the operands of an instruction live."""

    MEMORY = "memory"  # vector calls on LocalTensors
    REG = "reg"  # register level, inside a vector function
    DMA = "dma"  # copies between global memory and UB
    SYNC = "sync"  # flags and barriers
    SCALAR = "scalar"  # the scalar unit
    CALL = "call"  # the start of a vector function


class Execute(IntEnum):
    """How the engine runs an instruction; the engine switches on this, never on the name."""

    LANE = 0
    COPY = 1
    NDDMA = 2
    VECTOR_FUNCTION = 3
    SET_FLAG = 4
    WAIT_FLAG = 5
    BARRIER = 6
    SCALAR_STORE = 7
    SCALAR_LOAD = 8
    # register level
    REG_LOAD = 16
    REG_STORE = 17
    REG_LANE = 18
    REG_UPDATE_MASK = 19
    REG_CREATE_MASK = 20
    REG_ADDRESS = 21
    REG_MEM_BAR = 22
    REG_LOOP = 23
    REG_END = 24
    REG_SCALAR = 25


class Form(StrEnum):
    """The shape of a lane function: what it reads per element and what it writes.

    ``v`` a vector element, ``s`` the scalar, ``m`` a mask lane, ``->`` the result.
    """

    UNARY = "v->v"
    BINARY = "vv->v"
    SCALAR = "vs->v"
    FILL = "s->v"
    TERNARY = "dvs->v"  # the destination is read as well (axpy)
    COMPARE = "vv->m"
    COMPARE_SCALAR = "vs->m"
    SELECT = "mvv->v"
    SELECT_SCALAR = "mvs->v"
    CONVERT = "v->w"
    NONE = ""


class Instruction(msgspec.Struct, frozen=True, kw_only=True):
    """One instruction.

    ``dtypes`` maps an architecture ("dav-2201", "dav-3510") to the element types it accepts; an architecture that is
    missing does not have the instruction.  For conversions an entry reads "float16->float32:none,rint".
    ``lane`` names the lane function in :mod:`emulator.engine.lanes`.  ``cost`` is the key of the SoC file's cost table.
    ``source`` names the public documentation page (a path below ``docs/zh/api/SIMD-API`` of asc-devkit) or another
    source.
    """

    name: str
    level: Level
    execute: Execute
    pipe: Pipe | None
    summary: str
    source: str
    form: Form = Form.NONE
    dtypes: Mapping[str, tuple[str, ...]] = msgspec.field(default_factory=dict)
    lane: str = ""
    lane_by_arch: Mapping[str, str] = msgspec.field(default_factory=dict)
    """Lane functions of architectures that compute otherwise than ``lane``."""
    cost: str = ""
    merging: bool = False
    """Whether MaskMergeMode.MERGING is accepted (register level only)."""
    provenance: str = "documented"

    @property
    def lanes(self) -> tuple[str, ...]:
        """Names of its lane functions on all architectures."""
        return tuple(name for name in dict.fromkeys((self.lane, *self.lane_by_arch.values())) if name)

    def lane_on(self, arch: str) -> str:
        """Name of the lane function on an architecture."""
        return self.lane_by_arch.get(arch, self.lane)

    @property
    def key(self) -> tuple[str, str]:
        return (self.level.value, self.name)

    @property
    def qualified_name(self) -> str:
        """The name an author writes after ``asc.``."""
        return f"reg.{self.name}" if self.level is Level.REG else self.name
