"""Collects what the cores of a launch share: parameters, lane loops, vector functions, source lines."""

from __future__ import annotations

import sys
from array import array
from dataclasses import dataclass, field
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

from emulator.dtypes import DTYPES
from emulator.errors import SourceLocation
from emulator.isa.record import Form, Instruction
from emulator.isa.table import TABLE
from emulator.program.vector_body import VectorBody

_OWN_CODE = str(Path(__file__).parent.parent)

OPCODES: dict[int, int] = {id(record): number for number, record in enumerate(TABLE)}


@dataclass(slots=True)
class VectorCalls:
    """What has been recorded already: bodies by function and arguments, parameter records by body and places."""

    bodies: dict[Any, int] = field(default_factory=dict)
    params: dict[Any, int] = field(default_factory=dict)


class ProgramBuilder:
    """Interned tables of the program being recorded."""

    def __init__(self) -> None:
        self.pool = array("q")
        self._pool_index: dict[tuple[int, ...], int] = {}
        self.lanes: list[tuple[str, ...]] = []
        self.lane_bits: list[tuple[int, int, int, int, int]] = []
        self._lane_index: dict[tuple[str, ...], int] = {}
        self.bodies: list[VectorBody] = []
        self.vector_calls = VectorCalls()
        # N-dimensional copies by the identity of their parameters, which the entry keeps alive.
        self.boxes: dict[Any, tuple[Any, int, int, int, int]] = {}
        # Keyed by identity, since hashing a code object costs more than recording an instruction; the lists and the
        # dictionary below keep the objects alive.
        self._locations: dict[tuple[int, int], int] = {}
        self._places: list[tuple[CodeType, int]] = []
        self._own_codes: dict[int, CodeType] = {}

    def intern(self, values: tuple[int, ...]) -> int:
        """Offset of a parameter record in the pool; equal records are stored once."""
        offset = self._pool_index.get(values)
        if offset is None:
            offset = self._pool_index[values] = len(self.pool)
            self.pool.extend(values)
        return offset

    def lane(self, record: Instruction, key: tuple[str, ...]) -> int:
        """Number of a lane loop in the program's lane table."""
        number = self._lane_index.get(key)
        return self._new_lane(key, _operand_bits(record.form, key)) if number is None else number

    def fused_lane(self, dtype: str, steps: tuple[str, ...]) -> int:
        """Number of the lane loop that runs ``steps`` one after another."""
        key = ("fused", dtype, *steps)
        number = self._lane_index.get(key)
        return self._new_lane(key, (0, 0, 0, 0, 0)) if number is None else number

    def _new_lane(self, key: tuple[str, ...], bits: tuple[int, int, int, int, int]) -> int:
        number = self._lane_index[key] = len(self.lanes)
        self.lanes.append(key)
        self.lane_bits.append(bits)
        return number

    def location(self, frame: FrameType) -> int:
        """Number of the author's source position: the innermost frame outside the emulator's own code."""
        author: FrameType | None = frame
        while author is not None:
            code = author.f_code
            key = (id(code), author.f_lasti)
            known = self._locations.get(key)
            if known is not None:
                return known
            if self._own_codes.get(key[0]) is None:
                if not code.co_filename.startswith(_OWN_CODE):
                    self._locations[key] = len(self._places)
                    self._places.append((code, author.f_lasti))
                    return self._locations[key]
                self._own_codes[key[0]] = code
            author = author.f_back
        return -1

    def here(self) -> SourceLocation | None:
        """The author's line that is being executed now, for error messages."""
        number = self.location(sys._getframe(1))
        return _line_of(*self._places[number]) if number >= 0 else None

    def locations(self) -> list[SourceLocation]:
        """The source lines in the order of their numbers."""
        return [_line_of(code, offset) for code, offset in self._places]


def _line_of(code: CodeType, offset: int) -> SourceLocation:
    line = code.co_firstlineno
    for start, end, number in code.co_lines():
        if start <= offset < end and number is not None:
            line = number
    return SourceLocation(code.co_filename, line, code.co_name)


def _operand_bits(form: Form, key: tuple[str, ...]) -> tuple[int, int, int, int, int]:
    bits = 8 * DTYPES[key[1]].size_bytes
    if form is Form.CONVERT:
        return (8 * DTYPES[key[2]].size_bytes, bits, 0, 0, 0)
    two_vectors = form in (Form.BINARY, Form.COMPARE, Form.SELECT)
    return (
        1 if form in (Form.COMPARE, Form.COMPARE_SCALAR) else bits,
        0 if form is Form.FILL else bits,
        bits if two_vectors else 0,
        1 if form in (Form.SELECT, Form.SELECT_SCALAR) else 0,
        bits if form is Form.TERNARY else 0,
    )
