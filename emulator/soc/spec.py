"""The description of one SoC, as its TOML file holds it."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import msgspec

from emulator.errors import SocError

CORES_MAX = 512
"""More cores than any product has: the bound keeps a typing error from asking for millions."""


class Sourced(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A group of numbers with where they come from; ``provenance`` is documented, measured or guess."""

    source: str
    provenance: str


class Cores(Sourced, frozen=True, kw_only=True):
    aiv: int


class UnifiedBuffer(Sourced, frozen=True, kw_only=True):
    usable_bytes: int
    total_bytes: int


class Vector(Sourced, frozen=True, kw_only=True):
    block_bytes: int
    register_bytes: int
    vector_registers: int
    mask_registers: int
    address_registers: int


class Events(Sourced, frozen=True, kw_only=True):
    ids: int
    reserved_ids: tuple[int, ...]


class Clock(Sourced, frozen=True, kw_only=True):
    mhz: float


class Scalar(Sourced, frozen=True, kw_only=True):
    """Cycles of the scalar unit and of synchronisation."""

    issue_cycles: int
    flag_cycles: int
    barrier_cycles: int
    access_cycles: int


class Capabilities(Sourced, frozen=True, kw_only=True):
    """What this generation has: vector functions over registers, NDDMA, negative gaps in copies."""

    register_level: bool
    nddma: bool
    negative_copy_gap: bool


class Limits(Sourced, frozen=True, kw_only=True):
    """Largest values of instruction fields."""

    block_count_max: int
    block_len_max_bytes: int
    nddma_loop_size_max: int
    nddma_src_stride_max: int
    nddma_dst_stride_max: int
    nddma_pad_max: int
    repeat_times_max: int


class DmaCurve(Sourced, frozen=True, kw_only=True):
    """cycles = bytes / (a + b / active cores) + h + stride_k x blocks x gap bytes."""

    a: float
    b: float
    h: float
    stride_k: float
    below_bytes: int = 0

    def cycles(self, nbytes: Any, active_cores: int) -> Any:
        """Cycles to move ``nbytes`` (a number or an array) while ``active_cores`` cores share the memory."""
        return nbytes / (self.a + self.b / active_cores) + self.h


class Dma(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    load: DmaCurve
    small_load: DmaCurve
    store: DmaCurve
    nddma: DmaCurve | None = None


class Launch(Sourced, frozen=True, kw_only=True):
    kernel_head_cycles: float
    vector_function_head_cycles: float


class RegisterCost(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One instruction on one register: cycles to the result, and cycles its unit is busy."""

    key: str
    dtypes: tuple[str, ...]
    latency_cycles: float
    cycles_per_register: float
    like: str = ""


class RegisterCosts(Sourced, frozen=True, kw_only=True):
    rows: tuple[RegisterCost, ...]


class CallFit(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A memory-level call: cycles = k x elements + b."""

    key: str
    dtype: str
    k: float
    b: float


class CallFits(Sourced, frozen=True, kw_only=True):
    rows: tuple[CallFit, ...]


class SocSpec(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, dict=True):
    """Everything the emulator knows about a SoC.  Numbers come from ``emulator/soc/*.toml`` and nowhere else."""

    name: str
    arch: str
    cores: Cores
    ub: UnifiedBuffer
    vector: Vector
    events: Events
    clock: Clock
    scalar: Scalar
    capabilities: Capabilities
    limits: Limits
    dma: Dma
    launch: Launch
    register_costs: tuple[RegisterCosts, ...] = ()
    call_fits: tuple[CallFits, ...] = ()

    @property
    def aiv_cores(self) -> int:
        """Virtual AIV cores a launch may use."""
        return self.cores.aiv

    @property
    def ub_bytes(self) -> int:
        """Bytes of UB a kernel may use."""
        return self.ub.usable_bytes

    @property
    def event_ids(self) -> int:
        """Ids of each hardware event, from 0."""
        return self.events.ids

    @property
    def clock_mhz(self) -> float:
        return self.clock.mhz

    @cached_property
    def _register_costs(self) -> dict[tuple[str, str], RegisterCost]:
        return {(row.key, dtype): row for costs in self.register_costs for row in costs.rows for dtype in row.dtypes}

    @cached_property
    def _call_fits(self) -> dict[tuple[str, str], CallFit]:
        return {(row.key, row.dtype): row for fits in self.call_fits for row in fits.rows}

    def register_cost(self, key: str, dtype: str) -> RegisterCost | None:
        """Cost of a register-level instruction on one register, or None where the file has none."""
        return self._register_costs.get((key, dtype))

    def call_fit(self, key: str, dtype: str) -> CallFit | None:
        """Measured cost of a memory-level call, or None where the file has none."""
        return self._call_fits.get((key, dtype))

    def with_overrides(self, *, cores: int | None = None, ub_bytes: int | None = None) -> SocSpec:
        """The same SoC with another number of cores or other usable UB; SocError outside what it could have."""
        spec = self
        if cores is not None:
            if isinstance(cores, bool) or not isinstance(cores, int) or not 1 <= cores <= CORES_MAX:
                raise SocError(f"cores is {cores!r}; {self.name} can be emulated with 1..{CORES_MAX} cores")
            spec = msgspec.structs.replace(spec, cores=msgspec.structs.replace(spec.cores, aiv=cores))
        if ub_bytes is not None:
            block = self.vector.block_bytes
            if isinstance(ub_bytes, bool) or not isinstance(ub_bytes, int) or not 0 < ub_bytes <= self.ub.total_bytes:
                raise SocError(f"ub_bytes is {ub_bytes!r}; {self.name} has {self.ub.total_bytes} B of UB in all")
            if ub_bytes % block:
                raise SocError(f"ub_bytes is {ub_bytes}, which is not a multiple of {block}")
            spec = msgspec.structs.replace(spec, ub=msgspec.structs.replace(spec.ub, usable_bytes=ub_bytes))
        return spec
