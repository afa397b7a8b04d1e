"""What a lane function is and where the engine finds it.

A lane function is the meaning of an instruction for one element: a small pure body over widened lanes (float32 for
every floating type, int64 for every integer type).  The loop around it, the widening, the rounding back and the
flushing of denormals belong to :mod:`emulator.engine.loops`, so a body states arithmetic and nothing else.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum, auto
from typing import Any

from emulator.isa.record import Form


class Flush(Enum):
    """Where denormals become zero.  RESULT is BOTH for a function that maps them to what it maps zero to."""

    NONE = auto()
    RESULT = auto()
    BOTH = auto()


@dataclass(frozen=True, slots=True)
class Lane:
    """A lane function.

    ``kinds`` holds the kinds of element it serves: ``f`` floating, ``i`` signed, ``u`` unsigned.
    ``flush`` says where denormals of the element type become zero.
    ``keeps_nan`` is set where the result only moves or selects bits, so a NaN keeps its payload; everywhere else a NaN
    result is the one canonical NaN, since hosts disagree about payloads.
    """

    name: str
    form: Form
    kinds: str
    body: Callable[..., Any]
    flush: Flush = Flush.NONE
    keeps_nan: bool = False


LANES: dict[tuple[str, str], Lane] = {}


def lane(
    form: Form, kinds: str, *, name: str = "", flush: Flush = Flush.NONE, keeps_nan: bool = False
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Register a lane function under its own name (or ``name``) for each kind of element in ``kinds``."""

    def register(body: Callable[..., Any]) -> Callable[..., Any]:
        entry = Lane(name or body.__name__, form, kinds, body, flush, keeps_nan)
        for kind in kinds:
            LANES[entry.name, kind] = entry
        return body

    return register
