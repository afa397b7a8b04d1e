"""acl.rt: device, streams, memory (aclrtSetDevice, aclrtMalloc, aclrtMemcpy and their like).

Host memory is a NumPy array or bytes, device memory an integer address.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from emulator.errors import EmulatorError, GlobalMemoryError
from host_api.acl.dtypes import MemcpyKind
from host_api.acl.runtime import RUNTIME, Stream
from host_api.acl.status import Status, note_error, returns_status, status_of
from host_api.errors import AclError


@returns_status
def set_device(device_id: int, soc: str | None = None) -> None:
    """Choose the device.

    ``soc`` names the chip to emulate, which a real machine knows by itself: by default the environment variable
    AIVEMU_SOC, else Ascend950.
    """
    RUNTIME.set_device(device_id, soc)


@returns_status
def reset_device(device_id: int) -> None:
    """Drop the device with all its memory and streams."""
    RUNTIME.current_device()
    if device_id != 0:
        raise AclError(Status.RT_PARAM_INVALID, f"device_id is {device_id!r}; the emulator has device 0 only")
    RUNTIME.reset_device()


def create_stream() -> tuple[Status, Stream | None]:
    """A new stream of the current device."""
    try:
        stream = Stream(RUNTIME.current_device())
    except AclError as error:
        note_error(str(error))
        return Status(error.status), None
    RUNTIME.streams.append(stream)
    return Status.SUCCESS, stream


@returns_status
def destroy_stream(stream: Stream) -> None:
    """Destroy a stream; work that was never synchronised is dropped."""
    _check_stream(stream)
    stream.destroyed = True
    if stream in RUNTIME.streams:
        RUNTIME.streams.remove(stream)


@returns_status
def synchronize_stream(stream: Stream) -> None:
    """Run the stream's work to its end; fails with the first failure in it."""
    _check_stream(stream)
    stream.synchronize()


@returns_status
def synchronize_device() -> None:
    """Synchronise every stream of the device, in the order of their creation."""
    RUNTIME.current_device()
    for stream in list(RUNTIME.streams):
        stream.synchronize()


def malloc(nbytes: int) -> tuple[Status, int]:
    """Allocate device memory; the address is 0 on failure.  The contents are arbitrary."""
    try:
        return Status.SUCCESS, RUNTIME.current_device().memory.allocate(nbytes)
    except (AclError, EmulatorError) as error:
        note_error(str(error))
        if isinstance(error, GlobalMemoryError):
            invalid = not isinstance(nbytes, int) or nbytes <= 0
            return (Status.RT_PARAM_INVALID if invalid else Status.RT_MEMORY_ALLOCATION), 0
        return status_of(error), 0


@returns_status
def free(address: int) -> None:
    """Free device memory by the address that ``malloc`` gave."""
    RUNTIME.current_device().memory.free(address)


@returns_status
def memcpy(dst: Any, dst_max: int, src: Any, count: int, kind: MemcpyKind) -> None:
    """Copy ``count`` bytes; ``dst_max`` is the room at ``dst``.

    It does not wait for streams: synchronise before reading what a kernel writes.
    """
    memory = RUNTIME.current_device().memory
    if not isinstance(kind, MemcpyKind):
        raise AclError(Status.RT_PARAM_INVALID, f"kind is {kind!r}, not a MemcpyKind")
    if count < 0 or count > dst_max:
        raise AclError(Status.RT_PARAM_INVALID, f"count is {count} B; the destination has room for {dst_max}")
    from_device = kind in (MemcpyKind.DEVICE_TO_HOST, MemcpyKind.DEVICE_TO_DEVICE)
    to_device = kind in (MemcpyKind.HOST_TO_DEVICE, MemcpyKind.DEVICE_TO_DEVICE)
    source = memory.view(src, count) if from_device else _host_bytes("src", src, count)
    if to_device:
        memory.write(dst, source)
    else:
        _host_bytes("dst", dst, count, writes=True)[:] = source


def _host_bytes(name: str, value: Any, count: int, *, writes: bool = False) -> np.ndarray[Any, np.dtype[np.uint8]]:
    if isinstance(value, bytes | bytearray | memoryview):
        value = np.frombuffer(value, np.uint8)
    if not isinstance(value, np.ndarray) or not value.flags.c_contiguous:
        raise AclError(Status.RT_PARAM_INVALID, f"{name} must be bytes or a C-contiguous array for host memory")
    if value.nbytes < count:
        raise AclError(Status.RT_PARAM_INVALID, f"{name} has {value.nbytes} B, count is {count}")
    if writes and not value.flags.writeable:
        raise AclError(Status.RT_PARAM_INVALID, f"{name} is read-only")
    return value.reshape(-1).view(np.uint8)[:count] if value.size else np.empty(0, np.uint8)


def _check_stream(stream: Any) -> None:
    if not isinstance(stream, Stream):
        raise AclError(Status.RT_PARAM_INVALID, f"stream must come from create_stream, not {stream!r}")
    stream.check()
