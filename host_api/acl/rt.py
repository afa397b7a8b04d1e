"""acl.rt: device, streams, memory (aclrtSetDevice, aclrtMalloc, aclrtMemcpy and their like).

Host memory is a NumPy array or bytes, device memory an integer address.  Calls return a Status, and those that in C
have an out-pointer (status, value); a call that fails changes nothing.  The codes are those of the CANN runtime
reference and source (2026).
"""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from emulator.errors import GlobalMemoryError
from emulator.memory import Bytes
from host_api.acl.dtypes import MemcpyKind
from host_api.acl.runtime import RUNTIME
from host_api.acl.status import Status, note_error, returns_status
from host_api.acl.stream import Stream, synchronize_all
from host_api.errors import AclError

_HOST_MEMORY = (np.ndarray, bytes, bytearray, memoryview)


@returns_status
def set_device(device_id: int, soc: str | None = None) -> None:
    """Choose the device; every call needs its ``reset_device``.

    ``soc`` names the chip to emulate, which a real machine knows by itself: by default the environment variable
    AIVEMU_SOC, else Ascend950.  100001 before ``acl.init``, 107001 for an id other than 0, 100000 for an unknown SoC or
    another than the device has already.
    """
    RUNTIME.set_device(device_id, soc)


@returns_status
def reset_device(device_id: int) -> None:
    """Undo one ``set_device``.  The last one runs what the streams still hold, then drops the device and its memory.

    107002 where no device is set, 107001 for an id other than 0.  The status of a task that fails is returned, and the
    device dropped all the same.
    """
    RUNTIME.reset_device(device_id)


def create_stream() -> tuple[Status, Stream | None]:
    """A new stream of the current device; 107002 where none is set."""
    try:
        stream = Stream(RUNTIME.current_device())
    except AclError as error:
        note_error(str(error))
        return Status(error.status), None
    RUNTIME.streams.append(stream)
    return Status.SUCCESS, stream


@returns_status
def destroy_stream(stream: Stream) -> None:
    """Run what the stream still holds, then destroy it; the status of a task that fails is returned.

    107000 for what is no stream, 107003 for a destroyed one.
    """
    _check_stream(stream)
    try:
        stream.synchronize()
    finally:
        stream.destroyed = True
        RUNTIME.streams.remove(stream)


@returns_status
def synchronize_stream(stream: Stream) -> None:
    """Run the stream's work to its end; fails with the first failure in it, which drops the rest.

    507034 for a kernel that hangs, 507035 for one that faults, 107003 for a
    destroyed stream.
    """
    _check_stream(stream)
    stream.synchronize()


@returns_status
def synchronize_device() -> None:
    """Synchronise every stream of the device, in the order of their creation, and return the first failure."""
    RUNTIME.current_device()
    synchronize_all(RUNTIME.streams)


def malloc(nbytes: int, *, label: str = "") -> tuple[Status, int]:
    """Allocate device memory, 512-byte aligned; the address is 0 on failure.  The contents are arbitrary.

    The memory is exactly ``nbytes`` long, although the chip rounds up to 32: what reads past its end is told.
    ``label``, an extension, names it in messages.  100000 for a size below 1, 207001 where memory is exhausted.
    """
    try:
        size = _size("nbytes", nbytes)
        if size == 0:
            raise AclError(Status.INVALID_PARAM, "nbytes is 0; the least is 1")
        return Status.SUCCESS, RUNTIME.current_device().memory.allocate(size, label=label)
    except GlobalMemoryError as error:
        note_error(str(error))
        return Status.RT_MEMORY_ALLOCATION, 0
    except AclError as error:
        note_error(str(error))
        return Status(error.status), 0


@returns_status
def free(address: int) -> None:
    """Free device memory by the address that ``malloc`` gave, at once: no stream is waited for.

    100000 for a null pointer, 107000 for what malloc did not give or what is freed already.
    """
    if address is None or address == 0:
        raise AclError(Status.INVALID_PARAM, f"address is {address!r}")
    RUNTIME.current_device().memory.free(address)


@returns_status
def memcpy(dst: Any, dst_max: int, src: Any, count: int, kind: MemcpyKind) -> None:
    """Copy ``count`` bytes; ``dst_max`` is the room at ``dst``.

    It does not wait for streams: synchronise before reading what a kernel writes.  Both sides are checked against the
    memory that is really there, and so is ``dst_max``.  Copying 0 bytes always succeeds.
    100000 for a null pointer or an unknown kind, 107000 for a size below 0 and a side that does not fit kind or size.
    """
    size = _size("count", count, Status.RT_PARAM_INVALID)
    if size == 0:
        return
    room = _size("dst_max", dst_max, Status.RT_PARAM_INVALID)
    for name, value in (("dst", dst), ("src", src)):
        if value is None or (not isinstance(value, _HOST_MEMORY) and value == 0):
            raise AclError(Status.INVALID_PARAM, f"{name} is {value!r}")
    try:
        kind = MemcpyKind(kind)
    except ValueError:
        raise AclError(Status.INVALID_PARAM, f"kind is {kind!r}, not a MemcpyKind") from None
    if size > room:
        raise AclError(Status.RT_PARAM_INVALID, f"count is {size} B; the destination has room for {room}")
    source = _side("src", src, size, kind, kind in (MemcpyKind.DEVICE_TO_HOST, MemcpyKind.DEVICE_TO_DEVICE))
    target = _side("dst", dst, room, kind, kind in (MemcpyKind.HOST_TO_DEVICE, MemcpyKind.DEVICE_TO_DEVICE))
    if not target.flags.writeable:
        raise AclError(Status.RT_PARAM_INVALID, "dst is read-only")
    target[:size] = source


def _check_stream(stream: Any) -> None:
    if not isinstance(stream, Stream):
        raise AclError(Status.RT_PARAM_INVALID, f"stream must come from create_stream, not {stream!r}")
    stream.check()


def _size(name: str, value: int, status: Status = Status.INVALID_PARAM) -> int:
    try:
        size = -1 if isinstance(value, bool) else operator.index(value)
    except TypeError:
        size = -1
    if size < 0:
        raise AclError(status, f"{name} is {value!r}; bytes are counted from 0 up")
    return size


def _side(name: str, value: Any, count: int, kind: MemcpyKind, on_device: bool) -> Bytes:
    """The first ``count`` bytes of one side of a copy."""
    if isinstance(value, _HOST_MEMORY) == on_device:
        wanted = "a device address" if on_device else "an array or bytes on the host"
        raise AclError(Status.RT_PARAM_INVALID, f"{name} is a {type(value).__name__}; {kind.name} takes {wanted}")
    if on_device:
        try:
            return RUNTIME.current_device().memory.view(value, count)
        except GlobalMemoryError as error:
            raise AclError(Status.RT_PARAM_INVALID, f"{name}: {error.message}") from error
    if not isinstance(value, np.ndarray):
        value = np.frombuffer(value, np.uint8) if memoryview(value).nbytes else np.empty(0, np.uint8)
    if not value.flags.c_contiguous or value.dtype.hasobject:
        raise AclError(Status.RT_PARAM_INVALID, f"{name} must be bytes or a C-contiguous array for host memory")
    if value.nbytes < count:
        raise AclError(Status.RT_PARAM_INVALID, f"{name} has {value.nbytes} B, fewer than {count}")
    return value.reshape(-1).view(np.uint8)[:count] if value.size else np.empty(0, np.uint8)
