"""Memory of arrays and lists: a pool of aligned blocks (`native/memory.c`), and its face towards Python.

    pellucid_allocate(bytes)   -> owner: 64 bytes of header, then the data, 64-byte aligned; null when there is none
    pellucid_free(owner)       -> back to the pool
    pellucid_new_matrix(context, item bytes, rows, columns)
                               -> the same for unchecked lengths, or what is wrong with them: a code
    Buffer(owner)              -> frees it when Python drops it; numpy.asarray(buffer) copies nothing

Freed blocks are kept for later, up to `limit` bytes in all: an eighth of the memory, or PELLUCID_POOL_BYTES.
"""

from __future__ import annotations

import ctypes
import os
import threading
from functools import lru_cache

import numpy as np

from . import native_part, routines

HEADER_BYTES = 64
SHARE_OF_MEMORY = 8

EXPORTED = (
    "pellucid_allocate", "pellucid_free", "pellucid_release", "pellucid_list_new", "pellucid_list_grow",
    "pellucid_list_release", "pellucid_live", "pellucid_limit", "pellucid_trim", "pellucid_unlock",
    "pellucid_new_array", "pellucid_new_vector", "pellucid_new_matrix",
    "pellucid_new_result", "pellucid_data",
)  # fmt: skip


def _default_limit() -> int:
    """PELLUCID_POOL_BYTES, else a share of the memory that this process may use."""
    given = os.environ.get("PELLUCID_POOL_BYTES", "").strip()
    if given:
        return _checked_limit(int(given) if given.isdigit() else given, "PELLUCID_POOL_BYTES")
    return _memory() // SHARE_OF_MEMORY


def _checked_limit(size: object, name: str) -> int:
    if isinstance(size, bool) or not isinstance(size, int) or not 0 <= size < 2**63:
        raise ValueError(f"{name} is a number of bytes, not {size!r}")
    return size


def _memory(path: str = "/sys/fs/cgroup/memory.max") -> int:
    """Bytes of memory of the machine, or what a container has of it."""
    whole = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    try:
        with open(path, encoding="ascii") as file:
            return min(whole, int(file.read()))
    except (OSError, ValueError):  # no container, or "max"
        return whole


class Pool:
    """The pool's functions hold the GIL: they are short, and reference counts need one thread at a time."""

    def __init__(self) -> None:
        for name in EXPORTED:
            routines.provide(name, native_part.address(name))
        pointer, number, function = ctypes.c_void_p, ctypes.c_int64, native_part.function
        self.allocate = function("pellucid_allocate", pointer, number)
        self.release = function("pellucid_release", None, pointer)
        self.list_new = function("pellucid_list_new", pointer, number, number)
        self.list_grow = function("pellucid_list_grow", ctypes.c_bool, pointer)
        self.list_release = function("pellucid_list_release", None, pointer)
        self.live = function("pellucid_live", number)
        self.limit = function("pellucid_limit", number, number)
        self.limit(_default_limit())
        self.trim = function("pellucid_trim", number)
        if hasattr(os, "register_at_fork"):  # another thread may hold the lock while this one forks
            os.register_at_fork(after_in_child=function("pellucid_unlock", None))


_POOL_LOCK = threading.Lock()


@lru_cache(maxsize=1)
def _make_pool() -> Pool:
    return Pool()


def pool() -> Pool:
    """The pool of this process, made at first use."""
    with _POOL_LOCK:
        return _make_pool()


def live_bytes() -> int:
    """Bytes of the blocks in use now, rounded up to size classes: 0 when nothing compiled holds memory."""
    return int(pool().live())


def limit(size: int) -> int:
    """Let the pool keep up to this many bytes for later; returns the former limit.  See `trim` for those it has."""
    return int(pool().limit(_checked_limit(size, "limit")))


def trim() -> int:
    """Give the memory that the pool keeps for later back to the system; returns how many bytes that were."""
    return int(pool().trim())


class Buffer:
    """Memory that compiled code made, owned by Python from now on: released when nothing refers to it any more."""

    __slots__ = ("__array_interface__", "_owner", "_release")

    def __init__(
        self, owner: int, data: int, dtype: np.dtype, shape: tuple[int, ...], strides: tuple[int, ...]
    ) -> None:
        self._owner, self._release = owner, pool().release
        self.__array_interface__ = {
            "version": 3,
            "typestr": dtype.str,
            "data": (data, False),
            "shape": shape,
            "strides": tuple(s * dtype.itemsize for s in strides),
        }

    @property
    def _is_alone(self) -> bool:
        """Whether nothing else has a reference to the block."""
        return bool(native_part.function("is_only_reference", ctypes.c_bool, ctypes.c_void_p)(self._owner))

    def __del__(self) -> None:
        owner, self._owner = self._owner, 0
        if owner:
            self._release(owner)
