"""Turns a core that cannot go on into errors that name pipe, flag and source line."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from emulator.engine.runner import Job
from emulator.engine.state import HEAD, NONE, PC, SET_BY, STATUS_ROW, Status
from emulator.errors import BlockedWait, DeadlockError, FlagError, SourceLocation
from emulator.isa import layout as at
from emulator.isa.record import Execute, Pipe
from emulator.isa.table import TABLE
from emulator.program.disassembler import flag_name

Locate = Callable[[int], SourceLocation | None]
"""The author's line of a row."""


def raise_failures(
    job: Job,
    location: Callable[[int, int], SourceLocation | None],
    *,
    first_core: int = 0,
) -> None:
    """Raise the error of a launch whose cores did not all finish; ``location`` is called with (core, row)."""
    statuses = job.statuses()
    for number, status in enumerate(statuses):
        if status is Status.FLAG_SET_TWICE:
            raise _flag_error(first_core, number, job, partial(location, number))
    stuck = [number for number, status in enumerate(statuses) if status is Status.DEADLOCK]
    waits = [wait for number in stuck for wait in _blocked_waits(first_core, number, job, partial(location, number))]
    if waits:
        raise DeadlockError(tuple(waits))


def _blocked_waits(first_core: int, number: int, job: Job, locate: Locate) -> list[BlockedWait]:
    """Every pipe of a deadlocked core with what it waits for."""
    registers = job.state.registers[number]
    rows = job.rows[job.state.offsets[number] : job.state.offsets[number + 1]]
    waits = []
    heads = [int(registers[HEAD + pipe]) for pipe in range(at.PIPES)]
    if registers[PC] < len(rows):
        heads[Pipe.S] = int(registers[PC])
    for pipe, row in enumerate(heads):
        if row == NONE:
            continue
        record = TABLE[rows[row, at.OP]]
        if record.execute is Execute.WAIT_FLAG:
            what = f"wait_flag {flag_name(int(rows[row, at.AUX]))}, which nothing sets"
        elif record.execute is Execute.BARRIER:
            what = "pipe_barrier PIPE_ALL, for pipes that never finish"
        else:
            what = record.name
        waits.append(BlockedWait(first_core + number, Pipe(pipe).name, what, locate(row)))
    return waits


def _flag_error(first_core: int, number: int, job: Job, locate: Locate) -> FlagError:
    """The error for a flag set twice without a wait between."""
    row = int(job.state.registers[number, STATUS_ROW])
    flag = int(job.rows[job.state.offsets[number] + row, at.AUX])
    first = locate(int(job.state.flags[number, flag, SET_BY]))
    return FlagError(
        f"core {first_core + number}: {flag_name(flag)} is set again before any wait_flag cleared it"
        + (f"; it was set at {first}" if first else ""),
        location=locate(row),
    )
