"""Streams: queues of work that nobody has waited for yet."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import Any

from emulator.errors import EmulatorError
from host_api.acl.status import Status, status_of
from host_api.errors import AclError
from tiling import TilingError


class Stream:
    """A queue of work for a device.

    Work runs when the stream is synchronised, in order.  Deferring it that far is deliberate: a program that reads
    results without synchronising sees stale data here every time, not once in a while.
    """

    def __init__(self, device: Any) -> None:
        self.device = device
        self.destroyed = False
        self._tasks: deque[tuple[str, Callable[[], Any]]] = deque()

    @property
    def pending(self) -> int:
        """Tasks that wait."""
        return len(self._tasks)

    def check(self) -> None:
        """Refuse a destroyed stream."""
        if self.destroyed:
            raise AclError(Status.RT_STREAM_CONTEXT, "stream was destroyed and is used again")

    def submit(self, task: Callable[[], Any], *, label: str = "a task") -> None:
        """Queue work; ``label`` names it where it fails."""
        self.check()
        self._tasks.append((label, task))

    def synchronize(self) -> None:
        """Run what is queued; the first failure drops the rest and is raised as AclError.

        What is no refusal of the emulator, such as a slip in a kernel's Python, is raised as it is.
        """
        self.check()
        tasks, self._tasks = self._tasks, deque()
        while tasks:
            label, task = tasks.popleft()
            try:
                task()
            except (AclError, EmulatorError, TilingError) as error:
                dropped = f"; {len(tasks)} more task(s) of the stream dropped" if tasks else ""
                message = error.message if isinstance(error, AclError) else str(error)
                raise AclError(status_of(error), f"{label}: {message}{dropped}") from error


def synchronize_all(streams: list[Stream]) -> None:
    """Run every stream in turn; the first failure is raised when all have run."""
    failure: AclError | None = None
    for stream in streams:
        try:
            stream.synchronize()
        except AclError as error:
            failure = failure or error
    if failure is not None:
        raise failure
