"""Element-wise vector calls on UB (count form): arithmetic, transcendental, bitwise, fill.

Integers wrap (CTRL[53] = 0).  exp, ln, sqrt, rsqrt, div and reciprocal follow the default algorithm of dav-3510, which
flushes denormals on the way in and out; the documentation says nothing of the kind for dav-2201, where the same is a
guess.
"""

from __future__ import annotations

from emulator.isa.families import ALL, BYTES, F32, FLOATS, INTEGERS, LONGS, S16_TO_F32, WORDS, memory
from emulator.isa.record import Form

_SCALAR_TYPES = (*BYTES, "int16", *FLOATS, "int32", *LONGS)

RECORDS = (
    memory("abs", Form.UNARY, "|src|.", "基础算术/Abs.md", a2=F32, a5=("int8", "int16", *F32, "int32", "int64")),
    memory("exp", Form.UNARY, "e to the power of src, within 1 ULP.", "基础算术/Exp.md", a2=F32, a5=F32),
    memory("ln", Form.UNARY, "Natural logarithm, within 1 ULP.", "基础算术/Ln.md", a2=F32, a5=F32),
    memory("sqrt", Form.UNARY, "Square root; NaN below zero.", "基础算术/Sqrt.md", a2=F32, a5=F32),
    memory("rsqrt", Form.UNARY, "1 / square root.", "基础算术/Rsqrt.md", a2=F32, a5=F32),
    memory(
        "reciprocal",
        Form.UNARY,
        "1 / src, correctly rounded; the chip approximates it within 2e-3 (half) or 2e-4 (float).",
        "基础算术/Reciprocal.md",
        a2=F32,
        a5=(*F32, *LONGS),
        provenance="documented range of error; the value within it is a guess",
    ),
    memory(
        "relu",
        Form.UNARY,
        "max(src, 0).",
        "基础算术/Relu.md",
        a2=(*F32, "int32"),
        a5=(*F32, "int32", "int64"),
    ),
    memory("neg", Form.UNARY, "-src.", "基础算术/Neg(ISASI).md", a5=("int8", "int16", "int32", "int64", *F32)),
    memory(
        "bitwise_not",
        Form.UNARY,
        "Every bit inverted.",
        "逻辑计算/Not.md",
        a2=("int16", "uint16"),
        a5=INTEGERS,
        cost="not",
    ),
    memory("add", Form.BINARY, "src0 + src1.", "基础算术/Add.md", a2=S16_TO_F32, a5=ALL),
    memory("sub", Form.BINARY, "src0 - src1.", "基础算术/Sub.md", a2=S16_TO_F32, a5=ALL),
    memory("mul", Form.BINARY, "src0 x src1.", "基础算术/Mul.md", a2=S16_TO_F32, a5=(*WORDS, *FLOATS, *LONGS)),
    memory("div", Form.BINARY, "src0 / src1, within 1 ULP.", "基础算术/Div.md", a2=F32, a5=(*WORDS, *F32, *LONGS)),
    memory(
        "max",
        Form.BINARY,
        "The larger of two; max(-0, +0) is +0.",
        "基础算术/Max.md",
        a2=S16_TO_F32,
        a5=ALL,
    ),
    memory(
        "min",
        Form.BINARY,
        "The smaller of two; min(-0, +0) is -0.",
        "基础算术/Min.md",
        a2=S16_TO_F32,
        a5=ALL,
    ),
    memory(
        "bitwise_and",
        Form.BINARY,
        "src0 & src1.",
        "逻辑计算/And.md",
        a2=("int16", "uint16"),
        a5=INTEGERS,
        cost="and",
    ),
    memory("bitwise_or", Form.BINARY, "src0 | src1.", "逻辑计算/Or.md", a2=("int16", "uint16"), a5=INTEGERS, cost="or"),
    memory(
        "add_relu",
        Form.BINARY,
        "max(src0 + src1, 0).",
        "复合计算/AddRelu.md",
        a2=("int16", *F32),
        a5=("int16", *F32, *LONGS),
    ),
    memory(
        "sub_relu",
        Form.BINARY,
        "max(src0 - src1, 0).",
        "复合计算/SubRelu.md",
        a2=("int16", *F32),
        a5=("int16", *F32, "int64"),
    ),
    memory("adds", Form.SCALAR, "src + scalar.", "基础算术/Adds.md", a2=S16_TO_F32, a5=_SCALAR_TYPES),
    memory("muls", Form.SCALAR, "src x scalar.", "基础算术/Muls.md", a2=S16_TO_F32, a5=_SCALAR_TYPES[2:]),
    memory(
        "maxs",
        Form.SCALAR,
        "The larger of src and scalar.",
        "基础算术/Maxs.md",
        a2=S16_TO_F32,
        a5=_SCALAR_TYPES,
    ),
    memory(
        "mins",
        Form.SCALAR,
        "The smaller of src and scalar.",
        "基础算术/Mins.md",
        a2=S16_TO_F32,
        a5=_SCALAR_TYPES,
    ),
    memory(
        "leaky_relu",
        Form.SCALAR,
        "src where it is at least 0, else src x scalar.",
        "基础算术/LeakyRelu.md",
        a2=F32,
        a5=F32,
    ),
    memory(
        "shift_right",
        Form.SCALAR,
        "src >> scalar; signed types keep the sign.  A negative amount is undefined and shifts by nothing here.",
        "逻辑计算/ShiftRight.md",
        a2=WORDS,
        a5=INTEGERS,
        cost="shift_rights",
    ),
    memory(
        "shift_left",
        Form.SCALAR,
        "src << scalar, for unsigned types.  A negative amount is undefined and shifts by nothing here.",
        "逻辑计算/ShiftLeft.md",
        a2=("uint16", "uint32"),
        a5=("uint8", "uint16", "uint32", "uint64"),
        cost="shift_lefts",
        provenance="documented; signed types are left out: they keep the sign bit, which a lane cannot place",
    ),
    memory(
        "axpy",
        Form.TERNARY,
        "dst + src x scalar: rounded once on dav-3510, the product as well on dav-2201.",
        "复合计算/Axpy.md",
        a2=F32,
        a5=(*FLOATS, *LONGS),
        a2_lane="axpy_unfused",
        provenance="documented; that a half's product is not rounded to half in between on dav-2201 is a guess",
    ),
    memory(
        "duplicate",
        Form.FILL,
        "Every element becomes the scalar.",
        "数据填充/Duplicate.md",
        a2=("int16", "uint16", "float16", "bfloat16", "int32", "uint32", "float32"),
        a5=ALL,
    ),
)
