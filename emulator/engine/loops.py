"""From a lane function to machine code: the loop over elements, compiled on first use and kept on disk.

A loop is named by a :data:`LaneKey` and called through its address, so the engine itself is compiled once whatever
instructions exist, and a run compiles only what it uses.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

import emulator.engine.lanes  # noqa: F401  (fills the registry)
from emulator.dtypes import DTYPES, DataType, immediate_bits
from emulator.engine.casts import cast_loop
from emulator.engine.fused_loops import FUSED, fused_loop, fused_name
from emulator.engine.intrinsics import LANE_SIGNATURE, POINTER_TO
from emulator.engine.jit import compile_callback, inlined
from emulator.engine.lanes.registry import LANES, Flush, Lane
from emulator.engine.storage import STORAGE, Storage, result_of
from emulator.isa.record import Form

LaneKey = tuple[str, ...]
"""(lane, element type) for most; (lane, element type, "bits") where masks are packed bits in UB instead of a byte a
lane; ("cast", source type, destination type, round mode); ("fused", element type, *steps) for a whole loop."""

_Loop = Callable[[Any, Any, Any, Any, Any, Any], None]
_BYTES = POINTER_TO["uint8"]


@inlined
def _same(x: Any) -> Any:
    return x


def _unary(storage: Storage, body: Any, read: Any, write: Any) -> _Loop:
    pointer, load, store = storage.pointer, storage.load, storage.store

    def loop(dst: Any, src0: Any, src1: Any, src2: Any, imm: Any, n: Any) -> None:
        d, a = pointer(dst), pointer(src0)
        for i in range(n):
            d[i] = store(write(body(read(load(a[i])))))

    return loop


def _binary(storage: Storage, body: Any, read: Any, write: Any) -> _Loop:
    pointer, load, store = storage.pointer, storage.load, storage.store

    def loop(dst: Any, src0: Any, src1: Any, src2: Any, imm: Any, n: Any) -> None:
        d, a, b = pointer(dst), pointer(src0), pointer(src1)
        for i in range(n):
            d[i] = store(write(body(read(load(a[i])), read(load(b[i])))))

    return loop


def _scalar(storage: Storage, body: Any, read: Any, write: Any) -> _Loop:
    pointer, load, store, scalar = storage.pointer, storage.load, storage.store, storage.scalar

    def loop(dst: Any, src0: Any, src1: Any, src2: Any, imm: Any, n: Any) -> None:
        d, a, s = pointer(dst), pointer(src0), read(scalar(imm))
        for i in range(n):
            d[i] = store(write(body(read(load(a[i])), s)))

    return loop


def _fill(storage: Storage, body: Any, read: Any, write: Any) -> _Loop:
    pointer, store, scalar = storage.pointer, storage.store, storage.scalar

    def loop(dst: Any, src0: Any, src1: Any, src2: Any, imm: Any, n: Any) -> None:
        d, value = pointer(dst), store(write(body(scalar(imm))))
        for i in range(n):
            d[i] = value

    return loop


def _ternary(storage: Storage, body: Any, read: Any, write: Any) -> _Loop:
    pointer, load, store, scalar = storage.pointer, storage.load, storage.store, storage.scalar

    def loop(dst: Any, src0: Any, src1: Any, src2: Any, imm: Any, n: Any) -> None:
        d, a, s = pointer(dst), pointer(src0), scalar(imm)
        for i in range(n):
            d[i] = store(write(body(load(d[i]), load(a[i]), s)))

    return loop


def _compare(storage: Storage, body: Any, with_scalar: bool) -> _Loop:
    pointer, load, scalar = storage.pointer, storage.load, storage.scalar

    def tensors(dst: Any, src0: Any, src1: Any, src2: Any, imm: Any, n: Any) -> None:
        d, a, b = _BYTES(dst), pointer(src0), pointer(src1)
        for i in range(n):
            d[i] = np.uint8(body(load(a[i]), load(b[i])))

    def tensor_and_scalar(dst: Any, src0: Any, src1: Any, src2: Any, imm: Any, n: Any) -> None:
        d, a, s = _BYTES(dst), pointer(src0), scalar(imm)
        for i in range(n):
            d[i] = np.uint8(body(load(a[i]), s))

    return tensor_and_scalar if with_scalar else tensors


def _compare_bits(storage: Storage, body: Any, with_scalar: bool) -> _Loop:
    pointer, load, scalar = storage.pointer, storage.load, storage.scalar

    def tensors(dst: Any, src0: Any, src1: Any, src2: Any, imm: Any, n: Any) -> None:
        d, a, b = _BYTES(dst), pointer(src0), pointer(src1)
        for byte in range(n // 8):
            packed = np.uint8(0)
            for bit in range(8):
                i = byte * 8 + bit
                packed |= np.uint8(body(load(a[i]), load(b[i]))) << np.uint8(bit)
            d[byte] = packed

    def tensor_and_scalar(dst: Any, src0: Any, src1: Any, src2: Any, imm: Any, n: Any) -> None:
        d, a, s = _BYTES(dst), pointer(src0), scalar(imm)
        for byte in range(n // 8):
            packed = np.uint8(0)
            for bit in range(8):
                packed |= np.uint8(body(load(a[byte * 8 + bit]), s)) << np.uint8(bit)
            d[byte] = packed

    return tensor_and_scalar if with_scalar else tensors


@inlined
def _byte_lane(mask: Any, i: Any) -> Any:
    return mask[i]


@inlined
def _bit_lane(mask: Any, i: Any) -> Any:
    return (mask[i >> 3] >> np.uint8(i & 7)) & np.uint8(1)


def _select(storage: Storage, body: Any, with_scalar: bool, lane_of: Any) -> _Loop:
    pointer, load, store, scalar = storage.pointer, storage.load, storage.store, storage.scalar

    def tensors(dst: Any, src0: Any, src1: Any, src2: Any, imm: Any, n: Any) -> None:
        d, a, b, m = pointer(dst), pointer(src0), pointer(src1), _BYTES(src2)
        for i in range(n):
            d[i] = store(body(lane_of(m, i), load(a[i]), load(b[i])))

    def tensor_and_scalar(dst: Any, src0: Any, src1: Any, src2: Any, imm: Any, n: Any) -> None:
        d, a, m, s = pointer(dst), pointer(src0), _BYTES(src2), scalar(imm)
        for i in range(n):
            d[i] = store(body(lane_of(m, i), load(a[i]), s))

    return tensor_and_scalar if with_scalar else tensors


_ARITHMETIC = {
    Form.UNARY: _unary,
    Form.BINARY: _binary,
    Form.SCALAR: _scalar,
    Form.FILL: _fill,
    Form.TERNARY: _ternary,
}


def _build(lane: Lane, dtype: DataType, packed_masks: bool) -> _Loop:
    storage = STORAGE[dtype.name]
    body = inlined(lane.body)
    if lane.form in _ARITHMETIC:
        read = storage.flush if lane.flush is Flush.BOTH and dtype.is_float else _same
        return _ARITHMETIC[lane.form](storage, body, read, result_of(lane, dtype))
    if lane.form in (Form.COMPARE, Form.COMPARE_SCALAR):
        build = _compare_bits if packed_masks else _compare
        return build(storage, body, lane.form is Form.COMPARE_SCALAR)
    return _select(storage, body, lane.form is Form.SELECT_SCALAR, _bit_lane if packed_masks else _byte_lane)


def _loop_of(key: LaneKey) -> _Loop:
    if key[0] == "cast":
        _, source, destination, mode = key
        return cast_loop(source, destination, mode)
    if key[0] == FUSED:
        return fused_loop(key)
    name, dtype = key[0], DTYPES[key[1]]
    return _build(LANES[name, dtype.kind], dtype, packed_masks="bits" in key[2:])


@functools.cache
def _compiled(key: LaneKey) -> Any:
    name = fused_name(key) if key[0] == FUSED else "lane-" + "-".join(key)
    return compile_callback(_loop_of(key), LANE_SIGNATURE, name)


def lane_address(key: LaneKey) -> int:
    """The address of the compiled loop of ``key``; compiles or loads it on first use."""
    return int(_compiled(key).address)


def run_lane(key: LaneKey, *sources: np.ndarray[Any, Any], scalar: float | None = None) -> np.ndarray[Any, Any]:
    """Run one lane loop over whole arrays; for tests and for looking at an instruction on its own.

    ``sources`` are 1-D arrays of the element type and equal length; a mask source (uint8, a byte a lane or packed
    bits) comes last.  Returns the result in the element type, a byte a lane for compares, the target type for casts.
    """
    loop = _compiled(key)
    count = len(sources[0]) if sources else 1
    form = Form.CONVERT if key[0] == "cast" else LANES[key[0], DTYPES[key[1]].kind].form
    if form in (Form.COMPARE, Form.COMPARE_SCALAR):
        result = np.zeros(count, np.uint8)
    else:
        result = np.zeros(count, DTYPES[key[2] if form is Form.CONVERT else key[1]].numpy)
    addresses = [np.ascontiguousarray(source).ctypes.data for source in sources]
    mask = addresses.pop() if form in (Form.SELECT, Form.SELECT_SCALAR) else 0
    addresses += [0] * (2 - len(addresses))
    loop.ctypes(
        result.ctypes.data, *addresses[:2], mask, 0 if scalar is None else immediate_bits(scalar, DTYPES[key[1]]), count
    )
    return result
