"""Numba with a disk cache of our own.

Numba keys its cache by file time and closure contents, so a reinstall or a generated function compiles again.  Here
the key is a name the caller gives, and the cache folder is named by the contents of the engine's sources and the
versions of what compiles them: the same engine finds its code again wherever it is installed.
"""

from __future__ import annotations

import hashlib
import os
import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import llvmlite
import numba
from numba.core.caching import CompileResultCacheImpl, FunctionCache, _CacheLocator
from numba.core.ccallback import CFunc
from numba.core.registry import CPUDispatcher
from numba.core.typing.templates import Signature

OPTIONS: dict[str, Any] = {"nopython": True, "error_model": "numpy", "nogil": True}


@cache
def cache_directory() -> Path:
    """Where compiled code of this very engine is kept; ``AIVEMU_CACHE_DIR`` moves it."""
    digest = hashlib.sha256(f"{numba.__version__} {llvmlite.__version__}".encode())
    for path in sorted(Path(__file__).parent.rglob("*.py")):
        digest.update(path.read_bytes())
    name = digest.hexdigest()[:16]
    chosen = os.environ.get("AIVEMU_CACHE_DIR")
    roots = [Path(chosen)] if chosen else [_user_cache(), Path(tempfile.gettempdir()) / f"aivemu-{_user_id()}"]
    for root in roots:
        folder = root / name
        try:
            folder.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryFile(dir=folder):
                return folder
        except OSError:
            continue
    return Path(tempfile.mkdtemp(prefix="aivemu-"))


def _user_cache() -> Path:
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "aivemu"


def _user_id() -> int:
    return os.getuid() if hasattr(os, "getuid") else 0


class _Locator(_CacheLocator):
    """Puts every entry into the one folder, stamped by the folder's own name."""

    def get_cache_path(self) -> str:
        return str(cache_directory())

    def get_source_stamp(self) -> str:
        return cache_directory().name

    def get_disambiguator(self) -> None:
        return None


class _CacheImpl(CompileResultCacheImpl):
    """Numba's own reader and writer of compiled code, with the file named by the caller's key."""

    def __init__(self, name: str) -> None:
        self._lineno = 0
        self._locator = _Locator()
        self._filename_base = name


class _Cache(FunctionCache):
    def __init__(self, py_func: Callable[..., Any], name: str) -> None:
        self._name_of_entry = name
        self._impl_class = lambda _function: _CacheImpl(name)
        super().__init__(py_func)

    def _load_overload(self, sig: Signature, target_context: Any) -> Any:
        # Whatever is wrong with an entry (cut short, written by another build), compiling again mends it.
        try:
            return super()._load_overload(sig, target_context)
        except Exception:
            Path(self._cache_file._index_path).unlink(missing_ok=True)
            return None

    def _index_key(self, sig: Signature, codegen: Any) -> tuple[Any, ...]:
        return (sig, codegen.magic_tuple(), self._name_of_entry)


def engine_function(function: Callable[..., Any]) -> Any:
    """Compile a function of the engine on first use and keep the code on disk."""
    dispatcher = numba.jit(**OPTIONS)(function)
    assert isinstance(dispatcher, CPUDispatcher)
    dispatcher._cache = _Cache(function, f"{function.__module__}.{function.__qualname__}")
    return dispatcher


def inlined(function: Callable[..., Any]) -> Any:
    """Compile a helper into each of its callers; it has no cache entry of its own."""
    return numba.jit(**OPTIONS)(function)


def pasted(function: Callable[..., Any]) -> Any:
    """Like ``inlined``, but pasted into its callers before compilation.

    For helpers on the scheduler's path, where a call that hands over several arrays costs more than the helper does.
    """
    return numba.jit(**OPTIONS, inline="always")(function)


def compile_callback(function: Callable[..., Any], signature: Signature, name: str) -> CFunc:
    """Compile ``function`` as a C callback, kept on disk as ``name``; the result's ``address`` can be called."""
    options = {key: value for key, value in OPTIONS.items() if key != "nogil"}
    callback = CFunc(function, (signature.args, signature.return_type), locals={}, options=options)
    vars(callback)["_cache"] = _Cache(function, name)
    callback.compile()
    return callback
