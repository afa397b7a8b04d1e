"""aivemu: an emulator of the AI Vector cores of Ascend NPUs."""

from emulator import asc
from emulator.asc.context import current_device
from emulator.device import Device
from emulator.errors import (
    BlockedWait,
    DeadlockError,
    EmulatorError,
    FlagError,
    GlobalMemoryError,
    LaunchError,
    OperandError,
    SocError,
    SourceLocation,
    UbCapacityError,
)
from emulator.launch import DeviceTensor, LaunchResult

__all__ = [
    "BlockedWait",
    "DeadlockError",
    "Device",
    "DeviceTensor",
    "EmulatorError",
    "FlagError",
    "GlobalMemoryError",
    "LaunchError",
    "LaunchResult",
    "OperandError",
    "SocError",
    "SourceLocation",
    "UbCapacityError",
    "asc",
    "current_device",
]
