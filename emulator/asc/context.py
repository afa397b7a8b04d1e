"""Which core is being recorded on this thread."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from emulator.errors import LaunchError

if TYPE_CHECKING:
    from emulator.asc.recorder import CoreRecorder


class _Context(threading.local):
    recorder: CoreRecorder | None = None


_context = _Context()


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
