"""The executor between the two phases of an aclnn call: steps, and the workspace they share."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from emulator import Device
from host_api.acl.runtime import Stream
from host_api.acl.status import Status
from host_api.errors import AclError

WORKSPACE_ALIGNMENT = 512

Step = Callable[[Device, int], None]
"""Does its work on a device, with the address of the workspace."""


class Executor:
    """Steps recorded by phase one, run once by phase two."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.steps: list[Step] = []
        self.workspace_bytes = 0
        self._used = False

    def reserve(self, nbytes: int) -> int:
        """Room for an intermediate tensor; returns its offset in the workspace."""
        offset = self.workspace_bytes
        self.workspace_bytes += -(-nbytes // WORKSPACE_ALIGNMENT) * WORKSPACE_ALIGNMENT
        return offset

    def submit(self, workspace: int, workspace_size: int, stream: Any) -> None:
        """Queue the steps on a stream; AclError for a workspace, stream or executor that will not do."""
        if not isinstance(stream, Stream):
            raise AclError(Status.ACLNN_PARAM_NULLPTR, f"stream must come from create_stream, not {stream!r}")
        stream.check()
        if self._used:
            raise AclError(Status.ACLNN_PARAM_INVALID, f"the executor of {self.name} was used already")
        if workspace_size < self.workspace_bytes:
            raise AclError(
                Status.ACLNN_PARAM_INVALID,
                f"workspace_size is {workspace_size} B; {self.name} needs {self.workspace_bytes}",
            )
        if self.workspace_bytes:
            stream.device.memory.find(workspace, self.workspace_bytes)
        self._used = True
        for step in self.steps:
            stream.submit(partial(step, stream.device, workspace))
