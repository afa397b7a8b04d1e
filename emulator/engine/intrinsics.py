"""The few machine operations that Numba does not spell: raw addresses, bit casts, half conversions, indirect calls.

The engine works on host addresses as int64.  Every address has been checked when the instruction was recorded, so
nothing here checks again.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import types
from numba.extending import intrinsic

_I64 = ir.IntType(64)
_I16 = ir.IntType(16)
_I8 = ir.IntType(8)

LANE_SIGNATURE = types.void(*([types.int64] * 6))
"""A compiled lane loop: (destination, source 0, source 1, source 2 or mask, immediate bits, element count)."""


def _pointer_intrinsic(element: Any) -> Any:
    pointer = types.CPointer(element)

    @intrinsic
    def as_pointer(_context: Any, _address: Any) -> Any:
        def generate(context: Any, builder: Any, _signature: Any, args: Any) -> Any:
            return builder.inttoptr(args[0], context.get_value_type(pointer))

        return pointer(types.int64), generate

    return as_pointer


POINTER_TO = {
    name: _pointer_intrinsic(getattr(types, name))
    for name in ("float32", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")
}


def _bitcast(name: str, source: Any, target: Any) -> Any:
    def cast(_context: Any, _value: Any) -> Any:
        def generate(context: Any, builder: Any, _signature: Any, args: Any) -> Any:
            return builder.bitcast(args[0], context.get_value_type(target))

        return target(source), generate

    cast.__name__ = name
    return intrinsic(cast)


bits_of_float64 = _bitcast("bits_of_float64", types.float64, types.int64)
float64_of_bits = _bitcast("float64_of_bits", types.int64, types.float64)
bits_of_float32 = _bitcast("bits_of_float32", types.float32, types.uint32)
float32_of_bits = _bitcast("float32_of_bits", types.uint32, types.float32)


@intrinsic
def float32_of_half(_context: Any, _bits: Any) -> Any:
    """Widen the 16 bits of an IEEE half exactly."""

    def generate(_target: Any, builder: Any, _signature: Any, args: Any) -> Any:
        return builder.fpext(builder.bitcast(args[0], ir.HalfType()), ir.FloatType())

    return types.float32(types.uint16), generate


@intrinsic
def half_of_float32(_context: Any, _value: Any) -> Any:
    """Round a float32 to the bits of an IEEE half, to nearest even."""

    def generate(_target: Any, builder: Any, _signature: Any, args: Any) -> Any:
        return builder.bitcast(builder.fptrunc(args[0], ir.HalfType()), _I16)

    return types.uint16(types.float32), generate


@intrinsic
def multiply_add(_context: Any, _a: Any, _b: Any, _c: Any) -> Any:
    """a x b + c, rounded once: IEEE 754 fixes the result, so it is the same on every host that has the instruction and
    on those that call a library for it."""

    def generate(_target: Any, builder: Any, _signature: Any, args: Any) -> Any:
        return builder.fma(*args)

    return types.float64(types.float64, types.float64, types.float64), generate


@intrinsic
def call_lane(_context: Any, _function: Any, *_arguments: Any) -> Any:
    """Call a compiled lane loop by its address."""

    def generate(context: Any, builder: Any, _signature: Any, args: Any) -> Any:
        function_type = ir.FunctionType(ir.VoidType(), [_I64] * 6)
        values = [builder.extract_value(args[1], index) for index in range(6)]
        builder.call(builder.inttoptr(args[0], function_type.as_pointer()), values)
        return context.get_dummy_value()

    return types.void(types.int64, types.StarArgTuple([types.int64] * 6)), generate


def _memory_intrinsic(name: str, moving: bool) -> Any:
    def operate(_context: Any, _destination: Any, _source: Any, _nbytes: Any) -> Any:
        def generate(_target: Any, builder: Any, _signature: Any, args: Any) -> Any:
            pointer = _I8.as_pointer()
            destination = builder.inttoptr(args[0], pointer)
            source = builder.inttoptr(args[1], pointer) if moving else builder.trunc(args[1], _I8)
            types_of = [pointer, pointer, _I64] if moving else [pointer, _I64]
            function = builder.module.declare_intrinsic("llvm.memmove" if moving else "llvm.memset", types_of)
            builder.call(function, [destination, source, args[2], ir.Constant(ir.IntType(1), 0)])
            return _target.get_dummy_value()

        return types.void(types.int64, types.int64, types.int64), generate

    operate.__name__ = name
    return intrinsic(operate)


move_bytes = _memory_intrinsic("move_bytes", moving=True)
fill_bytes = _memory_intrinsic("fill_bytes", moving=False)
