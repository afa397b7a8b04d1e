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

    ``cores[c]`` is an int64 array [rows, ROW_WIDTH], one instruction a row in the order the author wrote them; the
    columns are named in :mod:`emulator.isa.layout`.  ``bodies[b]`` holds the first and last row of vector function b
    in ``body_rows``.
    """

    soc: str
    kernel: str
    cores: list[Array]
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
        return len(self.cores)

    @property
    def instruction_count(self) -> int:
        """Instructions of all cores; a vector function counts as one."""
        return sum(len(rows) for rows in self.cores)

    @cached_property
    def footprints(self) -> list[Footprint]:
        """What each row of each core reads and writes."""
        return [footprints(KINDS, rows, self.pool, self.lane_bits) for rows in self.cores]

    def location(self, core: int, row: int) -> SourceLocation | None:
        """The author's line of one instruction."""
        number = int(self.cores[core][row, at.LOC])
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
            cores=cores,
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
        "pool": np.array(builder.pool, np.int64),
        "lane_bits": np.array(builder.lane_bits, np.int64).reshape(-1, 5),
        "bodies": np.stack([ends[:-1], ends[1:]], axis=1),
        "body_rows": np.array(body_rows, np.int64).reshape(-1, at.VF_ROW_WIDTH),
        "body_trips": np.array(trips, np.int64),
        "body_names": [body.name for body in builder.bodies],
    }
