"""Lane functions: the meaning of each computing instruction for one element, a module a family."""

from emulator.engine.lanes import arithmetic, bitwise, compare_select, transcendental

__all__ = ["arithmetic", "bitwise", "compare_select", "transcendental"]
