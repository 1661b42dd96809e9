"""How far down the stack of this thread may grow before compiled recursion has to stop.

    stack_floor()    ->    an address; a frame below it means RecursionError
"""

from __future__ import annotations

import ctypes
import sys
import threading

MARGIN = 192 * 1024  # a frame may still call BLAS, the C library, the allocator
UNKNOWN_BUDGET = 128 * 1024  # every thread certainly has it; it counts where the system does not tell
_LOCAL = threading.local()


def stack_floor() -> int:
    """The lowest address that a native frame of this thread may have; below zero, relative to the first frame."""
    found = getattr(_LOCAL, "floor", None)
    if found is None:
        found = _LOCAL.floor = _find_floor()
    return int(found)


def _find_floor() -> int:
    try:
        lowest, size = _linux_stack() if sys.platform.startswith("linux") else _macos_stack()
    except (AttributeError, OSError):
        return -UNKNOWN_BUDGET
    return lowest + min(MARGIN, size // 2)


def _linux_stack() -> tuple[int, int]:
    """(lowest address, size) by glibc's and musl's pthread_getattr_np."""
    library = ctypes.CDLL(None)
    attributes = ctypes.create_string_buffer(256)  # pthread_attr_t is 56 bytes on the largest of them
    library.pthread_self.restype = ctypes.c_void_p
    library.pthread_getattr_np.argtypes = [ctypes.c_void_p, ctypes.c_void_p]
    if library.pthread_getattr_np(library.pthread_self(), attributes):
        raise OSError("pthread_getattr_np failed")
    lowest, size = ctypes.c_void_p(), ctypes.c_size_t()
    library.pthread_attr_getstack(attributes, ctypes.byref(lowest), ctypes.byref(size))
    library.pthread_attr_destroy(attributes)
    return int(lowest.value or 0), int(size.value)


def _macos_stack() -> tuple[int, int]:
    library = ctypes.CDLL(None)
    library.pthread_self.restype = ctypes.c_void_p
    for name, result in (("pthread_get_stackaddr_np", ctypes.c_void_p), ("pthread_get_stacksize_np", ctypes.c_size_t)):
        function = getattr(library, name)
        function.restype, function.argtypes = result, [ctypes.c_void_p]
    thread = library.pthread_self()
    size = int(library.pthread_get_stacksize_np(thread))
    return int(library.pthread_get_stackaddr_np(thread)) - size, size
