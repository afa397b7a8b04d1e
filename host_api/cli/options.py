"""Option types that several commands share."""

from __future__ import annotations

from typing import Any

import click

from kernels.softplus_v2_grad.op_def import SOFTPLUS_V2_GRAD

MAX_ELEMENTS = 1 << 32


class Shape(click.ParamType):
    """A tensor shape written 4,2; an empty string is a scalar."""

    name = "N,N,…"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[int, ...]:
        if isinstance(value, tuple):
            return value
        try:
            shape = tuple(int(extent) for extent in value.split(",")) if value.strip() else ()
        except ValueError:
            self.fail(f"{value!r} is no shape; write extents like 4,2", param, ctx)
        if any(extent < 0 for extent in shape):
            self.fail(f"{value!r} has a negative extent", param, ctx)
        total = 1
        for extent in shape:
            total *= extent
        if total > MAX_ELEMENTS:
            self.fail(f"{value!r} has {total} elements; this command takes at most {MAX_ELEMENTS}", param, ctx)
        return shape


DTYPE = click.Choice(SOFTPLUS_V2_GRAD.dtypes)
OPERATOR = click.Choice(["softplus_v2_grad"])
