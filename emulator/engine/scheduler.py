"""The pipes of a core: which instruction starts and completes when, and what it sees.

An instruction reads when it starts and writes when it completes.  Between the two another pipe may write what it reads:
then its reads are captured first, so a missing ``wait_flag`` delivers stale data as on the chip, while a kernel with
all its flags pays nothing for it.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from emulator.engine.dma import POISON_BYTE
from emulator.engine.execute import execute
from emulator.engine.intrinsics import POINTER_TO, fill_bytes, move_bytes
from emulator.engine.jit import engine_function, inlined, pasted
from emulator.engine.schedule import Schedule
from emulator.engine.state import (
    CAPTURED,
    CLOCK,
    END_CLOCK,
    ENDED,
    HEAD,
    IN_FLIGHT,
    ISSUED,
    LINK,
    NONE,
    PC,
    PIPE_CLOCK,
    RANDOM,
    SET_AT,
    SET_BY,
    STARTED,
    STATUS,
    STATUS_ROW,
    TAIL,
    Status,
)
from emulator.isa import layout as at
from emulator.isa.record import Execute, Pipe
from emulator.program.footprint import MAX_READS, MAX_WRITES

_SET, _WAIT, _BARRIER = int(Execute.SET_FLAG), int(Execute.WAIT_FLAG), int(Execute.BARRIER)
_S, _V, _MTE3 = int(Pipe.S), int(Pipe.V), int(Pipe.MTE3)
_TIMED, _PROGRAM = int(Schedule.timed), int(Schedule.program)
_ADVERSARIAL, _RANDOM = int(Schedule.adversarial), int(Schedule.random)
_NEVER = np.int64(2**62)
_U8 = POINTER_TO["uint8"]

# Columns of the run's settings.
SCHEDULE, ISSUE_CYCLES, MOVE_DATA, UB_BYTES, UNTIL_ROW, BATCH, FRESH_UB = range(7)
SETTINGS = 7


@inlined
def _overlaps(ranges: Any, row: Any, count: Any, other: Any, other_row: Any, other_count: Any) -> bool:
    for i in range(count):
        low, high = ranges[row, i, 0], ranges[row, i, 1]
        if low < high:
            for j in range(other_count):
                if low < other[other_row, j, 1] and other[other_row, j, 0] < high:
                    return True
    return False


@inlined
def _before(shadow: Any, pipe: Any, ub_bytes: Any) -> Any:
    """UB as the captured instruction of ``pipe`` saw it."""
    return shadow + pipe * 2 * ub_bytes


@inlined
def _after(shadow: Any, pipe: Any, ub_bytes: Any) -> Any:
    """UB as the captured instruction of ``pipe`` left its private copy."""
    return shadow + (pipe * 2 + 1) * ub_bytes


@inlined
def _merge_changes(ub: Any, before: Any, after: Any, writes: Any, row: Any) -> None:
    for i in range(MAX_WRITES):
        for byte in range(writes[row, i, 0], writes[row, i, 1]):
            if _U8(before)[byte] != _U8(after)[byte]:
                _U8(ub)[byte] = _U8(after)[byte]


@engine_function
def run_core(
    settings: Any,
    kinds: Any,
    rows: Any,
    cycles: Any,
    reads: Any,
    writes: Any,
    pool: Any,
    bodies: Any,
    body_rows: Any,
    lanes: Any,
    bases: Any,
    ub: Any,
    file: Any,
    shadow: Any,
    registers: Any,
    flags: Any,
    times: Any,
) -> int:
    """Run a core until its rows are done, it can never go on, or row ``settings[UNTIL_ROW]`` has completed.

    ``rows`` [n, ROW_WIDTH] is the program, ``cycles`` [n] what each row costs, ``reads`` and ``writes`` the byte ranges
    it touches (UB and global memory in one address space).  ``ub``, ``file`` and ``shadow`` are host addresses of the
    core's UB, its register file and 2 x PIPES spare copies of UB.  ``registers``, ``flags`` and ``times`` are one
    core's part of the MachineState.  Returns a Status.
    """
    schedule, issue_cycles = settings[SCHEDULE], settings[ISSUE_CYCLES]
    move_data, ub_bytes, until = settings[MOVE_DATA] != 0, settings[UB_BYTES], settings[UNTIL_ROW]
    count, batch = rows.shape[0], settings[BATCH]
    while True:
        if until != NONE and registers[PC] > until and registers[IN_FLIGHT + _S] == NONE:
            return Status.DONE
        blocked_set = _start_all(schedule, rows, kinds, count, issue_cycles, registers, flags, times, cycles, until)
        pipe = _next_to_complete(schedule, registers)
        if blocked_set != NONE:
            first_end = registers[END_CLOCK + pipe] if pipe != NONE and schedule == _TIMED else _NEVER
            clock = registers[PIPE_CLOCK + rows[blocked_set, at.PIPE]]
            if first_end == _NEVER or clock < first_end:
                registers[STATUS_ROW] = blocked_set
                return Status.FLAG_SET_TWICE
        if pipe == NONE:
            waiting = registers[PC] < count
            for other in range(1, at.PIPES):
                waiting = waiting or registers[HEAD + other] != NONE
            return Status.DEADLOCK if waiting else Status.DONE
        row = registers[IN_FLIGHT + pipe]
        if move_data:
            _protect_readers(
                schedule, pipe, row, rows, reads, writes, registers, times,
                kinds, pool, bodies, body_rows, lanes, bases, ub, file, shadow, ub_bytes, batch,
            )  # fmt: skip
            if registers[CAPTURED + pipe] == 0:
                execute(kinds, rows[row], pool, bodies, body_rows, lanes, bases, ub, file, batch)
            elif pipe == _MTE3:
                seen = _before(shadow, pipe, ub_bytes)
                execute(kinds, rows[row], pool, bodies, body_rows, lanes, bases, seen, file, batch)
            else:
                _merge_changes(ub, _before(shadow, pipe, ub_bytes), _after(shadow, pipe, ub_bytes), writes, row)
        times[row, ENDED] = registers[END_CLOCK + pipe]
        registers[PIPE_CLOCK + pipe] = registers[END_CLOCK + pipe]
        registers[IN_FLIGHT + pipe] = NONE
        registers[CAPTURED + pipe] = 0
        if pipe == _S:
            registers[CLOCK] = registers[END_CLOCK + _S]
            registers[PC] += 1


@engine_function
def run_cores(
    settings: Any,
    kinds: Any,
    rows: Any,
    offsets: Any,
    cycles: Any,
    reads: Any,
    writes: Any,
    pool: Any,
    bodies: Any,
    body_rows: Any,
    lanes: Any,
    bases: Any,
    ub: Any,
    file: Any,
    shadow: Any,
    registers: Any,
    flags: Any,
    times: Any,
    first: Any,
    last: Any,
) -> None:
    """Run cores ``first`` to ``last`` of a machine one after another, from poisoned UB where asked; see ``run_core``.

    Each core's Status is left in its registers.
    """
    for core in range(first, last):
        if settings[MOVE_DATA] != 0 and settings[FRESH_UB] != 0:
            fill_bytes(ub, np.int64(POISON_BYTE), settings[UB_BYTES])
        start, end = offsets[core], offsets[core + 1]
        registers[core, STATUS] = run_core(
            settings,
            kinds,
            rows[start:end],
            cycles[start:end],
            reads[start:end],
            writes[start:end],
            pool,
            bodies,
            body_rows,
            lanes,
            bases,
            ub,
            file,
            shadow,
            registers[core],
            flags[core],
            times[start:end],
        )


@pasted
def _start_all(
    schedule: Any,
    rows: Any,
    kinds: Any,
    count: Any,
    issue_cycles: Any,
    registers: Any,
    flags: Any,
    times: Any,
    cycles: Any,
    until: Any,
) -> Any:
    """Issue and start everything that can start now; returns a set_flag that waits for its flag to clear, or NONE.

    Only a flag that changes can unblock another pipe, so the pipes are looked at again only then.
    """
    flags_changed = True
    blocked_set = np.int64(NONE)
    while flags_changed:
        flags_changed = False
        blocked_set = np.int64(NONE)
        if registers[PC] < count:
            flags_changed = _issue(rows, kinds, count, issue_cycles, registers, flags, times, cycles, until)
        for pipe in range(1, at.PIPES):
            while registers[IN_FLIGHT + pipe] == NONE and registers[HEAD + pipe] != NONE:
                head = registers[HEAD + pipe]
                kind = kinds[rows[head, at.OP]]
                if not _start_head(pipe, head, kind, rows, cycles, registers, flags, times):
                    if kind == _SET:
                        blocked_set = head
                    break
                flags_changed = flags_changed or kind == _SET or kind == _WAIT
    return blocked_set


@pasted
def _issue(
    rows: Any,
    kinds: Any,
    count: Any,
    issue_cycles: Any,
    registers: Any,
    flags: Any,
    times: Any,
    cycles: Any,
    until: Any,
) -> bool:
    """Let the scalar unit hand out instructions until one makes it wait; tells whether a flag changed."""
    flag_changed = False
    while registers[PC] < count and registers[IN_FLIGHT + _S] == NONE and (until == NONE or registers[PC] <= until):
        row = registers[PC]
        pipe, kind = rows[row, at.PIPE], kinds[rows[row, at.OP]]
        if pipe != _S:
            registers[CLOCK] += issue_cycles
            times[row, ISSUED] = registers[CLOCK]
            times[row, LINK] = NONE
            if registers[HEAD + pipe] == NONE:
                registers[HEAD + pipe] = row
            else:
                times[registers[TAIL + pipe], LINK] = row
            registers[TAIL + pipe] = row
            registers[PC] += 1
        elif kind == _SET or kind == _WAIT:
            if not _flag_ready(rows, row, kind, flags):
                return flag_changed
            registers[PIPE_CLOCK + _S] = registers[CLOCK]
            _pass_flag(_S, rows, row, kind, cycles, registers, flags, times)
            registers[CLOCK] = registers[PIPE_CLOCK + _S]
            registers[PC] += 1
            flag_changed = True
        elif kind == _BARRIER:
            latest = registers[CLOCK]
            for other in range(1, at.PIPES):
                if registers[HEAD + other] != NONE or registers[IN_FLIGHT + other] != NONE:
                    return flag_changed
                latest = max(latest, registers[PIPE_CLOCK + other])
            times[row, ISSUED], times[row, STARTED] = registers[CLOCK], latest
            registers[CLOCK] = latest + cycles[row]
            times[row, ENDED] = registers[CLOCK]
            registers[PC] += 1
        else:
            times[row, ISSUED], times[row, STARTED] = registers[CLOCK], registers[CLOCK]
            registers[END_CLOCK + _S] = registers[CLOCK] + cycles[row]
            registers[IN_FLIGHT + _S] = row
    return flag_changed


@pasted
def _flag_ready(rows: Any, row: Any, kind: Any, flags: Any) -> bool:
    is_set = flags[rows[row, at.AUX], SET_AT] != NONE
    return is_set if kind == _WAIT else not is_set


@pasted
def _pass_flag(pipe: Any, rows: Any, row: Any, kind: Any, cycles: Any, registers: Any, flags: Any, times: Any) -> None:
    flag = rows[row, at.AUX]
    start = registers[PIPE_CLOCK + pipe]
    if kind == _WAIT:
        start = max(start, flags[flag, SET_AT])
        flags[flag, SET_AT] = NONE
    times[row, STARTED] = start
    registers[PIPE_CLOCK + pipe] = start + cycles[row]
    times[row, ENDED] = registers[PIPE_CLOCK + pipe]
    if kind == _SET:
        flags[flag, SET_AT], flags[flag, SET_BY] = registers[PIPE_CLOCK + pipe], row


@pasted
def _start_head(pipe: Any, row: Any, kind: Any, rows: Any, cycles: Any, registers: Any, flags: Any, times: Any) -> bool:
    """Start the oldest waiting instruction of a pipe; flags and barriers take effect at once."""
    registers[PIPE_CLOCK + pipe] = max(registers[PIPE_CLOCK + pipe], times[row, ISSUED])
    if kind == _SET or kind == _WAIT:
        if not _flag_ready(rows, row, kind, flags):
            return False
        _pass_flag(pipe, rows, row, kind, cycles, registers, flags, times)
    elif kind == _BARRIER:
        times[row, STARTED] = registers[PIPE_CLOCK + pipe]
        registers[PIPE_CLOCK + pipe] += cycles[row]
        times[row, ENDED] = registers[PIPE_CLOCK + pipe]
    else:
        times[row, STARTED] = registers[PIPE_CLOCK + pipe]
        registers[END_CLOCK + pipe] = registers[PIPE_CLOCK + pipe] + cycles[row]
        registers[IN_FLIGHT + pipe] = row
    registers[HEAD + pipe] = times[row, LINK]
    return True


@pasted
def _draw(registers: Any) -> Any:
    """The next number of the core's own generator."""
    registers[RANDOM] = (registers[RANDOM] * 1103515245 + 12345) % np.int64(2**31)
    return registers[RANDOM] >> np.int64(8)


@pasted
def _next_to_complete(schedule: Any, registers: Any) -> Any:
    """The pipe whose running instruction completes next, or NONE."""
    chosen, best = np.int64(NONE), _NEVER
    running = 0
    for pipe in range(at.PIPES):
        row = registers[IN_FLIGHT + pipe]
        if row == NONE:
            continue
        running += 1
        if schedule == _TIMED:
            rank = registers[END_CLOCK + pipe]
        elif schedule == _PROGRAM:
            rank = row
        elif schedule == _ADVERSARIAL:
            # Compute first and the youngest copy next, so each copy is as late as the flags allow.
            rank = np.int64(pipe - at.PIPES) if pipe == _S or pipe == _V else np.int64(2**40) - row
            rank = rank - np.int64(2**41) if pipe == _S or pipe == _V else rank
        else:
            rank = _draw(registers)
        if rank < best:
            chosen, best = np.int64(pipe), rank
    return chosen


@inlined
def _protect_readers(
    schedule: Any, pipe: Any, row: Any, rows: Any, reads: Any, writes: Any, registers: Any, times: Any,
    kinds: Any, pool: Any, bodies: Any, body_rows: Any, lanes: Any, bases: Any,
    ub: Any, file: Any, shadow: Any, ub_bytes: Any, batch: Any,
) -> None:  # fmt: skip
    """Before ``row`` writes, capture what instructions that started earlier on other pipes were reading."""
    if schedule == _PROGRAM:
        return
    for other in range(at.PIPES):
        reader = registers[IN_FLIGHT + other]
        if other == pipe or reader == NONE or registers[CAPTURED + other] != 0:
            continue
        if schedule == _TIMED and times[reader, STARTED] >= registers[END_CLOCK + pipe]:
            continue
        # The adversary resolves a race against the order in which the author wrote it.
        if schedule == _ADVERSARIAL and reader < row:
            continue
        if not _overlaps(writes, row, MAX_WRITES, reads, reader, MAX_READS):
            continue
        # A random order may also read late.
        if schedule == _RANDOM and _draw(registers) % 2 == 0:
            continue
        before, after = _before(shadow, other, ub_bytes), _after(shadow, other, ub_bytes)
        move_bytes(before, ub, ub_bytes)
        if other != _MTE3:
            move_bytes(after, ub, ub_bytes)
            execute(kinds, rows[reader], pool, bodies, body_rows, lanes, bases, after, file, batch)
        registers[CAPTURED + other] = 1
