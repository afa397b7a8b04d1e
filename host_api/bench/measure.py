"""Interleaved timing: contestants take turns, so that a machine that slows down slows all of them."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Measurement:
    """Seconds of each counted round of one contestant."""

    seconds: tuple[float, ...]

    @property
    def median(self) -> float:
        return statistics.median(self.seconds)

    def ratio_to(self, other: Measurement) -> tuple[float, float, float]:
        """Median of the round-by-round ratios to another contestant, with the smallest and the largest."""
        ratios = [mine / theirs for mine, theirs in zip(self.seconds, other.seconds, strict=True)]
        return statistics.median(ratios), min(ratios), max(ratios)


def interleave(
    contestants: Mapping[str, Callable[[], object]], rounds: int, *, warmups: int = 1
) -> dict[str, Measurement]:
    """Run every contestant once a round, after ``warmups`` rounds that do not count."""
    seconds: dict[str, list[float]] = {name: [] for name in contestants}
    for number in range(warmups + rounds):
        for name, run in contestants.items():
            started = time.perf_counter()
            run()
            elapsed = time.perf_counter() - started
            if number >= warmups:
                seconds[name].append(elapsed)
    return {name: Measurement(tuple(values)) for name, values in seconds.items()}
