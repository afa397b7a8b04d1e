"""Records the body of a vector function once, with its hardware loops."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from emulator.asc.reg.affine import Affine
from emulator.dtypes import DataType
from emulator.isa import layout as at
from emulator.isa.layout import LaneFlags
from emulator.isa.record import Execute, Form, Instruction, Level
from emulator.isa.table import TABLE, lookup
from emulator.program import OPCODES, Access, VectorBody
from emulator.program.fusion import fuse
from emulator.program.vector_body import VECTOR_BYTES

if TYPE_CHECKING:
    from emulator.asc.recorder import CoreRecorder

MAX_TRIPS = 65535
MAX_VECTORS = 64
MAX_MASKS = 32
MAX_SCALARS = 32

_LOOP = lookup(Level.REG, "loop")
_END = lookup(Level.REG, "end")
_SCALAR = lookup(Level.REG, "scalar")


class ScalarRegister:
    """A scalar that a vector function changes while it runs, such as the elements that remain."""

    __slots__ = ("dtype", "index", "start")

    def __init__(self, index: int, start: int, dtype: DataType) -> None:
        self.index = index
        self.start = start
        self.dtype = dtype


@dataclass(slots=True)
class _Loop:
    row: int
    trips: int
    innermost: bool = True
    limited: list[tuple[int, int]] = field(default_factory=list)
    """Stores whose extent a counter limits: (number of the access, scalar register)."""


@dataclass(slots=True)
class _Uses:
    """What the rows of a loop do to the registers of one kind."""

    read_first: set[int] = field(default_factory=set)
    written: set[int] = field(default_factory=set)
    read: set[int] = field(default_factory=set)

    def note(self, reads: list[int], writes: list[int]) -> None:
        self.read_first |= {index for index in reads if index not in self.written}
        self.read |= set(reads)
        self.written |= set(writes)

    @property
    def carried(self) -> bool:
        """Whether an iteration reads what the one before it wrote."""
        return bool(self.read_first & self.written)

    @property
    def invariant(self) -> list[int]:
        return sorted(self.read - self.written)


class VectorRecorder:
    """The state of recording one vector function."""

    def __init__(self, core: CoreRecorder, name: str) -> None:
        self.core = core
        self.body = VectorBody(name)
        self.free_vectors: list[int] = list(range(MAX_VECTORS - 1, -1, -1))
        self.free_masks: list[int] = list(range(MAX_MASKS - 1, -1, -1))
        self._scalars: list[ScalarRegister] = []
        self._loops: list[_Loop] = []
        self.counters: dict[int, ScalarRegister] = {}
        """Mask registers made by update_mask in the current loop, with their counters."""
        self.leading: dict[int, int] = {}
        """Mask registers made by create_mask that set so many leading lanes."""

    def take_vector(self) -> int:
        if not self.free_vectors:
            self.core.refuse(
                f"more than {MAX_VECTORS} vector registers are alive; the hardware has 32 before it spills"
            )
        return self.free_vectors.pop()

    def take_mask(self) -> int:
        if not self.free_masks:
            self.core.refuse(f"more than {MAX_MASKS} mask registers are alive; the hardware has 8 before it spills")
        return self.free_masks.pop()

    def scalar(self, value: float, dtype: DataType) -> ScalarRegister:
        """A scalar register that starts as ``value``."""
        if dtype.is_float or len(self._scalars) >= MAX_SCALARS:
            self.core.refuse(f"a vector function counts in integers and has {MAX_SCALARS} scalars, not {dtype}")
        register = ScalarRegister(len(self._scalars), int(value), dtype)
        self._scalars.append(register)
        self.emit(_SCALAR, {at.V_DST: register.index, at.V_IMM: register.start})
        return register

    def emit(self, record: Instruction, columns: dict[int, int]) -> int:
        """Append a row with the given columns set; returns its number."""
        row = [0] * at.VF_ROW_WIDTH
        row[at.V_OP] = OPCODES[id(record)]
        row[at.V_MASK] = -1
        for column, value in columns.items():
            row[column] = value
        row[at.V_LOC] = self.core.builder.location(sys._getframe(1))
        self.body.rows.append(row)
        trips = 1
        for loop in self._loops:
            trips *= loop.trips
        self.body.trips.append(trips)
        return len(self.body.rows) - 1

    def access(
        self, row: int, *, argument: int, address: Affine, nbytes: int, mask: int | None = None, size: int = 1
    ) -> None:
        """Note what a load (``mask`` None) or a store under a mask touches."""
        depth = len(self._loops)
        is_store = mask is not None
        limit = -1
        if mask is not None and mask in self.leading:
            nbytes = min(nbytes, self.leading[mask] * size)
        counter = self.counters.get(mask) if mask is not None else None
        if counter is not None and depth == 1 and address.strides[0] == nbytes:
            limit = counter.start * size
            self._loops[-1].limited.append((len(self.body.accesses), counter.index))
        self.body.accesses.append(
            Access(
                position=row,
                is_store=is_store,
                argument=argument,
                offset=address.constant,
                strides=address.strides[:depth],
                trips=tuple(loop.trips for loop in self._loops),
                nbytes=nbytes,
                loop=self._loops[-1].row if self._loops else -1,
                limit=limit,
            )
        )

    def loop(self, *bounds: int) -> Iterator[Affine]:
        """A hardware loop from 0 by 1; its body is recorded once."""
        if len(bounds) != 1 or not isinstance(bounds[0], int):
            self.core.refuse(f"a hardware loop runs from 0 by 1 over a known count, not range{bounds}")
        self.core.check_range("loop count", bounds[0], 0, MAX_TRIPS)
        if len(self._loops) >= at.VF_LOOP_DEPTH:
            self.core.refuse(f"hardware loops nest {at.VF_LOOP_DEPTH} deep at most")
        if self._loops:
            self._loops[-1].innermost = False
        row = self.emit(_LOOP, {at.V_OFFSET: bounds[0]})
        self._loops.append(_Loop(row, bounds[0]))
        strides = tuple(int(level == len(self._loops) - 1) for level in range(at.VF_LOOP_DEPTH))
        # A body that breaks out never comes back here; finish() then finds the loop open.
        yield Affine(0, strides)
        end = self.emit(_END, {at.V_SRC0: row})
        self.body.rows[row][at.V_DST] = end
        self._close(self._loops.pop(), end)
        self.counters.clear()

    def _close(self, loop: _Loop, end: int) -> None:
        vectors, masks, scalars = _Uses(), _Uses(), _Uses()
        updates: list[int] = []
        for row in self.body.rows[loop.row + 1 : end]:
            kind = TABLE[row[at.V_OP]].execute
            if kind is Execute.REG_UPDATE_MASK:
                updates.append(row[at.V_SRC0])
            _note_uses(row, TABLE[row[at.V_OP]], vectors, masks, scalars)
        once = len(updates) == len(set(updates))
        batchable = loop.innermost and once and not vectors.carried and not masks.carried and not scalars.written
        for access, counter in loop.limited:
            if updates.count(counter) != 1:
                self.body.accesses[access] = self.body.accesses[access]._replace(limit=-1)
        lists = (vectors.invariant, masks.invariant, sorted(vectors.written), sorted(masks.written))
        record: list[int] = []
        for members in lists:
            record += [len(members), *members]
        self.body.rows[loop.row][at.V_AUX] = int(batchable)
        self.body.rows[loop.row][at.V_IMM] = self.core.builder.intern(tuple(record))

    def finish(self) -> VectorBody:
        """The recorded body; refuses one whose loops are not closed."""
        if self._loops:
            self.core.refuse("a hardware loop of this vector function was left before its end")
        self._fuse()
        return self.body

    def _fuse(self) -> None:
        """Note how the body's last loop can run lane by lane, if it can."""
        rows, builder = self.body.rows, self.core.builder
        if not rows or TABLE[rows[-1][at.V_OP]].execute is not Execute.REG_END:
            return
        loop = rows[-1][at.V_SRC0]
        fused = fuse(rows, builder.lanes, loop, len(rows) - 1)
        if fused is None:
            return
        types = {step.split()[1] for step in fused.steps if step.split()[0] not in ("load", "store")}
        if len(types) != 1:
            return
        self.body.fused = fused
        (dtype,) = types
        record = [fused.counter, VECTOR_BYTES // fused.size, len(fused.pointers)]
        record += [value for pointer in fused.pointers for value in pointer]
        record += [len(fused.immediates), *fused.immediates]
        rows[loop][at.V_SRC0] = builder.intern(tuple(record))
        rows[loop][at.V_SRC1] = builder.fused_lane(dtype, fused.steps) + 1


def _note_uses(row: list[int], record: Instruction, vectors: _Uses, masks: _Uses, scalars: _Uses) -> None:
    mask = [row[at.V_MASK]] if row[at.V_MASK] >= 0 else []
    kind: Any = record.execute
    if kind is Execute.REG_LOAD:
        vectors.note([], [row[at.V_DST]])
    elif kind is Execute.REG_STORE:
        masks.note(mask, [])
        vectors.note([row[at.V_SRC0]], [])
    elif kind is Execute.REG_LANE:
        masks.note(mask, [])
        sources = [] if record.form is Form.FILL else [row[at.V_SRC0]]
        if record.form in (Form.BINARY, Form.COMPARE, Form.SELECT):
            sources.append(row[at.V_SRC1])
        if row[at.V_AUX] & LaneFlags.MERGING or record.form is Form.TERNARY:
            sources.append(row[at.V_DST])
        to_mask = bool(row[at.V_AUX] & LaneFlags.TO_MASK)
        vectors.note(sources, [] if to_mask else [row[at.V_DST]])
        masks.note([], [row[at.V_DST]] if to_mask else [])
    elif kind in (Execute.REG_UPDATE_MASK, Execute.REG_CREATE_MASK):
        masks.note([], [row[at.V_DST]])
    elif kind is Execute.REG_SCALAR:
        scalars.note([], [row[at.V_DST]])
