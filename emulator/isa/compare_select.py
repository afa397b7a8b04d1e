"""Comparison and selection on UB; masks are packed bits, the first element in the lowest bit.

Comparisons with NaN give 0, except NE, which gives 1 on dav-3510 and 0 on dav-2201 (special-value tables).
"""

from __future__ import annotations

from emulator.isa.families import ALL, F32, memory
from emulator.isa.record import Form

RECORDS = (
    memory(
        "compare",
        Form.COMPARE,
        "One bit an element: src0 compared with src1.",
        "比较与选择/Compare.md",
        a2=F32,
        a5=ALL,
        a2_lane="compare_ordered",
    ),
    memory(
        "compare_scalar",
        Form.COMPARE_SCALAR,
        "One bit an element: src compared with the scalar.",
        "比较与选择/Compares.md",
        a2=F32,
        a5=ALL,
        a2_lane="compare_ordered_scalar",
    ),
    memory(
        "select",
        Form.SELECT,
        "src0 where the mask's bit is 1, else src1.",
        "比较与选择/Select.md",
        a2=F32,
        a5=ALL,
    ),
    memory(
        "select_scalar",
        Form.SELECT_SCALAR,
        "src0 where the mask's bit is 1, else the scalar; written asc.select in tensor-scalar mode.",
        "比较与选择/Select.md",
        a2=F32,
        a5=ALL,
        cost="select",
    ),
)
