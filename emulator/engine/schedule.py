"""In which order a core's pipes make progress."""

from __future__ import annotations

from enum import IntEnum


class Schedule(IntEnum):
    """A correct kernel computes the same under each schedule.

    ``timed`` follows the cost model, ``program`` the author's order, ``adversarial`` completes each copy as late as the
    flags allow and resolves every race against the author's order, ``random`` draws the order from a seed.
    """

    timed = 0
    program = 1
    adversarial = 2
    random = 3
