"""Conversion between element types.

Floating to integer saturates, with infinities at the extremes and NaN as 0; integers saturate; floating to floating
rounds and overflows to infinity (INF/NAN mode).
"""

from __future__ import annotations

from emulator.isa.families import A2, A5, MEMORY_PAGES
from emulator.isa.record import Execute, Form, Instruction, Level, Pipe

_DIRECTED = "rint,floor,ceil,round,trunc"
_ANY = f"{_DIRECTED},none"

_BOTH = (
    "int8->float16:none",
    "uint8->float16:none",
    "int16->float32:none",
    f"float16->int16:{_DIRECTED}",
    f"float16->int32:{_DIRECTED}",
    "float16->float32:none",
    f"bfloat16->int32:{_DIRECTED}",
    "bfloat16->float32:none",
    "int32->int16:none",
    "int32->int64:none",
    f"float32->int16:{_DIRECTED}",
    f"float32->float16:{_DIRECTED},odd,none",
    f"float32->bfloat16:{_DIRECTED}",
    f"float32->int32:{_DIRECTED}",
    f"float32->float32:{_DIRECTED}",
    f"float32->int64:{_DIRECTED}",
    "int64->int32:none",
    "int64->float32:rint",
)

_A2 = (
    *_BOTH,
    f"int16->float16:{_ANY}",
    f"float16->int8:{_ANY}",
    f"float16->uint8:{_ANY}",
    f"int32->float32:{_ANY}",
)

_A5 = (
    *_BOTH,
    "int8->int16:none",
    "int8->int32:none",
    "uint8->uint16:none",
    "uint8->uint32:none",
    "int16->uint8:none",
    f"int16->float16:{_DIRECTED}",
    "int16->int32:none",
    "int16->uint32:none",
    "uint16->uint8:none",
    "uint16->uint32:none",
    f"float16->int8:{_DIRECTED}",
    f"float16->uint8:{_DIRECTED}",
    f"float16->bfloat16:{_DIRECTED}",
    f"bfloat16->float16:{_DIRECTED}",
    "int32->uint8:none",
    "int32->uint16:none",
    f"int32->float32:{_DIRECTED}",
    "uint32->uint8:none",
    "uint32->int16:none",
    "uint32->uint16:none",
)

RECORDS = (
    Instruction(
        name="cast",
        level=Level.MEMORY,
        execute=Execute.LANE,
        pipe=Pipe.V,
        summary="Converts each element to dst's type under a round mode.",
        source=f"{MEMORY_PAGES}/类型转换/Cast.md",
        form=Form.CONVERT,
        dtypes={A2: _A2, A5: _A5},
        lane="cast",
        cost="cast",
    ),
)
