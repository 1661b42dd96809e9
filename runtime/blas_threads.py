"""The threads of the BLAS that compiled code calls: as many as large parallel loops have.

    PELLUCID_NUM_THREADS=1           ->    products of matrices on one thread
    PELLUCID_CPU_DEVICES=2           ->    on half of the threads, since both devices may compute products
    dgemm, dgemv                     ->    those of `native/products.c`: pieces, on the threads of loops, and half of
                                           them where a matrix is multiplied by its own transpose (dsyrk)

An OpenBLAS, which is what NumPy and SciPy come with, starts with a thread for each core.  It is told otherwise when
compiled code first asks it for a routine, and when the number changes later.  What the user says to it counts for more:
by its own variables, or by any number that is not the one that it began with or was told here.
"""

from __future__ import annotations

import ctypes
import os
import re
import threading
from collections.abc import Callable
from functools import lru_cache
from typing import Any

from . import asynchronous, native_part
from .cores import default_threads

# How OpenBLAS calls its functions, with `{}` for what each does: NumPy's, SciPy's, one of the system's.
FORMS = ("scipy_openblas_{}64_", "scipy_openblas_{}", "openblas_{}64_", "openblas_{}")
PRODUCTS = ("gemm", "gemv")
NUMBERS, POINTERS = (ctypes.c_int64,) * 2, (ctypes.c_void_p,) * 4
NOBODY = -1  # a number of threads that no library has
VARIABLES = ("OPENBLAS_NUM_THREADS", "OPENBLAS_DEFAULT_NUM_THREADS", "GOTO_NUM_THREADS", "OMP_NUM_THREADS")


class BlasThreads:
    """The libraries that compiled code calls, and the number of threads that loops have."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._threads = default_threads()
        self._found: dict[int, OpenBlas] = {}  # by the address of the function that sets its threads

    def add(self, library: ctypes.CDLL) -> None:
        """From now on a library has its share of the threads, unless the environment says how many."""
        with self._lock:
            if not any(os.environ.get(name) for name in VARIABLES):
                self._found |= {found.address: found for found in found_in(library) if found.address not in self._found}
            self._share()

    def product(self, library: ctypes.CDLL, name: str, address: int) -> int:
        """What to call for a `dgemm` or `dgemv` of a library: ours, which shares it out among the workers of loops.

        Where the environment says how many threads it has, it has them in every product; elsewhere the library's own:
        without the extension or with another BLAS.
        """
        with self._lock:
            known = [self._found.get(found.address, found) for found in found_in(library)]
            if not known or name[1:] not in PRODUCTS or native_part.extension() is None:
                return address
            return known[0].product(name, address, known[0].address in self._found)

    def follow(self, threads: int) -> None:
        """Loops have this many threads from now on."""
        with self._lock:
            self._threads = threads
            self._share()

    def _share(self) -> None:
        for library in self._found.values():
            library.follow(max(1, self._threads // asynchronous.cpu_devices()))


class OpenBlas:
    """A library that is loaded, and how many threads it has as long as nobody else says something."""

    def __init__(self, library: ctypes.CDLL, form: str) -> None:
        self._library, self._routines = library, form.replace("openblas_{}", "{}_")
        self.count: Callable[..., Any] = getattr(library, form.format("get_num_threads"))
        self.give: Callable[..., Any] = getattr(library, form.format("set_num_threads"))
        self.address, self._ask = (ctypes.cast(one, ctypes.c_void_p).value or 0 for one in (self.give, self.count))
        self.expected = usual_threads(library, form)

    def product(self, name: str, address: int, is_shared: bool) -> int:
        """The product of `native/products.c` that calls this one.

        While one is shared out the library has a thread, and it is said there how many it has otherwise.
        """
        share = native_part.function("pellucid_product", ctypes.c_void_p, *NUMBERS, *POINTERS, ctypes.c_int64)
        kind = "sdcz".index(name[0]), PRODUCTS.index(name[1:])
        expected = self.expected if is_shared else NOBODY
        found: int | None = share(*kind, address, self._square(name), self._ask, self.address, expected)
        if found is None:
            return address
        self.count = native_part.function("pellucid_count_of_blas", ctypes.c_int64)
        self.give = native_part.function("pellucid_give_to_blas", None, ctypes.c_int64)
        return found

    def _square(self, name: str) -> int | None:
        """The `dsyrk` of the library beside a `dgemm`; None where it has none by such a name."""
        routine = getattr(self._library, self._routines.format(f"{name[0]}syrk"), None)
        return None if routine is None else ctypes.cast(routine, ctypes.c_void_p).value

    def follow(self, wanted: int) -> None:
        if self.count() == self.expected != wanted:
            self.give(wanted)
            self.expected = self.count()


def found_in(library: ctypes.CDLL) -> list[OpenBlas]:
    """The OpenBLAS that a library is linked with, or none."""
    return [OpenBlas(library, form) for form in FORMS if hasattr(library, form.format("set_num_threads"))][:1]


def usual_threads(library: ctypes.CDLL, form: str) -> int:
    """How many threads it has if nobody says something: one for each core, and no more than it is built for."""
    config: Any = getattr(library, form.format("get_config"))
    config.restype = ctypes.c_char_p
    most = re.search(rb"MAX_THREADS=(\d+)", config() or b"")
    cores = int(getattr(library, form.format("get_num_procs"))())
    return cores if most is None else min(cores, int(most[1]))


@lru_cache(maxsize=1)
def blas_threads() -> BlasThreads:
    """Those of this process."""
    return BlasThreads()
