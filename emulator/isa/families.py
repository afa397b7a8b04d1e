"""Short ways to write records: element-type lists and the constructors that the family modules share."""

from __future__ import annotations

from collections.abc import Mapping

from emulator.isa.record import Execute, Form, Instruction, Level, Pipe

A2, A5 = "dav-2201", "dav-3510"

F32 = ("float16", "float32")
FLOATS = ("float16", "bfloat16", "float32")
S16_TO_F32 = ("int16", "float16", "int32", "float32")
BYTES = ("int8", "uint8")
WORDS = ("int16", "uint16", "int32", "uint32")
LONGS = ("int64", "uint64")
INTEGERS = (*BYTES, *WORDS, *LONGS)
ALL = (*INTEGERS, *FLOATS)

MEMORY_PAGES = "基础API/Memory矢量计算"
REG_PAGES = "基础API/Reg矢量计算"


def memory(
    name: str,
    form: Form,
    summary: str,
    page: str,
    *,
    a2: tuple[str, ...] = (),
    a5: tuple[str, ...] = (),
    lane: str = "",
    a2_lane: str = "",
    cost: str = "",
    provenance: str = "documented",
) -> Instruction:
    """A memory-level vector call; ``a2_lane`` where dav-2201 computes otherwise."""
    return Instruction(
        name=name,
        level=Level.MEMORY,
        execute=Execute.LANE,
        pipe=Pipe.V,
        summary=summary,
        source=f"{MEMORY_PAGES}/{page}",
        form=form,
        dtypes=_by_arch(a2, a5),
        lane=lane or name,
        lane_by_arch={A2: a2_lane} if a2_lane else {},
        cost=cost or name,
        provenance=provenance,
    )


def register(
    name: str,
    form: Form,
    summary: str,
    page: str,
    dtypes: tuple[str, ...],
    *,
    lane: str = "",
    cost: str = "",
    merging: bool = False,
    provenance: str = "documented",
) -> Instruction:
    """A register-level computation of dav-3510."""
    return Instruction(
        name=name,
        level=Level.REG,
        execute=Execute.REG_LANE,
        pipe=Pipe.V,
        summary=summary,
        source=f"{REG_PAGES}/{page}",
        form=form,
        dtypes={A5: dtypes},
        lane=lane or name,
        cost=cost or name,
        merging=merging,
        provenance=provenance,
    )


def _by_arch(a2: tuple[str, ...], a5: tuple[str, ...]) -> Mapping[str, tuple[str, ...]]:
    return {arch: types for arch, types in ((A2, a2), (A5, a5)) if types}
