"""Copies between global memory and UB."""

from __future__ import annotations

from emulator.isa.families import A2, A5, ALL, MEMORY_PAGES
from emulator.isa.record import Execute, Instruction, Level, Pipe

RECORDS = (
    Instruction(
        name="data_copy",
        level=Level.DMA,
        execute=Execute.COPY,
        pipe=None,
        summary="Copies whole 32-byte blocks: MTE2 into UB, MTE3 out of UB, V within UB.",
        source=f"{MEMORY_PAGES}/数据搬运/DataCopy（GM与UB连续数据搬运）.md",
        dtypes={A2: ALL, A5: ALL},
        cost="copy",
    ),
    Instruction(
        name="data_copy_pad",
        level=Level.DMA,
        execute=Execute.COPY,
        pipe=None,
        summary="Copies blocks of any number of bytes, padding each to 32 bytes in UB.",
        source=f"{MEMORY_PAGES}/数据搬运/DataCopyPad（GMToUB非对齐数据搬运）.md",
        dtypes={A2: ALL, A5: ALL},
        cost="copy",
    ),
    Instruction(
        name="nddma",
        level=Level.DMA,
        execute=Execute.NDDMA,
        pipe=Pipe.MTE2,
        summary="Copies a box of up to five dimensions into UB; a source stride of 0 broadcasts.",
        source=f"{MEMORY_PAGES}/数据搬运/DataCopy（GMToUB多维数据搬运NDDMA）.md",
        dtypes={A5: ALL},
        cost="nddma",
    ),
)
