"""What belongs to a library, by its dotted name: its version tells all about it.

    library_name(np.sin)   ->   "numpy.sin"          library_name(a function of the user's)   ->   None
"""

from __future__ import annotations

import functools
import os
import sys
import types
from typing import Any

import numpy as np

LIBRARIES = frozenset({"numpy", "scipy", "pellucid"})


def library_name(value: Any) -> str | None:
    """The dotted name of what a library defines, which its version tells all about; None for everything else."""
    if isinstance(value, types.ModuleType):
        return value.__name__ if is_library(value.__name__) else None
    if isinstance(value, np.ufunc):
        of_scipy = getattr(sys.modules.get("scipy.special"), value.__name__, None) is value
        return f"{'scipy.special' if of_scipy else 'numpy'}.{value.__name__}"
    module, owner = getattr(value, "__module__", None), getattr(value, "__self__", None)
    if module is None and isinstance(owner, types.ModuleType):
        module = owner.__name__
    name = getattr(value, "__qualname__", None) or getattr(value, "__name__", None)
    if not isinstance(module, str) or not isinstance(name, str) or not is_library(module):
        return None
    if isinstance(value, types.FunctionType | type) and not _is_found(value, module, name):
        return None  # one that was made inside another, or that goes by a library's name (`functools.wraps`)
    return f"{module}.{name}"


def _is_found(value: Any, module: str, name: str) -> bool:
    found: Any = sys.modules.get(module)
    for part in name.split("."):
        found = getattr(found, part, None)
    return found is value


def is_library(module: str) -> bool:
    """Whether a module belongs to NumPy, SciPy, Pellucid or Python itself, and is not the user's of that name."""
    root = module.partition(".")[0]
    return root in LIBRARIES or (root in sys.stdlib_module_names and _is_of_python(root))


def _is_of_python(module: str) -> bool:
    """A module of the user's may have stood under the same name before, or stand there later."""
    return _comes_with_python(getattr(sys.modules.get(module), "__file__", None))


@functools.lru_cache(maxsize=256)
def _comes_with_python(file: str | None) -> bool:
    return file is None or file.startswith(os.path.dirname(os.__file__) + os.sep)
