"""What the acl runtime of this process knows: whether it is initialised, its device and its streams."""

from __future__ import annotations

import operator
import os
from collections.abc import Callable

from emulator import Device
from emulator.errors import SocError
from host_api.acl.status import Status
from host_api.acl.stream import Stream, synchronize_all
from host_api.errors import AclError

DEFAULT_SOC = "Ascend950"
SOC_VARIABLE = "AIVEMU_SOC"


class Runtime:
    """The process-wide acl state.  ``device_factory`` makes a device from a SoC name."""

    def __init__(self, device_factory: Callable[[str], Device] = Device) -> None:
        self.device_factory = device_factory
        self.initialised = False
        self.device: Device | None = None
        self.streams: list[Stream] = []
        self._references = 0

    def init(self) -> None:
        if self.initialised:
            raise AclError(Status.REPEAT_INITIALIZE, "acl.init was called already; call acl.finalize first")
        self.initialised = True

    def finalize(self) -> None:
        if not self.initialised:
            raise AclError(Status.REPEAT_FINALIZE, "acl is not initialised, or finalised already")
        self.initialised = False
        if self.device is not None:
            self._release()

    def check_initialised(self) -> None:
        if not self.initialised:
            raise AclError(Status.UNINITIALIZED, "acl is not initialised: call acl.init first")

    def set_device(self, device_id: int, soc: str | None) -> None:
        self.check_initialised()
        _check_device_id(device_id)
        if self.device is None:
            try:
                self.device = self.device_factory(soc or os.environ.get(SOC_VARIABLE) or DEFAULT_SOC)
            except SocError as error:
                raise AclError(Status.INVALID_PARAM, f"soc: {error.message}") from error
        elif soc is not None and self.device.soc.name.lower() != soc.lower():
            raise AclError(
                Status.RT_PARAM_INVALID,
                f"soc is {soc}, but device 0 is a {self.device.soc.name} already; reset it before making it another",
            )
        self._references += 1

    def reset_device(self, device_id: int) -> None:
        """Undo one ``set_device``; the last one waits for the streams and drops the device with its memory."""
        self.current_device()
        _check_device_id(device_id)
        self._references -= 1
        if self._references == 0:
            self._release()

    def _release(self) -> None:
        assert self.device is not None
        device, streams = self.device, self.streams
        self.device, self.streams, self._references = None, [], 0
        try:
            synchronize_all(streams)
        finally:
            for stream in streams:
                stream.destroyed = True
            device.close()

    def current_device(self) -> Device:
        """The device; AclError before ``set_device``."""
        self.check_initialised()
        if self.device is None:
            raise AclError(Status.RT_CONTEXT_NULL, "no device is set: call acl.rt.set_device first")
        return self.device


RUNTIME = Runtime()


def _check_device_id(device_id: int) -> None:
    try:
        known = operator.index(device_id) == 0
    except TypeError:
        known = False
    if not known:
        raise AclError(Status.RT_INVALID_DEVICEID, f"device_id is {device_id!r}; the emulator has device 0 only")
