"""A recorded vector function: its rows, and what each access touches for given argument addresses."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from emulator.program.fusion import FusedLoop

VECTOR_BYTES = 256


class Access(NamedTuple):
    """A load or store: bytes [offset + sum(index x stride), + nbytes) of an argument, for indices below ``trips``.

    ``position`` is its row; ``loop`` the row of the innermost loop around it (-1 outside loops).  ``limit`` is the
    number of bytes, counted from ``offset``, beyond which a mask keeps a store from writing (-1: no limit known).
    """

    position: int
    is_store: bool
    argument: int
    offset: int
    strides: tuple[int, ...]
    trips: tuple[int, ...]
    nbytes: int
    loop: int
    limit: int

    def hull(self, base: int) -> tuple[int, int]:
        """Lowest and one past the highest byte touched when the argument lies at ``base``."""
        low = base + self.offset
        high = low
        for stride, trips in zip(self.strides, self.trips, strict=True):
            last = stride * (trips - 1)
            low, high = (low + last, high) if last < 0 else (low, high + last)
        high += self.nbytes
        if self.limit >= 0:
            high = min(high, base + self.offset + self.limit)
        return low, high


@dataclass(slots=True)
class VectorBody:
    """Rows of a vector function (VF_ROW_WIDTH columns each), with the accesses that decide how it may be batched."""

    name: str
    rows: list[list[int]] = field(default_factory=list)
    accesses: list[Access] = field(default_factory=list)
    trips: list[int] = field(default_factory=list)
    """How often each row runs in one call."""
    fused: FusedLoop | None = None
    """The body's last loop, where it may run fused."""

    def hulls(self, addresses: Sequence[int], *, stores: bool) -> list[tuple[int, int]]:
        """Byte ranges of all loads or all stores that run at least once."""
        chosen = [access for access in self.accesses if access.is_store == stores and self.trips[access.position]]
        return [access.hull(addresses[access.argument]) for access in chosen]

    def batch_limit(self, addresses: Sequence[int]) -> int:
        """How many iterations of an innermost loop may run together with the results of one after another.

        Running an instruction for a whole batch before the next instruction swaps an access of a later iteration with a
        later access of an earlier iteration.  That is allowed while no such pair touches common bytes, one of them
        writing.
        """
        limit = 1 << 30
        for store in self.accesses:
            if not store.is_store or store.loop < 0:
                continue
            for other in self.accesses:
                if other.loop == store.loop:
                    limit = min(limit, _distance(store, other, addresses))
        return max(limit, 1)


def _distance(store: Access, other: Access, addresses: Sequence[int]) -> int:
    """Smallest number of iterations between two accesses that meet and would swap (1 << 30 where none do)."""
    never = 1 << 30
    low, high = store.hull(addresses[store.argument])
    other_low, other_high = other.hull(addresses[other.argument])
    if store is other or low >= other_high or other_low >= high:
        return never
    stride = store.strides[-1]
    if store.strides != other.strides or stride == 0:
        return 1
    gap = addresses[other.argument] + other.offset - addresses[store.argument] - store.offset
    # The other access, k iterations later, meets the store where -other.nbytes < gap + k * stride < store.nbytes; they
    # swap for k > 0 when the store stands later in the body, for k < 0 when it stands earlier.
    step = stride if store.position > other.position else -stride
    if step < 0:
        gap, step = -gap - (other.nbytes - store.nbytes), -step
    first = max((-other.nbytes - gap) // step + 1, 1)
    return first if first < store.trips[-1] and gap + first * step < store.nbytes else never
