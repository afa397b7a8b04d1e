"""One launch: bind the arguments, record the cores, run them, report."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np

from emulator.asc.context import set_recorder
from emulator.asc.jit import Kernel, comparable
from emulator.asc.recorder import CoreRecorder
from emulator.asc.tensors import GlobalAddress
from emulator.dtypes import DataType, of_array
from emulator.engine.schedule import Schedule
from emulator.errors import LaunchError
from emulator.isa import layout as at
from emulator.memory import GlobalMemory
from emulator.program import Program, ProgramBuilder, TensorSlot
from emulator.program.footprint import Array
from emulator.program.independence import cores_are_independent
from emulator.soc import SocSpec
from emulator.timing import price

_PROGRAMS_KEPT = 32


@dataclass(frozen=True, slots=True)
class DeviceTensor:
    """A tensor that lives in a device's global memory; pass it to a launch like an array."""

    address: int
    dtype: DataType
    count: int


@dataclass(frozen=True, slots=True)
class BoundTensor:
    """A tensor argument of a launch: its slot in the program and the host memory behind it."""

    slot: TensorSlot
    memory: np.ndarray[Any, np.dtype[np.uint8]]

    @property
    def host_address(self) -> int:
        return int(self.memory.ctypes.data)


@dataclass
class Prepared:
    """A program ready to run again and again."""

    program: Program
    cycles: Array
    seconds_recording: float

    @cached_property
    def tables(self) -> Any:
        """The engine's tables; compiles the lane loops the program needs."""
        from emulator.engine.runner import Tables

        return Tables.of(self.program)

    @cached_property
    def independent(self) -> bool:
        """Whether the cores touch separate memory, given that the arguments do."""
        return cores_are_independent(self.program.footprint, self.program.offsets)


@dataclass
class LaunchResult:
    """What a launch did.

    ``cycles`` is the time of the slowest core under the timed schedule, else None; ``timelines[c]`` has a row for each
    instruction of core c with the cycles at which it was issued, started and ended.
    """

    program: Program
    soc: SocSpec
    schedule: str
    timelines: list[Array]
    seconds_recording: float
    seconds_running: float
    from_cache: bool
    core_cycles: list[int] = field(default_factory=list)

    @property
    def cycles(self) -> int | None:
        return max(self.core_cycles, default=0) if self.schedule == Schedule.timed.name else None

    @property
    def microseconds(self) -> float | None:
        """``cycles`` at the SoC's clock."""
        return None if self.cycles is None else self.cycles / self.soc.clock_mhz


def bind(kernel: Kernel, memory: GlobalMemory, args: Sequence[Any], kwargs: Mapping[str, Any]) -> dict[str, Any]:
    """The kernel's arguments by name, tensors as BoundTensor."""
    try:
        bound = kernel.signature.bind(*args, **kwargs)
    except TypeError as error:
        raise LaunchError(f"{kernel.name}: {error}") from None
    bound.apply_defaults()
    values = dict(bound.arguments)
    for name, value in values.items():
        annotation = kernel.signature.parameters[name].annotation
        wants_tensor = annotation is GlobalAddress or str(annotation).endswith("GlobalAddress")
        if isinstance(value, DeviceTensor):
            values[name] = _bind_device_tensor(name, value, memory)
        elif hasattr(value, "__array__") and not np.isscalar(value):
            values[name] = _bind_array(kernel, name, value)
        elif wants_tensor:
            raise LaunchError(
                f"{kernel.name}: {name} takes a NumPy array or a DeviceTensor, not {type(value).__name__}"
            )
    return values


def _bind_device_tensor(name: str, tensor: DeviceTensor, memory: GlobalMemory) -> BoundTensor:
    nbytes = tensor.count * tensor.dtype.size_bytes
    view = memory.view(tensor.address, nbytes)
    writable = memory.find(tensor.address).writable
    return BoundTensor(TensorSlot(name, nbytes, tensor.dtype.name, writable), view)


def _bind_array(kernel: Kernel, name: str, value: Any) -> BoundTensor:
    array = value if isinstance(value, np.ndarray) else np.asarray(value)
    dtype = of_array(array)
    if dtype is None:
        raise LaunchError(f"{kernel.name}: {name} has dtype {array.dtype}, which a vector core does not know")
    if not array.flags.c_contiguous:
        raise LaunchError(f"{kernel.name}: {name} is not C-contiguous; pass np.ascontiguousarray({name})")
    if not np.shares_memory(array, value) and array.size:
        raise LaunchError(f"{kernel.name}: {name} is a {type(value).__name__} that does not share its memory")
    memory = array.reshape(-1).view(np.uint8) if array.size else np.empty(0, np.uint8)
    return BoundTensor(TensorSlot(name, array.nbytes, dtype.name, array.flags.writeable), memory)


def program_key(kernel: Kernel, soc: SocSpec, cores: int, values: Mapping[str, Any]) -> Any:
    """What a recorded program depends on, or None where it cannot be told and the program must not be kept."""
    surroundings = kernel.surroundings()
    if surroundings is None:
        return None
    shapes = tuple(
        (name, value.slot) if isinstance(value, BoundTensor) else (name, comparable(value))
        for name, value in values.items()
    )
    key = (soc.name, soc.ub_bytes, cores, surroundings, shapes)
    try:
        hash(key)
    except TypeError:
        return None
    return key


def record(
    kernel: Kernel,
    soc: SocSpec,
    cores: int,
    values: Mapping[str, Any],
    read_back: Callable[[CoreRecorder, int, int], bytes],
) -> tuple[Prepared, bool]:
    """Call the kernel once a core.  The second result says whether it read data back, so that it depends on it."""
    started = time.perf_counter()
    builder = ProgramBuilder()
    slots = [value.slot for value in values.values() if isinstance(value, BoundTensor)]
    rows: list[Array] = []
    data_dependent = False
    for block_idx in range(cores):
        recorder = CoreRecorder(builder, soc, block_idx, cores, read_back)
        with _recording(recorder):
            kernel.function(**_arguments(values))
            if recorder.pipe is not None:
                recorder.pipe.destroy()
        data_dependent = data_dependent or recorder.data_dependent
        rows.append(np.frombuffer(recorder.rows, np.int64).reshape(-1, at.ROW_WIDTH))
    program = Program.build(builder, rows, soc=soc.name, kernel=kernel.name, tensors=slots)
    cycles = price(program, program.rows, soc, cores)
    return Prepared(program, cycles, time.perf_counter() - started), data_dependent


def _arguments(values: Mapping[str, Any]) -> dict[str, Any]:
    from emulator.dtypes import DTYPES

    arguments: dict[str, Any] = {}
    slot = 0
    for name, value in values.items():
        if isinstance(value, BoundTensor):
            tensor = value.slot
            arguments[name] = GlobalAddress(
                slot, DTYPES[tensor.dtype], tensor.nbytes, label=name, writable=tensor.writable
            )
            slot += 1
        else:
            arguments[name] = value
    return arguments


@contextmanager
def _recording(recorder: CoreRecorder) -> Iterator[None]:
    previous = set_recorder(recorder)
    try:
        yield
    finally:
        set_recorder(previous)


def remember(kernel: Kernel, key: Any, prepared: Prepared) -> None:
    """Keep a program for the next launch with the same key; the oldest goes when there are many."""
    kernel.programs[key] = prepared
    while len(kernel.programs) > _PROGRAMS_KEPT:
        kernel.programs.popitem(last=False)


def bases_of(values: Mapping[str, Any]) -> Array:
    """Host addresses of the tensor arguments, in slot order."""
    addresses = [value.host_address for value in values.values() if isinstance(value, BoundTensor)]
    return np.array(addresses or [0], np.int64)


def share_memory(values: Mapping[str, Any]) -> bool:
    """Whether two tensor arguments overlap in memory."""
    spans = sorted(
        (value.host_address, value.host_address + value.slot.nbytes)
        for value in values.values()
        if isinstance(value, BoundTensor) and value.slot.nbytes
    )
    return any(low < previous[1] for previous, (low, _) in pairwise(spans))
