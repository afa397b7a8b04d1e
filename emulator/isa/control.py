"""Flags, barriers, the scalar unit's own accesses, and the start of a vector function."""

from __future__ import annotations

from emulator.isa.families import A2, A5, ALL, REG_PAGES
from emulator.isa.record import Execute, Instruction, Level, Pipe


def _sync(name: str, execute: Execute, summary: str, page: str) -> Instruction:
    return Instruction(
        name=name,
        level=Level.SYNC,
        execute=execute,
        pipe=None,
        summary=summary,
        source=f"基础API/同步控制/核内同步/{page}",
        cost="flag" if execute is not Execute.BARRIER else "barrier",
    )


def _scalar(name: str, execute: Execute, summary: str, page: str) -> Instruction:
    return Instruction(
        name=name,
        level=Level.SCALAR,
        execute=execute,
        pipe=Pipe.S,
        summary=summary,
        source=f"基础API/数据结构/LocalTensor/{page}",
        dtypes={A2: ALL, A5: ALL},
        cost="scalar_access",
    )


RECORDS = (
    _sync(
        "set_flag",
        Execute.SET_FLAG,
        "Sets a flag once everything earlier on its source pipe is complete.",
        "SetFlag-WaitFlag(ISASI).md",
    ),
    _sync(
        "wait_flag",
        Execute.WAIT_FLAG,
        "Holds the destination pipe until the flag is set, then clears it.",
        "SetFlag-WaitFlag(ISASI).md",
    ),
    _sync(
        "pipe_barrier",
        Execute.BARRIER,
        "Later instructions of the pipe wait for earlier ones; PIPE_ALL for all pipes.",
        "PipeBarrier(ISASI).md",
    ),
    _scalar("set_value", Execute.SCALAR_STORE, "Stores one element from the scalar unit.", "SetValue.md"),
    _scalar("get_value", Execute.SCALAR_LOAD, "Loads one element into the scalar unit.", "GetValue.md"),
    Instruction(
        name="vf_call",
        level=Level.CALL,
        execute=Execute.VECTOR_FUNCTION,
        pipe=Pipe.V,
        summary="Runs a vector function.",
        source=f"{REG_PAGES}/VF调用/asc_vf_call.md",
        dtypes={A5: ALL},
        cost="vector_function",
    ),
)
