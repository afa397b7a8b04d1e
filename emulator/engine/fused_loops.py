"""Machine code for a fused loop: every instruction's lane function in turn, for one lane after another.

The function is put together from the loop's steps (see :mod:`emulator.program.fusion`) and the same lane functions,
widening and rounding that single instructions use, so it computes the same bits.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from typing import Any

from emulator.dtypes import DTYPES
from emulator.engine.intrinsics import POINTER_TO
from emulator.engine.jit import inlined
from emulator.engine.lanes.registry import LANES, Flush
from emulator.engine.storage import STORAGE, result_of
from emulator.isa.record import Form

FUSED = "fused"


def fused_name(key: tuple[str, ...]) -> str:
    """A short name for the cache, since a key spells out the whole loop."""
    return f"fused-{hashlib.sha256(' | '.join(key).encode()).hexdigest()[:24]}"


def fused_loop(key: tuple[str, ...]) -> Callable[..., None]:
    """The loop of ("fused", element type of the pointers, *steps).

    It is called like any lane loop: ``dst`` points to the pointers, ``src0`` to the immediates, ``n`` counts lanes.
    """
    _, dtype, *steps = key
    storage = STORAGE[dtype]
    # Numba asks the function for its module when it loads the machine code back.
    names: dict[str, Any] = {"__name__": __name__, "words": POINTER_TO["int64"]}
    names |= {"pointer": storage.pointer, "load": storage.load, "store": storage.store, "scalar": storage.scalar}
    used = sorted({word for step in steps for word in step.split() if word[0] in "ps" and word[1:].isdigit()})
    lines = ["def loop(dst, src0, src1, src2, imm, n):"]
    lines += [f"    {word} = pointer(words(dst)[{word[1:]}])" for word in used if word[0] == "p"]
    lines += [f"    {word} = scalar(words(src0)[{word[1:]}])" for word in used if word[0] == "s"]
    lines.append("    for i in range(n):")
    for number, step in enumerate(steps):
        kind, *operands = step.split()
        if kind == "load":
            lines.append(f"        {operands[0]} = load({operands[1]}[i])")
        elif kind == "store":
            lines.append(f"        {operands[0]}[i] = store({operands[1]})")
        else:
            names[f"f{number}"] = _lane_value(kind, operands[0])
            lines.append(f"        {operands[1]} = f{number}({', '.join(operands[2:])})")
    exec("\n".join(lines), names)
    loop: Callable[..., None] = names["loop"]
    return loop


def _lane_value(name: str, dtype: str) -> Any:
    """A lane function from widened operands to the value a register would hold, widened again."""
    lane, storage = LANES[name, DTYPES[dtype].kind], STORAGE[dtype]
    body, load, store = inlined(lane.body), storage.load, storage.store
    if lane.form in (Form.COMPARE, Form.COMPARE_SCALAR):
        return body
    write = result_of(lane, DTYPES[dtype])
    flush_operands = lane.flush is Flush.BOTH and DTYPES[dtype].is_float
    if lane.form is Form.SELECT:

        @inlined
        def select(mask: Any, a: Any, b: Any) -> Any:
            return load(store(body(mask, a, b)))

        return select
    return _with_operands(lane.form, body, storage.flush if flush_operands else None, write, load, store)


def _with_operands(form: Form, body: Any, flush: Any, write: Any, load: Any, store: Any) -> Any:
    if form in (Form.BINARY, Form.SCALAR):
        if flush is None:

            @inlined
            def two(a: Any, b: Any) -> Any:
                return load(store(write(body(a, b))))

            return two

        @inlined
        def two_flushed(a: Any, b: Any) -> Any:
            return load(store(write(body(flush(a), flush(b)))))

        return two_flushed
    if flush is None:

        @inlined
        def one(a: Any) -> Any:
            return load(store(write(body(a))))

        return one

    @inlined
    def one_flushed(a: Any) -> Any:
        return load(store(write(body(flush(a)))))

    return one_flushed
