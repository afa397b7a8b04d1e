"""The register level of dav-3510: what runs inside a vector function."""

from __future__ import annotations

from emulator.isa.families import A5, ALL, F32, FLOATS, LONGS, REG_PAGES, WORDS, register
from emulator.isa.record import Execute, Form, Instruction, Level, Pipe


def _other(
    name: str, execute: Execute, summary: str, page: str, *, cost: str = "", dtypes: tuple[str, ...] = ()
) -> Instruction:
    return Instruction(
        name=name,
        level=Level.REG,
        execute=execute,
        pipe=Pipe.V,
        summary=summary,
        source=f"{REG_PAGES}/{page}",
        dtypes={A5: dtypes} if dtypes else {},
        cost=cost,
    )


RECORDS = (
    _other(
        "load_align",
        Execute.REG_LOAD,
        "Loads 256 bytes from UB into a register, or spreads one element (BRC).",
        "Reg数据搬入/连续对齐搬入（LoadAlign）.md",
        cost="load_align",
        dtypes=ALL,
    ),
    _other(
        "store_align",
        Execute.REG_STORE,
        "Stores the lanes in the mask to UB.",
        "Reg数据搬出/连续对齐搬出（StoreAlign）.md",
        cost="store_align",
        dtypes=ALL,
    ),
    _other(
        "update_mask",
        Execute.REG_UPDATE_MASK,
        "Masks the first min(remaining, lanes) lanes and takes them off remaining.",
        "寄存器数据类型/MaskReg.md",
        cost="update_mask",
        dtypes=ALL,
    ),
    _other(
        "create_mask",
        Execute.REG_CREATE_MASK,
        "A mask with a fixed pattern of lanes.",
        "寄存器数据类型/MaskReg.md",
        cost="update_mask",
        dtypes=ALL,
    ),
    _other(
        "create_addr_reg",
        Execute.REG_ADDRESS,
        "An address register: sum of loop index x stride.",
        "寄存器数据类型/AddrReg.md",
        dtypes=ALL,
    ),
    _other(
        "local_mem_bar",
        Execute.REG_MEM_BAR,
        "Orders loads and stores before it with those after it.",
        "同步控制/LocalMemBar.md",
    ),
    _other("loop", Execute.REG_LOOP, "A hardware loop from 0 by 1; nests four deep.", "关键特性说明/关键特性说明.md"),
    _other("end", Execute.REG_END, "The end of a hardware loop.", "关键特性说明/关键特性说明.md"),
    _other("scalar", Execute.REG_SCALAR, "Sets a scalar register.", "VF调用/asc_vf_call.md"),
    register("duplicate", Form.FILL, "Every lane becomes the scalar.", "数据填充/Duplicate.md", ALL, merging=True),
    register("abs", Form.UNARY, "|src|.", "基础算术/Abs.md", ("int8", "int16", "int32", "int64", *F32)),
    register("exp", Form.UNARY, "e to the power of src, within 1 ULP.", "基础算术/Exp.md", F32),
    register("ln", Form.UNARY, "Natural logarithm, within 1 ULP.", "基础算术/Ln.md", F32),
    register("sqrt", Form.UNARY, "Square root; NaN below zero.", "基础算术/Sqrt.md", F32),
    register(
        "neg", Form.UNARY, "-src: the sign bit inverted.", "基础算术/Neg.md", ("int8", "int16", "int32", "int64", *F32)
    ),
    register("relu", Form.UNARY, "max(src, 0).", "基础算术/Relu.md", ("int32", "int64", *F32)),
    register("add", Form.BINARY, "src0 + src1.", "基础算术/Add.md", ALL, merging=True),
    register("sub", Form.BINARY, "src0 - src1.", "基础算术/Sub.md", ALL),
    register("mul", Form.BINARY, "src0 x src1.", "基础算术/Mul.md", (*WORDS, *FLOATS, *LONGS)),
    register("div", Form.BINARY, "src0 / src1, within 1 ULP.", "基础算术/Div.md", (*WORDS, *F32, *LONGS)),
    register(
        "max",
        Form.BINARY,
        "The larger of two; max(-0, +0) is +0.",
        "基础算术/Max.md",
        ALL,
        merging=True,
    ),
    register(
        "min",
        Form.BINARY,
        "The smaller of two; min(-0, +0) is -0.",
        "基础算术/Min.md",
        ALL,
        merging=True,
    ),
    register("adds", Form.SCALAR, "src + scalar.", "基础算术/Adds.md", ALL),
    register("muls", Form.SCALAR, "src x scalar.", "基础算术/Muls.md", (*WORDS, *F32, *LONGS)),
    register("maxs", Form.SCALAR, "The larger of src and scalar.", "基础算术/Maxs.md", ALL),
    register("mins", Form.SCALAR, "The smaller of src and scalar.", "基础算术/Mins.md", ALL),
    register("leaky_relu", Form.SCALAR, "src where at least 0, else src x scalar.", "基础算术/LeakyRelu.md", F32),
    register(
        "compare",
        Form.COMPARE,
        "Sets the mask's lanes where the comparison holds; lanes outside the governing mask become 0.",
        "比较与选择/Compare.md",
        ALL,
    ),
    register(
        "compares",
        Form.COMPARE_SCALAR,
        "Like compare, against a scalar.",
        "比较与选择/Compares.md",
        ALL,
        lane="compare_scalar",
        cost="compare_scalar",
    ),
    register(
        "select", Form.SELECT, "src0 where the mask is set, else src1; nothing is zeroed.", "比较与选择/Select.md", ALL
    ),
)
