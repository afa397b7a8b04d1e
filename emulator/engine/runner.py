"""Runs recorded cores: binds tensors, loads the lane loops a program needs, spreads cores over host threads."""

from __future__ import annotations

import ctypes
import os
import queue
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache
from itertools import pairwise

import numpy as np

from emulator.engine import scheduler as at
from emulator.engine.arena import Arena
from emulator.engine.fused_loops import FUSED
from emulator.engine.loops import lane_address
from emulator.engine.registers import BATCH_ITERATIONS
from emulator.engine.schedule import Schedule
from emulator.engine.scheduler import run_cores
from emulator.engine.state import NONE, STATUS, Array, MachineState, Status
from emulator.isa import layout
from emulator.isa.record import Execute
from emulator.program import KINDS, Program
from emulator.program.footprint import Footprint

FUSE_FROM_LANES = 1 << 20
"""Lanes a launch runs through a loop from which on fusing it saves milliseconds a launch."""


@dataclass(frozen=True)
class Tables:
    """What all cores of a program share, as the engine takes it."""

    pool: Array
    bodies: Array
    body_rows: Array
    lanes: Array

    @classmethod
    def of(cls, program: Program) -> Tables:
        """From a program; compiles the lane loops that are not on disk yet.

        A fused loop is machine code of its own, half a second to compile: one that would not earn that has address 0,
        and its instructions run one at a time.
        """
        worth_it = _lanes_of_fused_loops(program)
        addresses = [
            lane_address(key) if key[0] != FUSED or worth_it.get(number, 0) >= FUSE_FROM_LANES else 0
            for number, key in enumerate(program.lanes)
        ]
        return cls(program.pool, program.bodies, program.body_rows, np.array(addresses, np.int64))


def _lanes_of_fused_loops(program: Program) -> dict[int, int]:
    """Lanes that each fused loop runs over in one launch, by its number in the lane table."""
    loops = np.flatnonzero(KINDS[program.body_rows[:, layout.V_OP]] == Execute.REG_LOOP)
    fused = [row for row in program.body_rows[loops] if row[layout.V_SRC1] > 0]
    if not fused:
        return {}
    calls = program.rows[KINDS[program.rows[:, layout.OP]] == Execute.VECTOR_FUNCTION, layout.PARAM]
    bodies, counts = np.unique(program.pool[calls + layout.VF_BODY], return_counts=True)
    lanes: dict[int, int] = {}
    for body, count in zip(bodies, counts, strict=True):
        for row in program.body_rows[slice(*program.bodies[body])]:
            if KINDS[row[layout.V_OP]] == Execute.REG_LOOP and row[layout.V_SRC1] > 0:
                iteration = int(program.pool[row[layout.V_SRC0] + layout.FUSED_LANES])
                number = int(row[layout.V_SRC1]) - 1
                lanes[number] = lanes.get(number, 0) + int(count) * int(row[layout.V_OFFSET]) * iteration
    return lanes


@dataclass
class Job:
    """Cores to run: their rows, what each costs and touches, and the state of the machine."""

    rows: Array
    cycles: Array
    footprint: Footprint
    state: MachineState

    def statuses(self) -> list[Status]:
        """How each core ended."""
        return [Status(value) for value in self.state.registers[:, STATUS]]


@dataclass(frozen=True)
class RunSettings:
    """How to run: the schedule, cycles to issue an instruction, whether data moves at all, and how many iterations of
    a vector function may run together (the results do not depend on it)."""

    schedule: Schedule = Schedule.timed
    issue_cycles: int = 1
    move_data: bool = True
    batch_iterations: int = BATCH_ITERATIONS

    def array(self, arena: Arena, *, until: int = NONE, fresh: bool = True) -> Array:
        """The settings as the engine's array; ``fresh`` poisons UB before a core starts."""
        settings = np.zeros(at.SETTINGS, np.int64)
        settings[at.SCHEDULE], settings[at.ISSUE_CYCLES] = self.schedule, self.issue_cycles
        settings[at.MOVE_DATA], settings[at.UB_BYTES], settings[at.UNTIL_ROW] = self.move_data, arena.stride, until
        settings[at.BATCH], settings[at.FRESH_UB] = self.batch_iterations, fresh
        return settings


def run_span(
    job: Job, tables: Tables, bases: Array, arena: Arena, settings: Array, cores: tuple[int, int] = (0, 1)
) -> None:
    """Run some of a job's cores on this thread in turn, until each is done, stuck or at the row asked for."""
    run_cores(
        settings,
        KINDS,
        job.rows,
        job.state.offsets,
        job.cycles,
        job.footprint.reads,
        job.footprint.writes,
        tables.pool,
        tables.bodies,
        tables.body_rows,
        tables.lanes,
        bases,
        arena.ub_address,
        arena.file_address,
        arena.shadow_address,
        job.state.registers,
        job.state.flags,
        job.state.rows,
        *cores,
    )


@cache
def _workers(threads: int) -> ThreadPoolExecutor:
    return ThreadPoolExecutor(threads, thread_name_prefix="aivemu")


class ArenaPool:
    """Arenas waiting for a core; they are kept between launches because touching their pages costs time."""

    def __init__(self) -> None:
        self._idle: queue.SimpleQueue[Arena] = queue.SimpleQueue()

    def take(self, ub_bytes: int) -> Arena:
        """An arena with at least ``ub_bytes`` of UB, whatever it holds."""
        while True:
            try:
                arena = self._idle.get_nowait()
            except queue.Empty:
                return Arena(ub_bytes)
            if arena.stride >= ub_bytes:
                return arena

    def give_back(self, arena: Arena) -> None:
        self._idle.put(arena)


ARENAS = ArenaPool()
PIECES_PER_THREAD = 8


class LiveCore:
    """A core that runs while it is being recorded; it keeps its UB between runs."""

    def __init__(self, core: int, seed: int, ub_bytes: int) -> None:
        self.state = MachineState.fresh(np.zeros(2, np.int64), seed, first_core=core)
        self.arena = ARENAS.take(ub_bytes)
        self.arena.reset()

    def advance(self, job: Job, tables: Tables, bases: Array, settings: RunSettings) -> None:
        """Run through the last row that ``job`` has."""
        self.state.grow(len(job.rows))
        run_span(job, tables, bases, self.arena, settings.array(self.arena, until=len(job.rows) - 1, fresh=False))

    def finish(self, job: Job, tables: Tables, bases: Array, settings: RunSettings, core: int) -> None:
        """Go on as ``core`` of ``job`` to the end, and give the arena back."""
        job.state.adopt(core, self.state)
        try:
            run_span(job, tables, bases, self.arena, settings.array(self.arena, fresh=False), (core, core + 1))
        finally:
            ARENAS.give_back(self.arena)

    def read(self, address: int, nbytes: int, bases: Array) -> bytes:
        """Bytes of UB, or of the tensor behind a global-memory operand."""
        if address < layout.GM_BASE:
            return self.arena.ub[address : address + nbytes].tobytes()
        host = int(bases[(address >> layout.GM_SHIFT) - 1]) + (address & layout.GM_OFFSET_MASK)
        return ctypes.string_at(host, nbytes)


def run_machine(
    job: Job,
    tables: Tables,
    bases: Array,
    ub_bytes: int,
    settings: RunSettings,
    *,
    threads: int | None = None,
    on_done: Callable[[int], None] | None = None,
) -> None:
    """Run every core to its end; ``threads`` host threads share them (1 keeps their order).

    ``on_done`` is called with the number of cores a thread has just finished, from that thread.  How each core ended is
    in ``job.statuses()``.
    """

    def run(cores: tuple[int, int]) -> None:
        arena = ARENAS.take(ub_bytes)
        try:
            run_span(job, tables, bases, arena, settings.array(arena), cores)
        finally:
            ARENAS.give_back(arena)
        if on_done is not None:
            on_done(cores[1] - cores[0])

    count = len(job.state.offsets) - 1
    wanted = min(threads or os.cpu_count() or 1, count)
    # Several pieces a thread even out cores of different length and let a progress bar move.
    pieces = min(count, wanted * PIECES_PER_THREAD)
    edges = [count * piece // pieces for piece in range(pieces + 1)]
    spans = list(pairwise(edges))
    if wanted <= 1:
        for span in spans:
            run(span)
    else:
        list(_workers(wanted).map(run, spans))
