"""Arrays of dask and xarray as arguments: compiled functions answer them lazily, block by block, or say what does.

    f(dask_array)     ->    a dask array, each of whose blocks is what `f` makes of a block (`blocks.py`)
    f(data_array)     ->    a DataArray with the same dimensions, over NumPy's elements or dask's blocks

Neither is imported here: who passes their arrays has done it.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NoReturn

from .compiler.diagnostics import Diagnostic, Span, TypeMismatchError
from .flatten import Flattened
from .runtime.parts import map_parts

if TYPE_CHECKING:
    from .function import Function

DASK = "`dask.array.map_blocks(f, x, dtype=...)` calls it for each block as it is"
CORE = '`dask.array.apply_gufunc(f, "(k)->()", x)` names the axes that it needs whole'
EDGES = "`dask.array.map_overlap(f, x, depth=...)` gives each block the edges of its neighbours"
LABELLED = '`xarray.apply_ufunc(f, x, input_core_dims=[["time"]], dask="parallelized")` names what it needs whole'
OF_DATASET = "pass its variables, `f(dataset.a, dataset.b)`, or map it over them: `dataset.map(f)`"


def flattened(function: Function, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Flattened | None:
    """The arguments taken apart; None where there are arrays of dask or xarray among them."""
    try:
        return function._flatten(args, dict(kwargs))
    except TypeMismatchError:
        if not any(map(is_guest, parts_of((args, dict(kwargs))))):
            raise
    return None


def called(function: Function, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Any:
    """What a function gives for arguments with arrays of dask or xarray among them.

    Raises TypeMismatchError T005 where no block by itself tells what belongs in its place.
    """
    from . import blocks, labels

    given = parts_of((args, dict(kwargs)))
    if any(isinstance(value, of_module("xarray", "Dataset")) for value in given):
        refuse(function, "an argument is a Dataset of xarray", OF_DATASET)
    is_labelled = any(isinstance(value, labelled_classes()) for value in given)
    return (labels if is_labelled else blocks).called(function, args, dict(kwargs))


def is_guest(value: Any) -> bool:
    return isinstance(value, (*of_module("dask.array", "Array"), *labelled_classes(), *of_module("xarray", "Dataset")))


def is_lazy(value: Any) -> bool:
    return isinstance(value, of_module("dask.array", "Array"))


def labelled_classes() -> tuple[type, ...]:
    return (*of_module("xarray", "DataArray"), *of_module("xarray", "Variable"))


def of_module(module: str, name: str) -> tuple[type, ...]:
    """The class, where the module is imported; no value can be of it elsewhere."""
    found = getattr(sys.modules.get(module), name, None)
    return (found,) if isinstance(found, type) else ()


def parts_of(tree: Any) -> list[Any]:
    """The numbers, arrays and whatever else is no container, in order."""
    found: list[Any] = []
    map_parts(found.append, tree)
    return found


def refuse(function: Function, why: str, *help_: str, span: Span | None = None) -> NoReturn:
    code = function.__pellucid__.python.__code__
    where = span or Span(code.co_filename, code.co_firstlineno, 0, code.co_firstlineno, 0)
    message = f"{why}, and `{function.__name__}` was called with an array of dask or xarray"
    raise TypeMismatchError(Diagnostic("T005", message, where, "here" if span else "defined here", help=help_))
