"""SoC descriptions: every number about hardware, with its source beside it."""

from emulator.soc.loader import load_soc, soc_names, variants
from emulator.soc.spec import CallFit, DmaCurve, RegisterCost, SocSpec

__all__ = ["CallFit", "DmaCurve", "RegisterCost", "SocSpec", "load_soc", "soc_names", "variants"]
