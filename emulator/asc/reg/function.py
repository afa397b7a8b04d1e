"""Vector functions: ``@asc.simd_vf`` and ``asc.vf_call``."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from emulator.asc.context import current_recorder
from emulator.asc.recorder import CoreRecorder
from emulator.asc.reg.affine import Affine
from emulator.asc.reg.recorder import VectorRecorder
from emulator.asc.reg.registers import UbPointer
from emulator.asc.tensors import LocalTensor
from emulator.errors import UbCapacityError
from emulator.isa.record import Level, Pipe
from emulator.isa.table import lookup
from emulator.program import VectorBody
from emulator.program.footprint import MAX_READS, MAX_WRITES, merge_ranges

_VF_CALL = lookup(Level.CALL, "vf_call")


class VectorFunction:
    """A function over registers, recorded once for each combination of pointer types and scalar values."""

    def __init__(self, function: Callable[..., None]) -> None:
        functools.update_wrapper(self, function)
        self.function = function

    def __call__(self, *_args: Any, **_kwargs: Any) -> None:
        current_recorder().refuse(f"{self.function.__name__} is a vector function: start it with asc.vf_call")


def simd_vf(function: Callable[..., None]) -> VectorFunction:
    """Mark a function over registers; its arguments are LocalTensors (seen as pointers) and scalars."""
    return VectorFunction(function)


def vf_call(function: VectorFunction, *args: Any) -> None:
    """Run a vector function on pipe V."""
    recorder = current_recorder()
    if not isinstance(function, VectorFunction):
        recorder.refuse(f"vf_call takes a function marked asc.simd_vf, not {function!r}")
    if not recorder.soc.capabilities.register_level:
        recorder.refuse(f"{recorder.soc.name} has no register level; vector functions need dav-3510")
    if recorder.vector is not None:
        recorder.refuse("a vector function cannot call another")
    tensors = [arg for arg in args if isinstance(arg, LocalTensor)]
    shape = tuple(arg.dtype if isinstance(arg, LocalTensor) else (type(arg), arg) for arg in args)
    calls = recorder.builder.vector_calls
    key = (function.function, shape)
    number = calls.bodies.get(key)
    if number is None:
        number = calls.bodies[key] = len(recorder.builder.bodies)
        recorder.builder.bodies.append(_record(recorder, function, args))
    places = (number, *((tensor.address, tensor.size) for tensor in tensors))
    param = calls.params.get(places)
    if param is None:
        param = calls.params[places] = _bind(recorder, number, tensors)
    recorder.emit(_VF_CALL, Pipe.V, param=param)


def _record(recorder: CoreRecorder, function: VectorFunction, args: tuple[Any, ...]) -> VectorBody:
    vector = VectorRecorder(recorder, function.function.__name__)
    parameters: list[Any] = []
    pointers = 0
    for position, arg in enumerate(args):
        if isinstance(arg, LocalTensor):
            parameters.append(UbPointer(pointers, arg.dtype, Affine()))
            pointers += 1
        elif isinstance(arg, int | float):
            parameters.append(arg)
        else:
            recorder.refuse(
                f"argument {position} of {vector.body.name} is a {type(arg).__name__}; a vector function takes "
                "LocalTensors and scalars"
            )
    recorder.vector = vector
    try:
        function.function(*parameters)
        return vector.finish()
    finally:
        recorder.vector = None


def _bind(recorder: CoreRecorder, number: int, tensors: list[LocalTensor]) -> int:
    """The call's parameter record for tensors at these places; refuses accesses outside them."""
    body = recorder.builder.bodies[number]
    addresses = [tensor.address for tensor in tensors]
    for access in body.accesses:
        if not body.trips[access.position]:
            continue
        low, high = access.hull(addresses[access.argument])
        tensor = tensors[access.argument]
        # A load always reads a whole register, so the last one may reach past the tensor; its start may not.
        end = high if access.is_store else high - access.nbytes + 1
        if low < tensor.address or end > tensor.address + tensor.get_length():
            verb = "stores to" if access.is_store else "loads from"
            where = recorder.builder.locations()[body.rows[access.position][-1]]
            recorder.refuse(
                f"{body.name} {verb} bytes {low - tensor.address}..{high - tensor.address} of {tensor.name}, which has "
                f"{tensor.get_length()} B ({where})",
                UbCapacityError,
            )
    record = [number, body.batch_limit(addresses), int(_fuses(body, addresses)), len(addresses), *addresses]
    for stores, limit in ((False, MAX_READS), (True, MAX_WRITES)):
        ranges = merge_ranges(body.hulls(addresses, stores=stores), limit)
        record += [len(ranges), *(edge for edges in ranges for edge in edges)]
    return recorder.builder.intern(tuple(record))


def _fuses(body: VectorBody, addresses: list[int]) -> bool:
    """Whether the call's pointers let the body's last loop run fused."""
    if body.fused is None:
        return False
    extent = max(high - low for low, high in body.hulls(addresses, stores=False) + body.hulls(addresses, stores=True))
    return body.fused.allows(addresses, extent)
