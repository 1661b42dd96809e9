"""Compiled functions of xarray's arrays: dimensions are aligned by their names, and the elements are NumPy's or dask's.

    f(nir, red)     ->    a DataArray with the dimensions of both, where the typed program of `f` is elementwise
    vmap(f)(x)      ->    one with the dimension that is mapped, where `f` gives numbers
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from . import blocks, mapped_blocks
from .block_calls import Given, Place, taken_apart, with_arrays
from .compiler.analysis.elementwise import NotElementwise
from .guests import LABELLED, is_lazy, labelled_classes, parts_of, refuse
from .mapped_blocks import Mapping
from .runtime.array import Array
from .runtime.parts import map_parts

if TYPE_CHECKING:
    from .function import Function

UNNAMED = "give it dimensions: `xarray.DataArray(values, dims=...)`"


def called(function: Function, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """The results as arrays of xarray.  Raises TypeMismatchError T005 where elements do not tell theirs."""
    found: list[Any] = []

    def place(leaf: Any) -> Any:
        if is_lazy(leaf):
            refuse(function, "an array of dask has no dimensions, and others of xarray have", UNNAMED)
        if not isinstance(leaf, labelled_classes()):
            return leaf
        found.append(leaf)
        return Place(len(found) - 1)

    tree = map_parts(place, (args, kwargs))
    raw = with_arrays(tree, [one.data for one in found])
    given = taken_apart(function, *raw)
    mapped = mapped_blocks.mapping(function, given)
    if mapped is not None:
        return of_examples(function, found, raw, given, mapped)
    like, arrays = aligned(found)
    return of_elements(function, like, arrays, with_arrays(tree, arrays))


def aligned(found: Sequence[Any]) -> tuple[Any, list[Any]]:
    """An array of xarray with the dimensions of all, and the elements of each, their axes in the same order."""
    arrays: list[Any] = []

    def note(*given: Any) -> Any:
        arrays.extend(given)
        return np.broadcast_to(0.0, np.broadcast_shapes(*(array.shape for array in given)))

    like = sys.modules["xarray"].apply_ufunc(note, *found, dask="allowed")
    return like, arrays


def of_elements(function: Function, like: Any, arrays: Sequence[Any], raw: Any) -> Any:
    given = taken_apart(function, *raw)
    own = [any(array is one for one in arrays) for array in given.arrays]
    try:
        made, blocked = blocks.elementwise(function, given, own)
    except NotElementwise as wrong:
        refuse(function, f"{wrong.what} is not elementwise", LABELLED, span=wrong.span)
    if blocked != own:
        refuse(function, "an array of NumPy is combined with arrays of xarray", UNNAMED)
    is_any_lazy = any(map(is_lazy, given.arrays))
    result = blocks.results(function, given, made, blocked) if is_any_lazy else function(*raw[0], **raw[1])
    return labelled(result, like)


def of_examples(function: Function, found: Sequence[Any], raw: Any, given: Given, mapped: Mapping) -> Any:
    """What a function made by `vmap` gives, which has the dimensions that are mapped."""
    dims: list[set[str]] = [set() for _ in mapped.levels]
    for array, axes in zip(given.arrays, mapped.axes):
        one = next((one for one in found if one.data is array), None)
        for names, axis in zip(dims, axes):
            if one is not None and axis is not None:
                names.add(one.dims[axis])
    order = [next(iter(names)) for names in dims if len(names) == 1]
    like = next((one for one in found if set(order) <= set(one.dims)), None)
    if len(order) != len(dims) or like is None:
        refuse(function, "the dimensions that are mapped have several names, or no array has all of them", LABELLED)
    sys.modules["xarray"].align(*(one for one in found if hasattr(one, "coords")), join="exact")
    is_any_lazy = any(map(is_lazy, given.arrays))
    result = blocks.called(function, *raw) if is_any_lazy else function(*raw[0], **raw[1])
    if any(np.ndim(leaf) != len(order) for leaf in parts_of(result)):
        refuse(function, "results have axes without a name", LABELLED)
    if any(level.out_axes != 0 for level in mapped.levels):
        refuse(function, "out_axes is not 0 for all results", LABELLED)
    rest = {name: 0 for name in like.dims if name not in order}
    first = like.isel(rest, drop=True) if hasattr(like, "coords") else like.isel(rest)
    return labelled(result, first.transpose(*order))


def labelled(result: Any, like: Any) -> Any:
    """The arrays of a result with the dimensions and the coordinates of another."""
    return map_parts(lambda leaf: like.copy(data=np.asarray(leaf) if isinstance(leaf, Array) else leaf), result)
