"""A recorded launch: the instructions of every core and the tables they share."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import msgspec
import numpy as np

from emulator.errors import SourceLocation
from emulator.isa import layout as at
from emulator.isa.table import TABLE
from emulator.program.builder import ProgramBuilder
from emulator.program.footprint import Array, Footprint, footprints

KINDS: Array = np.array([int(record.execute) for record in TABLE], np.int64)
"""How the engine runs each opcode."""


class TensorSlot(msgspec.Struct, frozen=True):
    """A tensor argument of the launch, the way the program knows it."""

    name: str
    nbytes: int
    dtype: str
    writable: bool


@dataclass(eq=False)
class Program:
    """Instructions of all cores.

    ``rows`` is an int64 array [instructions, ROW_WIDTH] of all cores, one core after another, each in the order its
    author wrote it; core c has rows ``offsets[c]`` to ``offsets[c + 1]``.  The columns are named in
    :mod:`emulator.isa.layout`.  ``bodies[b]`` holds the first and last row of vector function b in ``body_rows``.
    """

    soc: str
    kernel: str
    rows: Array
    offsets: Array
    pool: Array
    lanes: list[tuple[str, ...]]
    lane_bits: Array
    bodies: Array
    body_rows: Array
    body_trips: Array
    body_names: list[str]
    locations: list[SourceLocation]
    tensors: list[TensorSlot]

    @property
    def block_num(self) -> int:
        return len(self.offsets) - 1

    def core_rows(self, core: int) -> Array:
        """The instructions of one core."""
        return self.rows[self.offsets[core] : self.offsets[core + 1]]

    @property
    def instruction_count(self) -> int:
        """Instructions of all cores; a vector function counts as one."""
        return len(self.rows)

    @cached_property
    def footprint(self) -> Footprint:
        """What each row reads and writes."""
        return footprints(KINDS, self.rows, self.pool, self.lane_bits)

    def location(self, core: int, row: int) -> SourceLocation | None:
        """The author's line of one instruction."""
        number = int(self.core_rows(core)[row, at.LOC])
        return self.locations[number] if number >= 0 else None

    def disassemble(self, core: int = 0, *, start: int = 0, stop: int | None = None) -> str:
        """The instructions of one core as text, one a line, with the author's lines beside them."""
        from emulator.program.disassembler import disassemble

        return disassemble(self, core, start, stop)

    @classmethod
    def build(
        cls, builder: ProgramBuilder, cores: list[Array], *, soc: str, kernel: str, tensors: list[TensorSlot]
    ) -> Program:
        """Freeze what was recorded."""
        return cls(
            soc=soc,
            kernel=kernel,
            rows=np.concatenate(cores),
            offsets=np.cumsum([0, *(len(rows) for rows in cores)], dtype=np.int64),
            tensors=tensors,
            locations=builder.locations(),
            lanes=list(builder.lanes),
            **shared_tables(builder),
        )


def shared_tables(builder: ProgramBuilder) -> dict[str, Any]:
    """The builder's tables as arrays, as they stand now."""
    lengths = [len(body.rows) for body in builder.bodies]
    ends = np.cumsum([0, *lengths]).astype(np.int64)
    body_rows = [row for body in builder.bodies for row in body.rows]
    trips = [count for body in builder.bodies for count in body.trips]
    return {
        # The engine is never handed an empty array: it could not tell its type.
        "pool": np.array(builder.pool or [0], np.int64),
        "lane_bits": np.array(builder.lane_bits, np.int64).reshape(-1, 5),
        "bodies": np.stack([ends[:-1], ends[1:]], axis=1),
        "body_rows": np.array(body_rows, np.int64).reshape(-1, at.VF_ROW_WIDTH),
        "body_trips": np.array(trips, np.int64),
        "body_names": [body.name for body in builder.bodies],
    }
