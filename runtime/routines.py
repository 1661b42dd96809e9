"""Addresses of what machine code calls by name and does not bring along.

    pellucid_allocate        the memory pool, and whatever else was loaded with `provide`
    pellucid_parallel_for    threads, made ready when the first code that may use them is loaded
    pellucid_look            what a loop asks when a signal has come, made ready with the first code that has loops
    pellucid_collective      what a device tells the others (`native/collectives.c`); only the extension has it
    pellucid_far_f64         remainders of large angles, made ready when the first code that may use them is loaded
    pellucid_blas_dgemm      the BLAS and LAPACK that NumPy itself is linked with, else those of scipy.linalg
    pellucid_scipy_dd_jv     scipy.special.cython_special.jv of two doubles
    pellucid_scipy_dpp_sici  one of a double that writes two doubles
    pellucid_fft_d_ifft      the inner loop of numpy.fft's ufunc `ifft` for doubles; `..._data` what it is given besides
    pellucid_sort_float64    NumPy's sort of doubles; pellucid_argsort_float64 the order of them
    expm1, memcpy            the C library
"""

from __future__ import annotations

import ctypes
import importlib
import re
import sys
from functools import cache, lru_cache

from . import native_part, sorts, ufuncs

# What functions of `scipy.special.cython_special` take, by the letters of our names for them.
SPECIAL = {"d": "double", "l": "Py_ssize_t", "z": "__pyx_t_double_complex", "p": "double *"}
PARALLEL_FOR = "pellucid_parallel_for"
FAR = "pellucid_far_"
COLLECTIVE = "pellucid_collective"
INTERRUPTS = ("pellucid_signals", "pellucid_look", "pellucid_arm", "pellucid_guarded")
PROVIDED: dict[str, int] = {}
# What a BLAS calls its Fortran routines, those with ints of 64 bits first: callers keep every int in 64 bits, and one
# with ints of 32 reads the lower half.
BLAS_NAMES = (
    "scipy_{}_64_", "{}_64_", "{}64_", "{}$NEWLAPACK$ILP64", "scipy_{}_", "{}_", "{}$NEWLAPACK",
)  # fmt: skip
C_LIBRARIES = (None, "libm.so.6", "libm.so", "libm.dylib")  # the first is the process itself


def provide(name: str, address: int) -> None:
    """Let code that is loaded from now on call this address by name."""
    PROVIDED[name] = address


def address_of(name: str) -> int:
    """The address of a routine.  Raises LookupError where no library has it."""
    if name in PROVIDED:
        return PROVIDED[name]
    if name.startswith(FAR):
        _kept(".far_angles")
        return PROVIDED[name]
    if name in INTERRUPTS:
        _kept(".interrupts")
        return PROVIDED[name]
    if name == COLLECTIVE:
        provide(name, native_part.address(COLLECTIVE))
        return PROVIDED[name]
    if name == PARALLEL_FOR:
        importlib.import_module(".threads", __package__).regions()
        return PROVIDED[name]
    rest = name.split("_", 2)[-1]
    if name.startswith("pellucid_blas_"):
        found = _of_numpy(rest) or _of_scipy(rest)
    elif name.startswith("pellucid_fft_"):
        found = ufuncs.address_of(rest)
    elif name.startswith(("pellucid_sort_", "pellucid_argsort_")):
        found = sorts.address_of(name.removeprefix("pellucid_"))
    elif name.startswith("pellucid_scipy_"):
        found = _special(*rest.split("_", 1))
    else:
        return _of_the_c_library(name)
    provide(name, found)
    return found


@cache
def _kept(module: str) -> object:
    """Code that a module of ours provides, which is loaded for as long as the process lives."""
    return importlib.import_module(module, __package__).provide()


def _of_numpy(name: str) -> int:
    """A routine of the BLAS that came with NumPy and is loaded already; 0 where it is not found."""
    extension = importlib.import_module("numpy._core._multiarray_umath").__file__
    for form in BLAS_NAMES if sys.byteorder == "little" and extension is not None else ():
        routine = getattr(_library(extension), form.format(name), None)
        if routine is not None:
            return _sharing_threads(_library(extension), name, ctypes.cast(routine, ctypes.c_void_p).value or 0)
    return 0


def _of_scipy(routine: str) -> int:
    """A routine of the BLAS or the LAPACK that SciPy brings."""
    for module in ("scipy.linalg.cython_blas", "scipy.linalg.cython_lapack"):
        if routine in importlib.import_module(module).__pyx_capi__:
            library = _library(importlib.import_module(module).__file__)
            return _sharing_threads(library, routine, _capsule(module, routine))
    raise LookupError(routine)


def _sharing_threads(blas: ctypes.CDLL, name: str, address: int) -> int:
    """Where the routine is, or ours that calls it; the library has as many threads as loops."""
    threads = importlib.import_module(".blas_threads", __package__).blas_threads()
    threads.add(blas)
    return int(threads.product(blas, name, address))


def _of_the_c_library(name: str) -> int:
    for library in C_LIBRARIES:
        try:
            return ctypes.cast(getattr(_library(library), name), ctypes.c_void_p).value or 0
        except (OSError, AttributeError):
            continue
    raise LookupError(name)


def _special(letters: str, name: str) -> int:
    """The function of that name which takes operands of these letters: Cython has one under each fused type."""
    taken = [SPECIAL[letter] for letter in letters]
    result = "void" if "p" in letters else SPECIAL["z" if "z" in letters else "d"]
    wanted = f"{result} ({', '.join(taken if 'p' in letters else [*taken, 'int __pyx_skip_dispatch'])})"
    module = importlib.import_module("scipy.special.cython_special")
    for key, capsule in module.__pyx_capi__.items():
        if re.fullmatch(rf"(__pyx_fuse_\d(_\d)*)?{name}", key) and _signature(capsule) == wanted:
            return capsule_address(capsule)
    raise LookupError(f"scipy.special.cython_special has no {name} as {wanted}")


def _signature(capsule: object) -> str:
    name_of = ctypes.pythonapi.PyCapsule_GetName
    name_of.restype, name_of.argtypes = ctypes.c_char_p, [ctypes.py_object]
    return (name_of(capsule) or b"").decode()


@lru_cache(maxsize=8)
def _library(name: str | None) -> ctypes.CDLL:
    return ctypes.CDLL(name)


def _capsule(module: str, name: str) -> int:
    return capsule_address(importlib.import_module(module).__pyx_capi__[name])


def capsule_address(capsule: object) -> int:
    """The C pointer in a capsule such as those of `scipy.linalg.cython_blas.__pyx_capi__`."""
    name_of, pointer_of = ctypes.pythonapi.PyCapsule_GetName, ctypes.pythonapi.PyCapsule_GetPointer
    name_of.restype, name_of.argtypes = ctypes.c_char_p, [ctypes.py_object]
    pointer_of.restype, pointer_of.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    return int(pointer_of(capsule, name_of(capsule)))
