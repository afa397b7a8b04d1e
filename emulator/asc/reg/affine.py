"""Loop indices while a vector function is recorded: known only as sums of index x stride."""

from __future__ import annotations

from typing import NoReturn

from emulator.asc.context import current_recorder
from emulator.isa.layout import VF_LOOP_DEPTH

_NO_STRIDES = (0,) * VF_LOOP_DEPTH


class Affine:
    """``constant + sum(strides[level] x index of loop level)``."""

    __slots__ = ("constant", "strides")

    def __init__(self, constant: int = 0, strides: tuple[int, ...] = _NO_STRIDES) -> None:
        self.constant = constant
        self.strides = strides

    @classmethod
    def of(cls, value: int | Affine) -> Affine:
        """A plain integer, or an expression that is one already."""
        if isinstance(value, Affine):
            return value
        if isinstance(value, int):
            return cls(value)
        current_recorder().refuse(f"an address must be an integer or an expression of loop indices, not {value!r}")

    def __add__(self, other: int | Affine) -> Affine:
        other = Affine.of(other)
        return Affine(
            self.constant + other.constant, tuple(a + b for a, b in zip(self.strides, other.strides, strict=True))
        )

    __radd__ = __add__

    def __sub__(self, other: int | Affine) -> Affine:
        return self + Affine.of(other) * -1

    def __rsub__(self, other: int | Affine) -> Affine:
        return Affine.of(other) - self

    def __mul__(self, factor: int) -> Affine:
        if not isinstance(factor, int):
            current_recorder().refuse("a loop index can be multiplied by an integer only")
        return Affine(self.constant * factor, tuple(stride * factor for stride in self.strides))

    __rmul__ = __mul__

    def _unknown(self, *_: object) -> NoReturn:
        current_recorder().refuse(
            "a hardware loop is recorded once, so its index has no value to test or convert; "
            "use Python's range for a loop that is unrolled"
        )

    __bool__ = __int__ = __index__ = __lt__ = __le__ = __gt__ = __ge__ = __mod__ = __floordiv__ = _unknown

    def __eq__(self, other: object) -> bool:
        self._unknown()

    def __hash__(self) -> int:
        return hash((self.constant, self.strides))
