"""Finds and reads SoC files."""

from __future__ import annotations

import difflib
import tomllib
from functools import cache
from importlib.resources import files
from typing import Any

import msgspec

from emulator.errors import SocError
from emulator.soc.spec import SocSpec

_BASES = ("Ascend950", "Ascend910B")


class Variant(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A SoC that differs from ``base`` in the fields that are set."""

    base: str
    provenance: str
    aiv_cores: int | None = None


def _read(file_name: str) -> dict[str, Any]:
    return tomllib.loads((files("emulator.soc") / file_name).read_text(encoding="utf-8"))


@cache
def variants() -> dict[str, Variant]:
    """The variants by name."""
    return msgspec.convert(_read("variants.toml")["variants"], dict[str, Variant])


def soc_names() -> list[str]:
    """Every SoC name that ``load_soc`` knows."""
    return [*_BASES, *variants()]


@cache
def load_soc(name: str) -> SocSpec:
    """The description of a SoC by name, in any letter case; SocError for an unknown one."""
    known = {candidate.lower(): candidate for candidate in soc_names()}
    found = known.get(str(name).lower())
    if found is None:
        close = difflib.get_close_matches(str(name).lower(), known, n=1)
        hint = f"; did you mean {known[close[0]]}?" if close else ""
        raise SocError(f"unknown SoC {name!r}{hint} (known: {', '.join(soc_names())})")
    if found in _BASES:
        return msgspec.convert(_read(f"{found}.toml"), SocSpec)
    variant = variants()[found]
    spec = msgspec.structs.replace(load_soc(variant.base), name=found)
    return spec.with_overrides(cores=variant.aiv_cores)
