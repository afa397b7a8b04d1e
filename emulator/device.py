"""The emulated device: global memory, virtual cores and launches."""

from __future__ import annotations

import itertools
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from types import TracebackType
from typing import TYPE_CHECKING, Any

import numpy as np

from emulator.asc.context import enter_device, leave_device
from emulator.asc.jit import Kernel
from emulator.dtypes import DataType
from emulator.engine.schedule import Schedule
from emulator.errors import LaunchError
from emulator.launch import (
    DeviceTensor,
    LaunchResult,
    Prepared,
    bases_of,
    bind,
    program_key,
    record,
    remember,
    share_memory,
)
from emulator.live import LiveCores
from emulator.memory import GlobalMemory
from emulator.program.independence import cores_are_independent
from emulator.soc import load_soc

if TYPE_CHECKING:
    from emulator.engine.state import MachineState


class Device:
    """A device with its own global memory.

    ``soc`` names a SoC file; ``cores`` and ``ub_bytes`` override its AIV cores and usable UB.  ``schedule`` is "timed",
    "program", "adversarial" or "random" (with ``seed``): a correct kernel computes the same under each.  ``threads``
    host threads run the cores (all processors by default).  ``timing_only`` runs the pipes without moving data: the
    result has its cycles and timelines, tensors stay as they are.  Raises SocError or LaunchError for values out of
    range.
    """

    def __init__(
        self,
        soc: str = "Ascend950",
        cores: int | None = None,
        ub_bytes: int | None = None,
        schedule: str = "timed",
        seed: int = 0,
        *,
        threads: int | None = None,
        timing_only: bool = False,
    ) -> None:
        self.soc = load_soc(soc).with_overrides(cores=cores, ub_bytes=ub_bytes)
        if schedule not in Schedule.__members__:
            raise LaunchError(f"schedule is {schedule!r}; known are {', '.join(Schedule.__members__)}")
        if timing_only and schedule != Schedule.timed.name:
            raise LaunchError(f"timing_only needs the timed schedule, not {schedule!r}")
        if threads is not None and threads < 1:
            raise LaunchError(f"threads is {threads}; at least 1 is needed")
        self.schedule = Schedule[schedule]
        self.seed = int(seed)
        self.threads = threads
        self.timing_only = timing_only
        self.memory = GlobalMemory()
        self.on_progress: Callable[[int, int], None] | None = None
        """Called with (cores done, cores of the launch) while a launch runs."""
        self._open = True

    def __enter__(self) -> Device:
        self._check_open()
        enter_device(self)
        return self

    def __exit__(
        self, _type: type[BaseException] | None, _value: BaseException | None, _trace: TracebackType | None
    ) -> None:
        leave_device(self)
        self.close()

    def close(self) -> None:
        """Release global memory; a closed device launches nothing."""
        self._open = False

    def _check_open(self) -> None:
        if not self._open:
            raise LaunchError(f"this {self.soc.name} device is closed")

    def tensor(self, address: int, dtype: DataType, count: int) -> DeviceTensor:
        """``count`` elements of global memory as a launch argument; GlobalMemoryError where they do not exist."""
        self.memory.find(address, max(count * dtype.size_bytes, 1))
        return DeviceTensor(address, dtype, count)

    def launch(
        self, kernel: Kernel, cores: int, args: Sequence[Any] = (), kwargs: Mapping[str, Any] | None = None
    ) -> LaunchResult:
        """Run ``kernel`` on ``cores`` virtual cores; NumPy arrays are used in place as global memory.

        Every operand is checked while the kernel is recorded, before any data moves.  A kernel that reads data back
        (``get_value``) runs up to that point as it is recorded.
        """
        self._check_open()
        if not isinstance(kernel, Kernel):
            raise LaunchError(f"launch takes a function marked asc.jit, not {kernel!r}")
        if isinstance(cores, bool) or not isinstance(cores, int) or not 1 <= cores <= self.soc.aiv_cores:
            raise LaunchError(
                f"{kernel.name}: core_num is {cores!r}; {self.soc.name} has 1..{self.soc.aiv_cores} cores"
            )
        values = bind(kernel, self.memory, args, kwargs or {})
        bases = bases_of(values)
        live = LiveCores(self.soc, self.schedule, self.seed, bases, cores, timing_only=self.timing_only)
        key = program_key(kernel, self.soc, cores, values)
        prepared = kernel.programs.get(key) if key is not None else None
        from_cache = prepared is not None
        if prepared is None:
            prepared, data_dependent = record(kernel, self.soc, cores, values, live.read_back)
            if key is not None and not data_dependent:
                remember(kernel, key, prepared)
        started = time.perf_counter()
        state = self._run(prepared, bases, live, share_memory(values))
        seconds = time.perf_counter() - started
        return self._result(prepared, state, seconds, from_cache)

    def _run(self, prepared: Prepared, bases: np.ndarray[Any, Any], live: LiveCores, aliased: bool) -> MachineState:
        from emulator.engine.diagnose import raise_failures
        from emulator.engine.runner import Job, RunSettings, run_machine
        from emulator.engine.state import MachineState

        program = prepared.program
        state = MachineState.fresh(program.offsets, self.seed)
        job = Job(program.rows, prepared.cycles, program.footprint, state)
        settings = RunSettings(self.schedule, self.soc.scalar.issue_cycles, move_data=not self.timing_only)
        for number, core in live.cores.items():
            core.finish(job, prepared.tables, bases, settings, number)
        independent = (
            cores_are_independent(program.footprint, program.offsets, bases) if aliased else prepared.independent
        )
        run_machine(
            job,
            prepared.tables,
            bases,
            self.soc.ub_bytes,
            settings,
            threads=self.threads if independent else 1,
            on_done=self._progress(program.block_num),
        )
        raise_failures(job, program.location)
        return state

    def _progress(self, total: int) -> Callable[[int], None] | None:
        report = self.on_progress
        if report is None:
            return None
        done = itertools.count()
        lock = threading.Lock()

        def count(cores: int) -> None:
            with lock:
                for _ in range(cores):
                    report(next(done) + 1, total)

        return count

    def _result(self, prepared: Prepared, state: MachineState, seconds: float, from_cache: bool) -> LaunchResult:
        from emulator.engine.state import elapsed_cycles

        program = prepared.program
        return LaunchResult(
            program=program,
            soc=self.soc,
            schedule=self.schedule.name,
            timelines=[state.core_rows(number)[:, :3] for number in range(program.block_num)],
            seconds_recording=0.0 if from_cache else prepared.seconds_recording,
            seconds_running=seconds,
            from_cache=from_cache,
            core_cycles=elapsed_cycles(state.registers).tolist(),
        )
