"""The exception of the host API."""

from __future__ import annotations


class AclError(Exception):
    """A failed host call: ``status`` is the documented code, ``message`` names argument, value and limit."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(f"{message} (status {int(status)})")
        self.status = status
        self.message = message
