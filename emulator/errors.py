"""Every error the emulator raises.

An error names the argument, the value that was given and the limit it broke.  Errors met while a kernel is
recorded also carry the author's source line, since a traceback shows the line only while it is alive.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class SourceLocation:
    """A line of the kernel author's code."""

    file: str
    line: int
    function: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line} in {self.function}"


class EmulatorError(Exception):
    """Base class of everything the emulator refuses; ``location`` is the author's line where one is known."""

    def __init__(self, message: str, *, location: SourceLocation | None = None) -> None:
        super().__init__(f"{message} [{location}]" if location else message)
        self.message = message
        self.location = location


class SocError(EmulatorError):
    """An unknown SoC name, or a SoC file or override outside what the hardware allows."""


class OperandError(EmulatorError, ValueError):
    """An instruction or API call with an operand the hardware does not accept."""


class UbCapacityError(OperandError):
    """Buffers that do not fit the unified buffer, or an access outside the buffer it was made for."""


class GlobalMemoryError(EmulatorError):
    """An access outside an allocation of global memory, or to one that was freed."""


class LaunchError(EmulatorError):
    """A launch with arguments or a core count that the kernel or device does not accept."""


class FlagError(EmulatorError):
    """A hardware event used in a way the hardware leaves undefined, such as two sets without a wait between."""


@dataclass(frozen=True, slots=True)
class BlockedWait:
    """One pipe of one core that can never go on: what it waits for and where the author asked for it."""

    core: int
    pipe: str
    waits_for: str
    location: SourceLocation | None

    def __str__(self) -> str:
        where = f" [{self.location}]" if self.location else ""
        return f"core {self.core} {self.pipe}: {self.waits_for}{where}"


class DeadlockError(EmulatorError):
    """A kernel that can never finish; ``waits`` lists every blocked pipe of every blocked core."""

    def __init__(self, waits: tuple[BlockedWait, ...]) -> None:
        shown = "\n  ".join(str(wait) for wait in waits)
        super().__init__(f"the kernel can never finish; {len(waits)} pipe(s) wait for ever:\n  {shown}")
        self.waits = waits
