"""Cores that run while they are being recorded, because the kernel reads data back."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from emulator.asc.recorder import CoreRecorder
from emulator.engine.schedule import Schedule
from emulator.errors import LaunchError
from emulator.isa import layout as at
from emulator.program.footprint import Array
from emulator.program.program import Program
from emulator.soc import SocSpec
from emulator.timing import price

if TYPE_CHECKING:
    from emulator.engine.runner import LiveCore


class LiveCores:
    """The cores of a launch that have started already, by block index."""

    def __init__(
        self, soc: SocSpec, schedule: Schedule, seed: int, bases: Array, block_num: int, *, timing_only: bool
    ) -> None:
        self._soc = soc
        self._schedule = schedule
        self._seed = seed
        self._bases = bases
        self._block_num = block_num
        self._timing_only = timing_only
        self.cores: dict[int, LiveCore] = {}

    def read_back(self, recorder: CoreRecorder, address: int, nbytes: int) -> bytes:
        """Run the core through its last recorded row, then read UB or global memory."""
        if self._timing_only:
            recorder.refuse("a kernel that reads data back cannot run with timing_only, which moves none", LaunchError)
        from emulator.engine.diagnose import raise_failures
        from emulator.engine.runner import Job, LiveCore, RunSettings, Tables

        core = recorder.block_idx
        rows = np.array(recorder.rows, np.int64).reshape(-1, at.ROW_WIDTH)
        program = Program.build(recorder.builder, [rows], soc=self._soc.name, kernel="", tensors=[])
        live = self.cores.get(core)
        if live is None:
            live = self.cores[core] = LiveCore(core, self._seed, self._soc.ub_bytes)
        job = Job(rows, price(program, rows, self._soc, self._block_num), program.footprint, live.state)
        settings = RunSettings(self._schedule, self._soc.scalar.issue_cycles)
        live.advance(job, Tables.of(program), self._bases, settings)
        raise_failures(job, program.location, first_core=core)
        return live.read(address, nbytes, self._bases)
