"""Which device launches go to and which core is being recorded, on this thread."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol

from emulator.errors import LaunchError

if TYPE_CHECKING:
    from emulator.asc.recorder import CoreRecorder


class Launches(Protocol):
    """What a kernel needs of a device."""

    def launch(
        self, kernel: Any, cores: int, args: Sequence[Any] = (), kwargs: Mapping[str, Any] | None = None
    ) -> Any: ...


class _Context(threading.local):
    def __init__(self) -> None:
        self.recorder: CoreRecorder | None = None
        self.devices: list[Launches] = []


_context = _Context()


def enter_device(device: Launches) -> None:
    """Make ``device`` the one that launches go to."""
    _context.devices.append(device)


def leave_device(device: Launches) -> None:
    """Undo ``enter_device``."""
    _context.devices.remove(device)


def current_device() -> Any:
    """The device of the innermost ``with Device(...)``; LaunchError where there is none."""
    if not _context.devices:
        raise LaunchError("no device: launch inside `with Device(...):`")
    return _context.devices[-1]


def current_recorder() -> CoreRecorder:
    """The core that asc calls append to; LaunchError outside a launch."""
    recorder = _context.recorder
    if recorder is None:
        raise LaunchError("asc calls work only inside a kernel: launch it as kernel[core_num](...) on a Device")
    return recorder


def is_recording() -> bool:
    """Whether a kernel is being recorded on this thread."""
    return _context.recorder is not None


def set_recorder(recorder: CoreRecorder | None) -> CoreRecorder | None:
    """Make ``recorder`` the current one; returns the one before."""
    previous, _context.recorder = _context.recorder, recorder
    return previous
