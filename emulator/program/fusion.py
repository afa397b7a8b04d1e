"""Which loops of a vector function may run lane by lane through the whole body at once.

Such a loop applies every instruction to one lane before it goes on to the next lane, so intermediate values stay in the
host's registers instead of travelling through the emulated ones.  The results are the same bits: lanes do not see each
other, and masked-out lanes never reach memory.  That holds for a loop that

- is the last thing in its vector function, so that nobody reads a register afterwards,
- is governed by one mask from ``update_mask``, so that the lanes in question are the first ones,
- carries nothing from one iteration to the next and reads no register written before it,
- loads and stores whole consecutive registers of one element size, and
- at its call, stores to memory that no other pointer of the loop touches.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from emulator.isa import layout as at
from emulator.isa.layout import LaneFlags, LoadDist
from emulator.isa.record import Execute, Form
from emulator.isa.table import TABLE
from emulator.program.vector_body import VECTOR_BYTES

MAX_POINTERS = 16
MAX_IMMEDIATES = 32

_HARMLESS = (Execute.REG_ADDRESS, Execute.REG_MEM_BAR)


class FusedLoop(NamedTuple):
    """A loop in terms of its own pointers and immediates.

    ``steps`` name what is done to a lane, in order: ``load v0 p0``, ``muls float32 v2 v0 s0``, ``store p2 v8``;
    ``pointers`` are (argument, byte offset), ``immediates`` the bits of scalars, ``counter`` the scalar register that
    says how many lanes are left, and ``size`` the bytes of an element.
    """

    steps: tuple[str, ...]
    pointers: tuple[tuple[int, int], ...]
    stored: tuple[int, ...]
    immediates: tuple[int, ...]
    counter: int
    size: int

    def allows(self, addresses: Sequence[int], nbytes: int) -> bool:
        """Whether no store meets memory of another pointer, each touching ``nbytes`` from its start."""
        starts = [addresses[argument] + offset for argument, offset in self.pointers]
        return all(
            abs(starts[store] - other) >= nbytes
            for store in self.stored
            for number, other in enumerate(starts)
            if number != store
        )


class _NotFusable(Exception):  # noqa: N818  (it ends a search, it is no error)
    """A row that keeps its loop from being fused."""


class _Builder:
    def __init__(self, lanes: Sequence[tuple[str, ...]], mask: int, size: int) -> None:
        self.lanes = lanes
        self.mask = mask
        self.size = size
        self.steps: list[str] = []
        self.pointers: list[tuple[int, int]] = []
        self.stored: set[int] = set()
        self.immediates: list[int] = []
        self._vectors: set[int] = set()
        self._masks: set[int] = set()

    def add(self, row: Sequence[int]) -> None:
        """Take one row of the loop, or raise _NotFusable."""
        record = TABLE[row[at.V_OP]]
        if record.execute in _HARMLESS or record.execute is Execute.REG_UPDATE_MASK:
            return
        if row[at.V_SIZE] != self.size:
            raise _NotFusable
        if record.execute is Execute.REG_LOAD:
            self._check(row[at.V_AUX] == LoadDist.NORM)
            self.steps.append(f"load v{row[at.V_DST]} p{self._pointer(row)}")
            self._vectors.add(row[at.V_DST])
        elif record.execute is Execute.REG_STORE:
            self._check(row[at.V_MASK] == self.mask and row[at.V_SRC0] in self._vectors)
            pointer = self._pointer(row)
            self.stored.add(pointer)
            self.steps.append(f"store p{pointer} v{row[at.V_SRC0]}")
        elif record.execute is Execute.REG_LANE:
            self._lane(row, record.form)
        else:
            raise _NotFusable

    def _lane(self, row: Sequence[int], form: Form) -> None:
        name, dtype = self.lanes[row[at.V_LANE]]
        operands = [] if form is Form.FILL else [row[at.V_SRC0]]
        if form in (Form.BINARY, Form.COMPARE, Form.SELECT):
            operands.append(row[at.V_SRC1])
        self._check(all(operand in self._vectors for operand in operands))
        self._check(not row[at.V_AUX] & LaneFlags.MERGING)
        sources = [f"v{operand}" for operand in operands]
        if form is Form.SELECT:
            self._check(row[at.V_MASK] in self._masks)
            sources.insert(0, f"m{row[at.V_MASK]}")
        else:
            self._check(row[at.V_MASK] == self.mask or (form is Form.FILL and row[at.V_MASK] < 0))
        if form in (Form.SCALAR, Form.FILL, Form.COMPARE_SCALAR):
            sources.append(f"s{len(self.immediates)}")
            self.immediates.append(row[at.V_IMM])
        to_mask = bool(row[at.V_AUX] & LaneFlags.TO_MASK)
        (self._masks if to_mask else self._vectors).add(row[at.V_DST])
        self.steps.append(" ".join((name, dtype, f"{'m' if to_mask else 'v'}{row[at.V_DST]}", *sources)))

    def _pointer(self, row: Sequence[int]) -> int:
        strides = row[at.V_STRIDE : at.V_STRIDE + at.VF_LOOP_DEPTH]
        self._check(strides[0] == VECTOR_BYTES and not any(strides[1:]))
        place = (row[at.V_ARG], row[at.V_OFFSET])
        if place not in self.pointers:
            self.pointers.append(place)
        return self.pointers.index(place)

    @staticmethod
    def _check(condition: bool) -> None:
        if not condition:
            raise _NotFusable


def fuse(rows: Sequence[Sequence[int]], lanes: Sequence[tuple[str, ...]], loop: int, end: int) -> FusedLoop | None:
    """The loop between rows ``loop`` and ``end`` of a finished body as a FusedLoop; None where it must not be one."""
    if end != len(rows) - 1 or not rows[loop][at.V_AUX]:
        return None
    inside = rows[loop + 1 : end]
    updates = [row for row in inside if TABLE[row[at.V_OP]].execute is Execute.REG_UPDATE_MASK]
    if len(updates) != 1:
        return None
    builder = _Builder(lanes, updates[0][at.V_DST], updates[0][at.V_SIZE])
    try:
        for row in inside:
            builder.add(row)
    except _NotFusable:
        return None
    if not builder.stored or len(builder.pointers) > MAX_POINTERS or len(builder.immediates) > MAX_IMMEDIATES:
        return None
    return FusedLoop(
        tuple(builder.steps),
        tuple(builder.pointers),
        tuple(sorted(builder.stored)),
        tuple(builder.immediates),
        updates[0][at.V_SRC0],
        builder.size,
    )
