"""Recorded programs: rows of instructions, vector-function bodies, footprints and the disassembler."""

from emulator.program.builder import OPCODES, ProgramBuilder
from emulator.program.footprint import Footprint
from emulator.program.program import KINDS, Program, TensorSlot
from emulator.program.vector_body import Access, VectorBody

__all__ = ["KINDS", "OPCODES", "Access", "Footprint", "Program", "ProgramBuilder", "TensorSlot", "VectorBody"]
