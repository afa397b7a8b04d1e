"""``@asc.jit``: a kernel, launched as ``kernel[core_num](...)``."""

from __future__ import annotations

import functools
import inspect
from collections import OrderedDict
from collections.abc import Callable
from types import FunctionType
from typing import Any, Generic, Protocol, TypeVar, overload

import numpy as np

from emulator.asc.context import current_device, is_recording
from emulator.errors import LaunchError

_T = TypeVar("_T")
_Plain = (int, float, str, bytes, bool, tuple, frozenset, type(None))


class ConstExpr(Generic[_T]):
    """Annotation of a compile-time value, as in pyasc; the emulator treats it like any scalar."""


class _Launcher(Protocol):
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...


class Kernel:
    """A kernel function.  Called inside another kernel it runs in place; subscripted it launches."""

    def __init__(self, function: Callable[..., None], options: dict[str, Any]) -> None:
        functools.update_wrapper(self, function)
        self.function = function
        self.options = options
        self.signature = inspect.signature(function)
        self.programs: OrderedDict[Any, Any] = OrderedDict()

    @property
    def name(self) -> str:
        return self.function.__name__

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if not is_recording():
            raise LaunchError(f"{self.name} is a kernel: launch it as {self.name}[core_num](...) on a Device")
        return self.function(*args, **kwargs)

    def __getitem__(self, launch: Any) -> _Launcher:
        cores, stream = launch if isinstance(launch, tuple) else (launch, None)

        def run(*args: Any, **kwargs: Any) -> Any:
            device = current_device()
            if stream is not None:
                return stream.submit(lambda: device.launch(self, cores, args, kwargs))
            return device.launch(self, cores, args, kwargs)

        return run

    def surroundings(self) -> tuple[Any, ...] | None:
        """The plain values outside the kernel that its code reads; None where one of them cannot be compared.

        A recorded program may be used again only while these stay what they were.
        """
        return _surroundings(self.function, set())


def comparable(value: Any) -> Any:
    """A key equal only for values a kernel cannot tell apart: 1, 1.0 and True differ, as do 0.0 and -0.0.

    Dataclasses and msgspec structs are taken field by field.
    """
    if isinstance(value, float | np.floating):
        return type(value), float(value).hex()
    if isinstance(value, tuple):
        return type(value), tuple(comparable(item) for item in value)
    fields = getattr(value, "__struct_fields__", None) or getattr(value, "__dataclass_fields__", None)
    if fields is not None and not isinstance(value, type):
        return type(value), tuple(comparable(getattr(value, name)) for name in fields)
    return type(value), value


def _surroundings(function: Callable[..., Any], seen: set[int]) -> tuple[Any, ...] | None:
    if id(function) in seen or not isinstance(function, FunctionType):
        return ()
    seen.add(id(function))
    code = function.__code__
    values: dict[str, Any] = {}
    for name, cell in zip(code.co_freevars, function.__closure__ or (), strict=True):
        try:
            values[name] = cell.cell_contents
        except ValueError:
            continue
    values |= {name: function.__globals__[name] for name in code.co_names if name in function.__globals__}
    found: list[Any] = [code]
    for name, value in values.items():
        inner = getattr(value, "function", value)
        if isinstance(value, _Plain):
            found.append((name, comparable(value)))
        elif isinstance(inner, FunctionType) and inner.__module__ == function.__module__:
            nested = _surroundings(inner, seen)
            if nested is None:
                return None
            found.extend((name, *nested))
        elif isinstance(value, list | dict | set):
            return None
    return tuple(found)


@overload
def jit(function: Callable[..., None]) -> Kernel: ...
@overload
def jit(*, kernel_type: Any = None) -> Callable[[Callable[..., None]], Kernel]: ...
def jit(function: Callable[..., None] | None = None, **options: Any) -> Any:
    """Mark a function as a kernel, or as a helper that kernels call.

    ``kernel_type`` may say KernelType.AIV_ONLY, which is what every kernel here is.
    """
    unknown = set(options) - {"kernel_type"}
    if unknown:
        raise LaunchError(f"asc.jit does not know {', '.join(sorted(unknown))}; it takes kernel_type")
    if function is None:
        return lambda wrapped: Kernel(wrapped, options)
    return Kernel(function, options)
