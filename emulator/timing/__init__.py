"""What instructions cost, from the SoC files."""

from emulator.timing.cost import price

__all__ = ["price"]
