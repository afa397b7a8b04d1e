"""Programs as text: one line an instruction, printed from the instruction's record and row."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from emulator.isa import layout as at
from emulator.isa.layout import LaneFlags, LoadDist, MaskPattern
from emulator.isa.record import Execute, Form, Instruction, Pipe
from emulator.isa.table import TABLE
from emulator.program.footprint import Array
from emulator.program.program import Program


def disassemble(program: Program, core: int, start: int = 0, stop: int | None = None) -> str:
    """Rows ``start``..``stop`` of a core; a vector function's body is printed once, where it is first called."""
    if not 0 <= core < program.block_num:
        raise IndexError(f"core {core}: the program has cores 0..{program.block_num - 1}")
    rows = program.core_rows(core)
    printed: set[int] = set()
    lines = []
    for number in range(start, len(rows) if stop is None else min(stop, len(rows))):
        row = rows[number]
        text = f"{number:6d}  {Pipe(int(row[at.PIPE])).name:<5}{_statement(program, row)}"
        where = program.location(core, number)
        lines.append(f"{text:<92}; {Path(where.file).name}:{where.line}" if where else text)
        if TABLE[row[at.OP]].execute is Execute.VECTOR_FUNCTION:
            body = int(program.pool[row[at.PARAM] + at.VF_BODY])
            if body not in printed:
                printed.add(body)
                lines.extend(_body_lines(program, body))
    return "\n".join(lines)


def _statement(program: Program, row: Array) -> str:
    record = TABLE[row[at.OP]]
    return f"{record.name:<16}{', '.join(_operands(program, record, row))}"


def _operands(program: Program, record: Instruction, row: Array) -> Iterator[str]:
    match record.execute:
        case Execute.SET_FLAG | Execute.WAIT_FLAG:
            yield flag_name(int(row[at.AUX]))
        case Execute.BARRIER:
            yield "PIPE_ALL" if row[at.PIPE] == Pipe.S else f"PIPE_{Pipe(int(row[at.PIPE])).name}"
        case Execute.LANE:
            yield from _lane_operands(program, record, row)
        case Execute.COPY | Execute.NDDMA:
            yield address(program, int(row[at.DST]))
            yield address(program, int(row[at.SRC0]))
            yield from _copy_shape(program, record, int(row[at.PARAM]))
        case Execute.VECTOR_FUNCTION:
            param = int(row[at.PARAM])
            yield program.body_names[program.pool[param + at.VF_BODY]]
            count = int(program.pool[param + at.VF_ARGS])
            for argument in program.pool[param + at.VF_ARGS + 1 : param + at.VF_ARGS + 1 + count]:
                yield address(program, int(argument))
        case Execute.SCALAR_STORE:
            yield address(program, int(row[at.DST]))
            yield f"{int(row[at.IMM]):#x}"
        case Execute.SCALAR_LOAD:
            yield address(program, int(row[at.SRC0]))


def _lane_operands(program: Program, record: Instruction, row: Array) -> Iterator[str]:
    key = program.lanes[row[at.AUX]]
    yield address(program, int(row[at.DST]))
    if record.form is not Form.FILL:
        yield address(program, int(row[at.SRC0]))
    if record.form in (Form.BINARY, Form.COMPARE, Form.SELECT):
        yield address(program, int(row[at.SRC1]))
    if row[at.PARAM] >= 0:
        yield f"mask {address(program, int(program.pool[row[at.PARAM]]))}"
    if record.form in (Form.SCALAR, Form.FILL, Form.TERNARY, Form.COMPARE_SCALAR, Form.SELECT_SCALAR):
        yield scalar(int(row[at.IMM]), key[1])
    yield f"count={int(row[at.COUNT])}"
    yield lane_text(key)


def _copy_shape(program: Program, record: Instruction, param: int) -> Iterator[str]:
    if record.execute is Execute.COPY:
        blocks, nbytes = (int(v) for v in program.pool[param : param + 2])
        yield f"{blocks} x {nbytes} B" if blocks > 1 else f"{nbytes} B"
        return
    loops = program.pool[param + at.NDDMA_LOOPS :][: at.NDDMA_DIMS * at.NDDMA_LOOP_WIDTH].reshape(at.NDDMA_DIMS, -1)
    sizes = [int(size) for size in loops[:, 0]]
    while len(sizes) > 1 and sizes[-1] == 1:
        sizes.pop()
    yield f"sizes {sizes}"
    yield f"src strides {[int(stride) for stride in loops[: len(sizes), 1]]}"


def _body_lines(program: Program, body: int) -> Iterator[str]:
    first, last = (int(edge) for edge in program.bodies[body])
    indent = 0
    for row in program.body_rows[first:last]:
        record = TABLE[row[at.V_OP]]
        if record.execute is Execute.REG_END:
            indent -= 1
            continue
        yield f"        |    {'  ' * indent}{_body_statement(program, record, row)}"
        indent += record.execute is Execute.REG_LOOP


def _body_statement(program: Program, record: Instruction, row: Array) -> str:
    mask = f", m{row[at.V_MASK]}" if row[at.V_MASK] >= 0 else ""
    size = f"b{8 * row[at.V_SIZE]}"
    place = f"[arg{row[at.V_ARG]} + {row[at.V_OFFSET]}{_strides(row)}]"
    match record.execute:
        case Execute.REG_LOOP:
            return f"loop {row[at.V_OFFSET]} times" + ("" if row[at.V_AUX] else "  (one iteration at a time)")
        case Execute.REG_LOAD:
            dist = "" if row[at.V_AUX] == LoadDist.NORM else f", {LoadDist(int(row[at.V_AUX])).name}"
            return f"load_align      v{row[at.V_DST]}, {place}{dist}, {size}"
        case Execute.REG_STORE:
            return f"store_align     {place}, v{row[at.V_SRC0]}{mask}, {size}"
        case Execute.REG_UPDATE_MASK:
            return f"update_mask     m{row[at.V_DST]}, s{row[at.V_SRC0]}, {size}"
        case Execute.REG_CREATE_MASK:
            return f"create_mask     m{row[at.V_DST]}, {MaskPattern(int(row[at.V_AUX])).name}, {size}"
        case Execute.REG_SCALAR:
            return f"scalar          s{row[at.V_DST]} = {row[at.V_IMM]}"
        case Execute.REG_LANE:
            return _body_lane(program, record, row, mask)
    return record.name


def _body_lane(program: Program, record: Instruction, row: Array, mask: str) -> str:
    key = program.lanes[row[at.V_LANE]]
    register = "m" if row[at.V_AUX] & LaneFlags.TO_MASK else "v"
    operands = [f"{register}{row[at.V_DST]}"]
    if record.form is not Form.FILL:
        operands.append(f"v{row[at.V_SRC0]}")
    if record.form in (Form.BINARY, Form.COMPARE, Form.SELECT):
        operands.append(f"v{row[at.V_SRC1]}")
    if record.form in (Form.SCALAR, Form.FILL, Form.COMPARE_SCALAR):
        operands.append(scalar(int(row[at.V_IMM]), key[1]))
    merging = ", merging" if row[at.V_AUX] & LaneFlags.MERGING else ""
    return f"{record.name:<16}{', '.join(operands)}{mask}, {lane_text(key)}{merging}"


def _strides(row: Array) -> str:
    parts = [
        f" + i{level} x {row[at.V_STRIDE + level]}" for level in range(at.VF_LOOP_DEPTH) if row[at.V_STRIDE + level]
    ]
    return "".join(parts)


def flag_name(index: int) -> str:
    """``MTE2_V id 0`` for a position in the flag table."""
    pair, event_id = divmod(index, at.EVENT_IDS)
    source, destination = divmod(pair, at.PIPES)
    return f"{Pipe(source).name}_{Pipe(destination).name} id {event_id}"


def lane_text(key: tuple[str, ...]) -> str:
    """The types of a lane loop, with the comparison or round mode where it has one."""
    name, *types = key
    mode = name.rpartition("_")[2] if name.startswith("compare_") else ""
    return " ".join([mode, "->".join(t for t in types if t != "bits")]).strip()


def address(program: Program, operand: int) -> str:
    """An operand as ``ub[0x40]`` or ``gm x[+64]`` (bytes)."""
    if operand < at.GM_BASE:
        return f"ub[{operand:#x}]"
    slot = (operand >> at.GM_SHIFT) - 1
    name = program.tensors[slot].name if slot < len(program.tensors) else str(slot)
    return f"gm {name}[+{operand & at.GM_OFFSET_MASK}]"


def scalar(bits: int, dtype: str) -> str:
    """An immediate in its element type."""
    if "float" not in dtype:
        return str(bits)
    return f"{float(np.array([bits], np.int64).view(np.float64)[0]):.9g}"
