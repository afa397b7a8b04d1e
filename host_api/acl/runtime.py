"""What the acl runtime of this process knows: whether it is initialised, its device and its streams."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable
from typing import Any

from emulator import Device
from host_api.acl.status import Status
from host_api.errors import AclError

DEFAULT_SOC = "Ascend950"


class Stream:
    """A queue of work for a device.

    Work runs when the stream is synchronised, in order.  Deferring it that far is deliberate: a program that reads
    results without synchronising sees stale data here every time, not once in a while.
    """

    def __init__(self, device: Device) -> None:
        self.device = device
        self._tasks: deque[Callable[[], Any]] = deque()
        self.destroyed = False

    def check(self) -> None:
        """Refuse a destroyed stream."""
        if self.destroyed:
            raise AclError(Status.RT_STREAM_CONTEXT, "stream was destroyed and is used again")

    def submit(self, task: Callable[[], Any]) -> None:
        """Queue work."""
        self.check()
        self._tasks.append(task)

    def synchronize(self) -> None:
        """Run what is queued; the first failure drops the rest and is raised."""
        self.check()
        tasks, self._tasks = self._tasks, deque()
        for task in tasks:
            task()


class Runtime:
    """The process-wide acl state."""

    def __init__(self) -> None:
        self.initialised = False
        self.device: Device | None = None
        self.streams: list[Stream] = []

    def init(self) -> None:
        if self.initialised:
            raise AclError(Status.REPEAT_INITIALIZE, "acl.init was called already; call acl.finalize first")
        self.initialised = True

    def finalize(self) -> None:
        self.check_initialised()
        self.reset_device()
        self.initialised = False

    def check_initialised(self) -> None:
        if not self.initialised:
            raise AclError(Status.UNINITIALIZED, "acl is not initialised: call acl.init first")

    def set_device(self, device_id: int, soc: str | None) -> None:
        self.check_initialised()
        if device_id != 0:
            raise AclError(Status.RT_PARAM_INVALID, f"device_id is {device_id!r}; the emulator has device 0 only")
        wanted = soc or os.environ.get("AIVEMU_SOC") or DEFAULT_SOC
        if self.device is not None:
            if self.device.soc.name.lower() != wanted.lower():
                raise AclError(
                    Status.RT_PARAM_INVALID,
                    f"device 0 is a {self.device.soc.name} already; reset it before making it a {wanted}",
                )
            return
        self.device = Device(wanted)

    def reset_device(self) -> None:
        """Drop the device with its memory and streams."""
        for stream in self.streams:
            stream.destroyed = True
        self.streams.clear()
        if self.device is not None:
            self.device.close()
            self.device = None

    def current_device(self) -> Device:
        """The device; AclError before ``set_device``."""
        self.check_initialised()
        if self.device is None:
            raise AclError(Status.RT_CONTEXT_NULL, "no device is set: call acl.rt.set_device first")
        return self.device


RUNTIME = Runtime()
