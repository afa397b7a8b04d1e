"""The acl runtime, rendered in Python: names follow aclInit, aclrtMalloc, aclCreateTensor and their like.

Calls return a Status (0 on success); ``get_recent_err_msg`` tells what was wrong.  Creating a tensor or scalar raises
AclError instead, since there is no status to return; C returns a null pointer there.
"""

from host_api.acl import rt
from host_api.acl.dtypes import DataType, Format, MemcpyKind
from host_api.acl.runtime import RUNTIME
from host_api.acl.scalar import AclScalar, create_scalar, destroy_scalar
from host_api.acl.status import Status, get_recent_err_msg, returns_status
from host_api.acl.stream import Stream
from host_api.acl.tensor import AclTensor, create_tensor, destroy_tensor


@returns_status
def init() -> None:
    """Initialise acl, before anything else; 100002 where that was done already (aclInit without a file)."""
    RUNTIME.init()


@returns_status
def finalize() -> None:
    """Release the device and everything on it; 100037 where acl is not initialised (aclFinalize)."""
    RUNTIME.finalize()


__all__ = [
    "AclScalar",
    "AclTensor",
    "DataType",
    "Format",
    "MemcpyKind",
    "Status",
    "Stream",
    "create_scalar",
    "create_tensor",
    "destroy_scalar",
    "destroy_tensor",
    "finalize",
    "get_recent_err_msg",
    "init",
    "rt",
]
