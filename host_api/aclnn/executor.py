"""The executor between the two phases of an aclnn call: steps, and the workspace they share.

Contiguous, Cast and ViewCopy are operators of their own on the chip.  Here they run on the host, with NumPy on device
memory: only the operator in the middle is emulated.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from emulator import Device
from emulator.errors import GlobalMemoryError
from emulator.memory import GlobalMemory
from host_api.acl.dtypes import DataType
from host_api.acl.status import Status
from host_api.acl.stream import Stream
from host_api.acl.tensor import AclTensor, contiguous_strides, is_contiguous, reach, strided_view
from host_api.errors import AclError

WORKSPACE_ALIGNMENT = 512

Array = np.ndarray[Any, np.dtype[Any]]


@dataclass(frozen=True)
class Operand:
    """A tensor that steps read or write: the caller's, or an intermediate one in the workspace.

    ``start`` is the address of the first element, or its byte in the workspace; ``strides`` are elements.
    """

    name: str
    dtype: DataType
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    start: int
    in_workspace: bool = False

    @property
    def is_contiguous(self) -> bool:
        return is_contiguous(self.shape, self.strides)

    @property
    def nbytes(self) -> int:
        """Bytes from the first element to one past the last."""
        return reach(self.shape, self.strides) * self.dtype.numpy.itemsize

    def address(self, workspace: int) -> int:
        """Address of the first element, given the workspace's."""
        return workspace + self.start if self.in_workspace else self.start

    def overlaps(self, other: Operand) -> bool:
        """Whether the two may share memory.  The workspace belongs to nobody else."""
        if self.in_workspace or other.in_workspace:
            return False
        return self.start < other.start + other.nbytes and other.start < self.start + self.nbytes

    def array(self, memory: GlobalMemory, workspace: int) -> Array:
        """The elements in device memory, not copied (BOOL is, which is never written)."""
        array = strided_view(memory, self.address(workspace), self.dtype, self.shape, self.strides)
        # Any byte but 0 is true, while NumPy trusts a bool to be 0 or 1.
        return array.view(np.uint8) != 0 if self.dtype == DataType.BOOL else array


class Step(NamedTuple):
    """One operator: ``run`` does its work on a device, given the address of the workspace."""

    name: str
    run: Callable[[Device, int], Any]


class Executor:
    """Steps recorded by phase one, run once by phase two.

    ``tensors`` are the caller's, by their documented names.  Steps that have nothing to do are not recorded.
    """

    def __init__(self, name: str, device: Device, tensors: Mapping[str, AclTensor]) -> None:
        self.name = name
        self.steps: list[Step] = []
        self.workspace_bytes = 0
        self.checks: list[Callable[[], Any]] = []
        """Called by phase two before anything is queued; they raise where a step could not run."""
        self._device = device
        self._tensors = dict(tensors)
        self._operands: list[Operand] = []
        self._used = False

    def operand(self, name: str) -> Operand:
        """One of the caller's tensors."""
        tensor = self._tensors[name]
        operand = Operand(name, tensor.dtype, tensor.shape, tensor.strides, tensor.first_address)
        self._operands.append(operand)
        return operand

    def intermediate(self, name: str, shape: tuple[int, ...], dtype: DataType) -> Operand:
        """A contiguous tensor in the workspace, of which it takes a multiple of 512 B."""
        operand = Operand(name, dtype, shape, contiguous_strides(shape), self.workspace_bytes, in_workspace=True)
        self.workspace_bytes += -(-operand.nbytes // WORKSPACE_ALIGNMENT) * WORKSPACE_ALIGNMENT
        return operand

    def contiguous(self, source: Operand) -> Operand:
        """``source`` with its elements one after another."""
        if source.is_contiguous:
            return source
        return self._copied("Contiguous", source, self.intermediate(source.name, source.shape, source.dtype))

    def cast(self, source: Operand, dtype: DataType, into: Operand | None = None) -> Operand:
        """``source`` in another type, rounded to nearest even; ``into`` takes it where it is contiguous."""
        if source.dtype == dtype:
            return source
        fits = into is not None and into.is_contiguous and into.dtype == dtype
        target = into if into is not None and fits else self.intermediate(source.name, source.shape, dtype)
        return self._copied("Cast", source, target)

    def view_copy(self, source: Operand, target: Operand) -> None:
        """Write ``source`` into ``target`` through its strides."""
        if source is not target:
            self._copied("ViewCopy", source, target)

    def _copied(self, name: str, source: Operand, target: Operand) -> Operand:
        def run(device: Device, workspace: int) -> None:
            values = source.array(device.memory, workspace)
            with np.errstate(all="ignore"):
                target.array(device.memory, workspace)[...] = values.astype(target.dtype.numpy)

        self.steps.append(Step(f"{name}({source.name})", run))
        return target

    def submit(self, workspace: int | None, workspace_size: int, stream: Any) -> None:
        """Queue the steps on a stream, as one task; AclError where they could not run.

        What the steps need of the tensors was taken down in phase one, so they may be destroyed afterwards; their
        memory must stay until the stream is synchronised.
        """
        if not isinstance(stream, Stream):
            raise AclError(Status.ACLNN_PARAM_NULLPTR, f"stream must come from create_stream, not {stream!r}")
        stream.check()
        if self._used:
            raise AclError(Status.ACLNN_PARAM_INVALID, f"the executor of {self.name} was used already")
        address = self._check_workspace(workspace, workspace_size)
        if stream.device is not self._device:
            raise AclError(Status.ACLNN_RUNTIME_ERROR, f"the executor of {self.name} is for a device that was reset")
        for name, tensor in self._tensors.items():
            tensor.check(name)
        self._check_memory(address)
        for check in self.checks:
            check()
        self._used = True
        if self.steps:
            stream.submit(lambda: self._run(address), label=self.name)

    def _check_workspace(self, workspace: int | None, workspace_size: int) -> int:
        try:
            size, address = operator.index(workspace_size), operator.index(workspace or 0)
        except TypeError:
            raise AclError(
                Status.ACLNN_PARAM_INVALID,
                f"workspace {workspace!r} and workspace_size {workspace_size!r} are no integers",
            ) from None
        if size > 0 and address == 0:
            raise AclError(Status.ACLNN_PARAM_NULLPTR, f"workspace is null, but workspace_size is {size} B")
        if size < self.workspace_bytes:
            raise AclError(
                Status.ACLNN_PARAM_INVALID, f"workspace_size is {size} B; {self.name} needs {self.workspace_bytes}"
            )
        return address

    def _check_memory(self, workspace: int) -> None:
        """GlobalMemoryError where an operand or the workspace is not in living memory; AclError where they overlap."""
        memory = self._device.memory
        for operand in self._operands:
            try:
                memory.find(operand.start, operand.nbytes)
            except GlobalMemoryError as error:
                raise GlobalMemoryError(f"{operand.name}: {error.message}") from error
        if not self.workspace_bytes:
            return
        try:
            memory.find(workspace, self.workspace_bytes)
        except GlobalMemoryError as error:
            raise GlobalMemoryError(f"workspace: {error.message}") from error
        room = Operand("workspace", DataType.UINT8, (self.workspace_bytes,), (1,), workspace)
        for operand in self._operands:
            if operand.overlaps(room):
                raise AclError(Status.ACLNN_PARAM_INVALID, f"workspace {workspace:#x} overlaps {operand.name}")

    def _run(self, workspace: int) -> None:
        # Memory may have been freed since phase two; looking before the first step leaves the rest as it is.
        self._check_memory(workspace)
        for step in self.steps:
            step.run(self._device, workspace)
