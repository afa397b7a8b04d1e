"""aclnn: operators called in two phases."""

from host_api.aclnn.executor import Executor
from host_api.aclnn.softplus_backward import softplus_backward, softplus_backward_get_workspace_size

__all__ = ["Executor", "softplus_backward", "softplus_backward_get_workspace_size"]
