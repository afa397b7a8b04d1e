"""The price of each instruction of a program, in cycles, from the SoC file's numbers.

Copies follow the published curves; a vector function costs its head, its longest latency and the throughput of its
instructions (the published first model, loads and stores left out); a memory-level call costs its measured fit where
the file has one.  A call without a number of its own costs a register's throughput a repeat.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from emulator.dtypes import DTYPES
from emulator.isa import layout as at
from emulator.isa.record import Execute, Instruction, Pipe
from emulator.isa.table import TABLE
from emulator.program import KINDS, Program
from emulator.program.footprint import Array
from emulator.soc import SocSpec

_DEFAULT_CALL_CYCLES = 20.0
"""Start-up of a memory-level call: the intercept of nearly all measured fits lies between 20 and 30."""


Cycles = np.ndarray[Any, np.dtype[np.float64]]


def price(program: Program, rows: Array, soc: SocSpec, block_num: int) -> Array:
    """Cycles of each row when ``block_num`` cores share global memory."""
    cycles = np.zeros(len(rows), np.float64)
    kinds = KINDS[rows[:, at.OP]]
    for kind, costs in _COSTS.items():
        chosen = np.flatnonzero(kinds == kind)
        if len(chosen):
            cycles[chosen] = costs(program, rows[chosen], soc, block_num)
    return np.ceil(cycles).astype(np.int64)


def _copies(program: Program, rows: Array, soc: SocSpec, block_num: int) -> Cycles:
    param, pipe = rows[:, at.PARAM], rows[:, at.PIPE]
    blocks, block_bytes = program.pool[param + at.COPY_BLOCKS], program.pool[param + at.COPY_BYTES]
    nbytes = blocks * block_bytes
    dma = soc.dma
    small = block_bytes < dma.small_load.below_bytes
    load = np.where(small, dma.small_load.cycles(nbytes, block_num), dma.load.cycles(nbytes, block_num))
    source_gap = np.abs(program.pool[param + at.COPY_SRC_STRIDE] - block_bytes)
    target_gap = np.abs(program.pool[param + at.COPY_DST_STRIDE] - block_bytes)
    load = load + dma.load.stride_k * blocks * np.where(blocks > 1, source_gap, 0)
    store = dma.store.cycles(nbytes, block_num) + dma.store.stride_k * blocks * np.where(blocks > 1, target_gap, 0)
    within = _DEFAULT_CALL_CYCLES + nbytes / soc.vector.register_bytes
    return np.select([pipe == Pipe.MTE2, pipe == Pipe.MTE3], [load, store], within)


def _nddma(_program: Program, rows: Array, soc: SocSpec, block_num: int) -> Cycles:
    curve = soc.dma.nddma or soc.dma.load
    return np.asarray(curve.cycles(rows[:, at.COUNT], block_num), np.float64)


def _calls(program: Program, rows: Array, soc: SocSpec, _block_num: int) -> Cycles:
    """Memory-level vector calls."""
    cycles = np.zeros(len(rows), np.float64)
    pairs, which = np.unique(rows[:, [at.OP, at.AUX]], axis=0, return_inverse=True)
    which = which.reshape(-1)
    for number, (opcode, lane) in enumerate(pairs):
        count = rows[which == number, at.COUNT]
        cycles[which == number] = _call(soc, TABLE[opcode], program.lanes[lane], count)
    return cycles


def _call(soc: SocSpec, record: Instruction, key: tuple[str, ...], count: Array) -> Cycles:
    mode = f"_{key[0].rpartition('_')[2]}" if key[0].startswith("compare") else ""
    dtype = f"{key[1]}->{key[2]}" if record.cost == "cast" else key[1]
    for name in (f"{record.cost}{mode}", f"{record.cost}{mode}_unaligned"):
        fit = soc.call_fit(name, dtype)
        if fit is not None:
            return np.asarray(fit.k * count + fit.b, np.float64)
    cost = soc.register_cost(record.cost, key[1])
    throughput = cost.cycles_per_register if cost else 1.0
    head = soc.launch.vector_function_head_cycles or _DEFAULT_CALL_CYCLES
    repeats = np.ceil(count * _widest_bytes(key) / soc.vector.register_bytes)
    return np.asarray(head + (cost.latency_cycles if cost else 0.0) + throughput * repeats, np.float64)


def _widest_bytes(key: tuple[str, ...]) -> int:
    return max(DTYPES[name].size_bytes for name in key[1:] if name in DTYPES)


def _vector_functions(program: Program, rows: Array, soc: SocSpec, _block_num: int) -> Cycles:
    bodies = program.pool[rows[:, at.PARAM] + at.VF_BODY]
    costs = {int(body): _body(program, soc, int(body)) for body in np.unique(bodies)}
    return np.array([costs[int(body)] for body in bodies])


def _body(program: Program, soc: SocSpec, body: int) -> float:
    first, last = program.bodies[body]
    latency = total = 0.0
    for row, trips in zip(program.body_rows[first:last], program.body_trips[first:last], strict=True):
        record = TABLE[row[at.V_OP]]
        if record.execute is not Execute.REG_LANE and record.execute is not Execute.REG_UPDATE_MASK:
            continue
        dtype = program.lanes[row[at.V_LANE]][1] if record.execute is Execute.REG_LANE else "float32"
        cost = soc.register_cost(record.cost, dtype)
        if cost is not None:
            latency = max(latency, cost.latency_cycles)
            total += cost.cycles_per_register * int(trips)
    return soc.launch.vector_function_head_cycles + latency + total


def _constant(cycles: int) -> Cycles:
    return np.array(float(cycles))


_COSTS: dict[Execute, Callable[[Program, Array, SocSpec, int], Cycles]] = {
    Execute.COPY: _copies,
    Execute.NDDMA: _nddma,
    Execute.LANE: _calls,
    Execute.VECTOR_FUNCTION: _vector_functions,
    Execute.SET_FLAG: lambda _program, _rows, soc, _cores: _constant(soc.scalar.flag_cycles),
    Execute.WAIT_FLAG: lambda _program, _rows, soc, _cores: _constant(soc.scalar.flag_cycles),
    Execute.BARRIER: lambda _program, _rows, soc, _cores: _constant(soc.scalar.barrier_cycles),
    Execute.SCALAR_STORE: lambda _program, _rows, soc, _cores: _constant(soc.scalar.access_cycles),
    Execute.SCALAR_LOAD: lambda _program, _rows, soc, _cores: _constant(soc.scalar.access_cycles),
}
