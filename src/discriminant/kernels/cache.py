"""Compiled kernels on disk, in files that are checked before they are used.

Numba follows an index to numbered files. A truncated one is an exception in the middle of a fit, and so is a full disk;
processes that start together on an empty cache can store the code of one signature under the number of
another. Here a signature has a file of its own, which says what it was made from and begins with a hash of the rest. A
file that is not what it should be is made anew, in silence; where nothing can be written nothing is kept. Of
processes that start together one compiles, and the others wait for its file.

The hash finds damage, not malice: whoever may write into the cache may run code as whoever reads it.
"""

import contextlib
import hashlib
import os
import pickle
import platform
import uuid
from collections.abc import Callable
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

import llvmlite
import numba
from numba.core.caching import FunctionCache
from numba.core.serialize import dumps

from discriminant.kernels.turns import Turn

_FORMAT = b"discriminant kernel, 1\n"


class KernelCache(FunctionCache):
    """The cache of one kernel: a file for each signature and processor."""

    def __init__(self, function: Callable[..., Any]) -> None:
        super().__init__(function)
        self._turns: dict[Path, Turn] = {}  # of the signatures that are being compiled
        self._made_from = (self._impl.locator.get_source_stamp(), _sources(), _versions())

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """The compiled kernel, or None where there is none that can be used."""
        target_context.refresh()
        key = self._index_key(sig, target_context.codegen())
        kernel = self._kept(key, target_context)
        if kernel is None and self._take_turn(key):  # another process may have made it meanwhile
            kernel = self._kept(key, target_context)
            if kernel is not None:
                self._give_back(key)
        return kernel

    def _kept(self, key: Any, target_context: Any) -> Any:
        stored = _read_checked(self._path(key), self._header(key))
        # The file is whole and ours, but numba may still find that it cannot use it here; then it is made anew.
        with contextlib.suppress(Exception):
            return None if stored is None else self._impl.rebuild(target_context, pickle.loads(stored))
        return None

    def _take_turn(self, key: Any) -> bool:
        """Wait for whoever compiles the same; whether there was anything to wait with."""
        with contextlib.suppress(OSError):
            self._impl.locator.ensure_cache_path()
            turn = self._turns.setdefault(self._path(key), Turn(self._path(key)))
            turn.take()
            return True
        return False

    def _give_back(self, key: Any) -> None:
        turn = self._turns.pop(self._path(key), None)
        if turn is not None:
            turn.give_back()

    def save_overload(self, sig: Any, data: Any) -> None:
        """Keep a compiled kernel for other processes, where that is possible."""
        key = self._index_key(sig, data.codegen)
        try:
            if self._impl.check_cachable(data):
                with contextlib.suppress(OSError):
                    self._impl.locator.ensure_cache_path()
                    _write_checked(self._path(key), self._header(key), dumps(self._impl.reduce(data)))
        finally:
            self._give_back(key)

    def _path(self, key: Any) -> Path:
        """Where a kernel is kept; the same after a change of its source, so that old ones do not pile up."""
        signature, processor, _ = key
        return Path(self.cache_path) / f"{self._impl.filename_base}.{_hash((signature, processor)).hex()[:16]}.nbc"

    def _header(self, key: Any) -> bytes:
        return _FORMAT + _hash((key, self._made_from))


def _read_checked(path: Path, header: bytes) -> bytes | None:
    """What a file holds after its header; None where it cannot be read, is another's, or was damaged."""
    try:
        found = path.read_bytes()
    except OSError:
        return None
    digest, stored = found[len(header) : len(header) + 32], found[len(header) + 32 :]
    whole = found.startswith(header) and hashlib.sha256(stored).digest() == digest
    return stored if whole else None


def _write_checked(path: Path, header: bytes, stored: bytes) -> None:
    """Write the file in one step, so that no other process sees a part of it."""
    part = path.with_name(f".{uuid.uuid4().hex}.nbc")
    try:
        part.write_bytes(header + hashlib.sha256(stored).digest() + stored)
        os.replace(part, path)
    finally:
        part.unlink(missing_ok=True)


@cache
def _sources() -> bytes:
    """A hash of all kernels: those of one file are compiled into those of others."""
    modules = sorted((file for file in files(__package__).iterdir() if file.name.endswith(".py")), key=lambda f: f.name)
    return _hash([(file.name, file.read_bytes()) for file in modules])


def _versions() -> tuple[str, ...]:
    return (numba.__version__, llvmlite.__version__, platform.python_version())


def _hash(value: Any) -> bytes:
    return hashlib.sha256(repr(value).encode()).digest()
