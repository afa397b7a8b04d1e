"""Runs recorded cores: binds tensors, loads the lane loops a program needs, spreads cores over host threads."""

from __future__ import annotations

import ctypes
import os
import queue
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from emulator.engine import scheduler as at
from emulator.engine.arena import Arena
from emulator.engine.loops import lane_address
from emulator.engine.registers import BATCH_ITERATIONS
from emulator.engine.schedule import Schedule
from emulator.engine.scheduler import run_core
from emulator.engine.state import NONE, Array, CoreState, Status
from emulator.isa import layout
from emulator.program import KINDS
from emulator.program.footprint import Footprint


@dataclass(frozen=True)
class Tables:
    """What all cores of a program share, as the engine takes it."""

    pool: Array
    bodies: Array
    body_rows: Array
    lanes: Array

    @classmethod
    def of(cls, tables: dict[str, Any], lanes: Sequence[tuple[str, ...]]) -> Tables:
        """From a program's tables; compiles the lane loops that are not on disk yet."""
        addresses = np.array([lane_address(key) for key in lanes], np.int64)
        pool = tables["pool"] if len(tables["pool"]) else np.zeros(1, np.int64)
        return cls(pool, tables["bodies"], tables["body_rows"], addresses)


@dataclass
class CoreJob:
    """One core to run: its rows, what each costs and touches, and its state."""

    rows: Array
    cycles: Array
    footprint: Footprint
    state: CoreState


@dataclass(frozen=True)
class RunSettings:
    """How to run: the schedule, cycles to issue an instruction, whether data moves at all, and how many iterations of
    a vector function may run together (the results do not depend on it)."""

    schedule: Schedule = Schedule.timed
    issue_cycles: int = 1
    move_data: bool = True
    batch_iterations: int = BATCH_ITERATIONS

    def array(self, arena: Arena, until: int = NONE) -> Array:
        """The settings as the engine's array."""
        settings = np.zeros(at.SETTINGS, np.int64)
        settings[at.SCHEDULE], settings[at.ISSUE_CYCLES] = self.schedule, self.issue_cycles
        settings[at.MOVE_DATA], settings[at.UB_BYTES], settings[at.UNTIL_ROW] = self.move_data, arena.stride, until
        settings[at.BATCH] = self.batch_iterations
        return settings


def run_job(job: CoreJob, tables: Tables, bases: Array, arena: Arena, settings: Array) -> Status:
    """Run one core on this thread until it is done, stuck, or at the row asked for."""
    job.state.grow(len(job.rows))
    return Status(
        run_core(
            settings,
            KINDS,
            job.rows,
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
        )
    )


@cache
def _workers(threads: int) -> ThreadPoolExecutor:
    return ThreadPoolExecutor(threads, thread_name_prefix="aivemu")


class ArenaPool:
    """Arenas waiting for a core; they are kept between launches because touching their pages costs time."""

    def __init__(self) -> None:
        self._idle: queue.SimpleQueue[Arena] = queue.SimpleQueue()

    def take(self, ub_bytes: int) -> Arena:
        """An arena with fresh UB of at least ``ub_bytes``."""
        while True:
            try:
                arena = self._idle.get_nowait()
            except queue.Empty:
                return Arena(ub_bytes)
            if arena.stride >= ub_bytes:
                arena.reset()
                return arena

    def give_back(self, arena: Arena) -> None:
        self._idle.put(arena)


ARENAS = ArenaPool()


@dataclass
class LiveCore:
    """A core that runs while it is being recorded; it keeps its UB between runs."""

    state: CoreState
    arena: Arena
    ub_bytes: int

    @classmethod
    def start(cls, state: CoreState, ub_bytes: int) -> LiveCore:
        return cls(state, ARENAS.take(ub_bytes), ub_bytes)

    def advance(self, job: CoreJob, tables: Tables, bases: Array, settings: RunSettings, *, until: int) -> Status:
        """Run until row ``until`` has completed."""
        return run_job(job, tables, bases, self.arena, settings.array(self.arena, until))

    def finish(self, job: CoreJob, tables: Tables, bases: Array, settings: RunSettings) -> Status:
        """Run the rest and give the arena back."""
        job.state = self.state
        try:
            return run_job(job, tables, bases, self.arena, settings.array(self.arena))
        finally:
            ARENAS.give_back(self.arena)

    def read(self, address: int, nbytes: int, bases: Array) -> bytes:
        """Bytes of UB, or of the tensor behind a global-memory operand."""
        if address < layout.GM_BASE:
            return self.arena.ub[address : address + nbytes].tobytes()
        host = int(bases[(address >> layout.GM_SHIFT) - 1]) + (address & layout.GM_OFFSET_MASK)
        return ctypes.string_at(host, nbytes)


def run_jobs(
    jobs: Sequence[CoreJob],
    tables: Tables,
    bases: Array,
    ub_bytes: int,
    settings: RunSettings,
    *,
    threads: int | None = None,
    on_done: Callable[[int], None] | None = None,
    resume: Mapping[int, LiveCore] | None = None,
) -> list[Status]:
    """Run every core to its end; cores go to ``threads`` host threads (1 keeps their order).

    ``on_done`` is called with the number of a core that has finished, from the thread that ran it.  ``resume`` holds
    cores that have started already and go on from where they are.
    """

    def run(number: int) -> Status:
        if resume and number in resume:
            return resume[number].finish(jobs[number], tables, bases, settings)
        arena = ARENAS.take(ub_bytes)
        try:
            return run_job(jobs[number], tables, bases, arena, settings.array(arena))
        finally:
            ARENAS.give_back(arena)
            if on_done is not None:
                on_done(number)

    wanted = min(threads or os.cpu_count() or 1, len(jobs))
    if wanted <= 1:
        return [run(number) for number in range(len(jobs))]
    return list(_workers(wanted).map(run, range(len(jobs))))
