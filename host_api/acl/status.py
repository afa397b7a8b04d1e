"""Status codes of acl and aclnn, and how failures become one.

Source: the error code lists of the CANN runtime and aclnn references.
"""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable
from enum import IntEnum
from typing import ParamSpec, TypeVar

from emulator.errors import DeadlockError, EmulatorError, GlobalMemoryError, LaunchError
from host_api.errors import AclError
from tiling import TilingError


class Status(IntEnum):
    """What acl and aclnn calls return: the vendor's codes, of which only those that something here returns.

    107xxx to 507xxx come from the runtime below acl, which passes them through.
    """

    SUCCESS = 0
    INVALID_PARAM = 100000
    UNINITIALIZED = 100001
    REPEAT_INITIALIZE = 100002
    REPEAT_FINALIZE = 100037
    RT_PARAM_INVALID = 107000
    RT_INVALID_DEVICEID = 107001
    RT_CONTEXT_NULL = 107002
    RT_STREAM_CONTEXT = 107003
    RT_MEMORY_ALLOCATION = 207001
    RT_INTERNAL_ERROR = 507000
    RT_VECTOR_CORE_TIMEOUT = 507034
    RT_VECTOR_CORE_EXCEPTION = 507035
    ACLNN_PARAM_NULLPTR = 161001
    ACLNN_PARAM_INVALID = 161002
    ACLNN_RUNTIME_ERROR = 361001
    ACLNN_INNER_INFERSHAPE_ERROR = 561001
    ACLNN_INNER_TILING_ERROR = 561002
    ACLNN_INNER_FIND_KERNEL_ERROR = 561003


_recent = threading.local()
P = ParamSpec("P")
T = TypeVar("T")


def get_recent_err_msg() -> str:
    """The message of the last failed call on this thread; reading it clears it (aclGetRecentErrMsg)."""
    message = getattr(_recent, "message", "")
    _recent.message = ""
    return message


def note_error(message: str) -> None:
    """Keep a message for ``get_recent_err_msg``."""
    _recent.message = message


def status_of(error: Exception) -> Status:
    """The code that stands for an error of the layers below."""
    if isinstance(error, AclError):
        return Status(error.status)
    if isinstance(error, TilingError):
        return Status.ACLNN_INNER_TILING_ERROR
    if isinstance(error, DeadlockError):
        return Status.RT_VECTOR_CORE_TIMEOUT
    if isinstance(error, GlobalMemoryError):
        return Status.RT_PARAM_INVALID
    if isinstance(error, LaunchError):
        return Status.RT_INTERNAL_ERROR
    return Status.RT_VECTOR_CORE_EXCEPTION


def returns_status(call: Callable[P, None]) -> Callable[P, Status]:
    """Turn a function that raises into one that returns a status and keeps the message."""

    @functools.wraps(call)
    def wrapper(*args: P.args, **kwargs: P.kwargs) -> Status:
        try:
            call(*args, **kwargs)
        except (AclError, EmulatorError, TilingError) as error:
            note_error(str(error))
            return status_of(error)
        return Status.SUCCESS

    return wrapper


def notes_errors(call: Callable[P, T]) -> Callable[P, T]:
    """Keep the message of an AclError that a function without a status raises."""

    @functools.wraps(call)
    def wrapper(*args: P.args, **kwargs: P.kwargs) -> T:
        try:
            return call(*args, **kwargs)
        except AclError as error:
            note_error(str(error))
            raise

    return wrapper
