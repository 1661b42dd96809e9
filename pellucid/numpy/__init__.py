"""NumPy's functions as functions that give `Array`s, and the library of the compiler.

    import pellucid.numpy as pnp

    pnp.linspace(0.0, 1.0, 3)       Array([0. , 0.5, 1. ])
    pnp.linalg.solve(a, b)          an Array

In compiled code `pnp.sin` is `np.sin`.  The namespace has what NumPy has of functions, dtypes and constants, and so all
that the array API standard asks for: `x.__array_namespace__()` is this module.  The modules of this folder are the
functions that compiled code means by those names, written in the language itself.
"""

from __future__ import annotations

import importlib as _importlib
import sys as _sys
from typing import Any as _Any

import numpy as _np

from ..runtime import namespace as _namespace
from ..runtime.array import Array as _Array

_MODULES = ("fft", "linalg")
# Of NumPy's names those that are no functions of arrays of numbers, or write into their arguments.
_LEFT_OUT = frozenset("""
    asmatrix bmat broadcast busday_count busday_offset busdaycalendar bytes_ char character chararray clongdouble copyto
    core ctypeslib datetime64 datetime_as_string datetime_data dtypes emath exceptions f2py fill_diagonal flatiter
    flexible frombuffer get_include getbufsize info is_busday isnat lib little_endian longdouble ma matrix memmap nditer
    nested_iters object_ place poly1d polynomial put put_along_axis putmask random rec recarray record sctypeDict
    setbufsize show_config show_runtime str_ strings test testing timedelta64 typecodes typename typing ufunc void
""".split())  # fmt: skip
_OF_MODULE = frozenset(("__array_api_version__", "__array_namespace_info__"))
_NAMES = frozenset({name for name in _np.__all__ if not name.startswith("_")} - _LEFT_OUT)

_namespace.use(_sys.modules[__name__], _Array)


def __getattr__(name: str) -> _Any:
    """A function, dtype or constant of NumPy's, when it is asked for."""
    if name == "__all__":
        return __dir__()
    if name not in _NAMES and name not in _OF_MODULE:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found = globals()[name] = _found(name)
    return found


def _found(name: str) -> _Any:
    if name in _MODULES:
        return _importlib.import_module(f".{name}", __name__)
    return _Array if name == "ndarray" else _namespace.of_array(getattr(_np, name), "numpy")


def __dir__() -> list[str]:
    return sorted(_NAMES)
