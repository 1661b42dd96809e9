"""Functions made by `vmap`, of dask arrays: blocks along the axes that are mapped, and all of the others in each block.

    vmap(norm)(x)                          ->    apply_gufunc("(k)->()"), x in blocks along axis 0
    vmap(vmap(f, in_axes=(None, 0)))(x, y) ->    apply_gufunc("(),()->()"), results in blocks along both axes

That examples do not see each other is what `vmap` promises, so nothing is asked of the program.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from .block_calls import Axes, BlockCall, Given, graph, require_arrays, result_types, template_of
from .compiler import driver, types
from .compiler.diagnostics import Span
from .compiler.frontend.specialise.values import Out, Typed, Value, leaves, map_leaves
from .compiler.request import Batch
from .compiler.stages import TRANSFORMED
from .compiler.transform.batch.axes import map_axes
from .eval_shape import with_known_lengths
from .flatten import rebuild
from .guests import refuse

if TYPE_CHECKING:
    from .compiler.frontend.specialise.specialised import Specialised
    from .function import Function


@dataclass(frozen=True, slots=True)
class Mapping:
    """Which axes are mapped.

    levels     the transformations, the outermost first
    axes       of each array the axis that each level maps, or None
    in_pieces  (array, axis) where an axis has several chunks that is not mapped, or that a collective crosses
    """

    levels: tuple[Batch, ...]
    axes: list[list[int | None]]
    in_pieces: list[tuple[int, int]]


def mapping(function: Function, given: Given) -> Mapping | None:
    """What the outermost transformations map; None where the last one is no `vmap`, or maps no array."""
    request = function.__pellucid__
    if not request.transforms or not isinstance(request.transforms[-1], Batch):
        return None
    flat, places = given.flattened(function)
    arguments = {name: map_leaves(value, with_own_symbols) for name, value in flat.arguments.items()}
    behind = driver.levels(request, arguments)
    levels: list[Batch] = []
    axes: list[list[int | None]] = [[] for _ in given.arrays]
    for transform, before, after in zip(request.transforms[::-1], behind[::-1], behind[-2::-1]):
        if not isinstance(transform, Batch):
            break
        left = axes_left(before, places), axes_left(after, places)
        taken = [next(iter(set(had) - set(has)), None) for had, has in zip(*left)]
        if all(axis is None for axis in taken):
            break
        levels.append(transform)
        for own, axis in zip(axes, taken):
            own.append(axis)
    return Mapping(tuple(levels), axes, pieces(given, levels, axes)) if levels else None


def with_own_symbols(part: Value, _: tuple[object, ...]) -> Value:
    """A type whose lengths are called by their axes, so that one tells which of them are left."""
    if not isinstance(part, Typed) or not isinstance(part.type, types.Array):
        return part
    return Typed(replace(part.type, dims=tuple(types.symbol(str(k)) for k in range(part.type.ndim))))


def axes_left(arguments: Any, places: Sequence[int]) -> list[list[int]]:
    """The axes that the arrays still have at a level."""
    found = [leaf.type for value in arguments.values() for leaf in leaves(value) if isinstance(leaf, Typed)]
    own = [found[place] for place in places]
    return [[int(str(dim)) for dim in one.dims] if isinstance(one, types.Array) else [] for one in own]


def pieces(given: Given, levels: Sequence[Batch], axes: list[list[int | None]]) -> list[tuple[int, int]]:
    crossed = [transform.axis_name is not None for transform in levels]
    found: list[tuple[int, int]] = []
    for number, (array, own) in enumerate(zip(given.arrays, axes)):
        free = [axis for axis, is_crossed in zip(own, crossed) if not is_crossed]
        counts = getattr(array, "numblocks", (1,) * array.ndim)
        found += [(number, axis) for axis in range(array.ndim) if counts[axis] > 1 and axis not in free]
    return found


def refuse_pieces(function: Function, mapped: Mapping) -> None:
    number, axis = mapped.in_pieces[0]
    told = f"axis {axis} of array {number + 1} among the arguments is in several chunks, where each example needs all"
    refuse(function, told, f"make it one chunk: `x.rechunk({{{axis}: -1}})`")


def called(function: Function, given: Given, mapped: Mapping) -> Any:
    """The results as dask arrays, in blocks along the axes that `out_axes` says."""
    from . import showing

    for array in given.arrays:
        if np.isnan(array.shape).any():
            refuse(function, "an array has lengths that dask does not know", "`x.compute_chunk_sizes()` finds them")
    flat, _ = given.flattened(function)
    made, _ = showing.program(function.__pellucid__, TRANSFORMED, with_known_lengths(flat))
    require_arrays(function, made)
    outs = axes_of_results(function, made, mapped.levels)
    dims = [type_.dims if isinstance(type_, types.Array) else () for type_ in result_types(made)]
    made_core = core_names("result", map(len, dims), outs)
    given_core = core_names("array", (array.ndim for array in given.arrays), mapped.axes)
    lengths = {name: known_length(function, of_one[axis]) for names, of_one in zip(made_core, dims)
               for name, axis in names.items()}  # fmt: skip
    before = tuple(back_in_place(array.ndim, own) for array, own in zip(given.arrays, mapped.axes))
    after = tuple(Axes((), order_of(len(of_one), own)) for of_one, own in zip(dims, outs))
    call = BlockCall(function, given.tree, template_of(made), before, after)
    arrays = [in_front(array, own) for array, own in zip(given.arrays, mapped.axes)]
    found = graph(call, made, arrays, list(map(list, given_core)), list(map(list, made_core)), lengths)
    return rebuild(made.result, [array.transpose(inverse(axes.order)) for array, axes in zip(found, after)])


def core_names(
    kind: str, ranks: Iterable[int], mapped: Sequence[Sequence[int | None]]
) -> list[dict[str, int]]:
    """Names for the axes of each array that are not mapped, and which axes they are."""
    return [{f"{kind}{k}_{axis}": axis for axis in range(rank) if axis not in own}
            for k, (rank, own) in enumerate(zip(ranks, mapped))]  # fmt: skip


def known_length(function: Function, length: types.Extent) -> int:
    if not isinstance(length, int):
        refuse(function, "the length of a result depends on values, or on an array from outside",
               "pass that array as an argument")  # fmt: skip
    return length


def axes_of_results(function: Function, made: Specialised, levels: Sequence[Batch]) -> list[list[int]]:
    """Of each result the axis of each level."""
    where = Span(function.__pellucid__.python.__code__.co_filename, 0, 0, 0, 0)
    left = [list(range(types.rank(type_))) for type_ in result_types(made)]
    found: list[list[int]] = [[] for _ in left]
    for level in levels:

        def note(leaf: Value, axis: Any, name: str) -> Value:
            if isinstance(leaf, Out):
                if axis is None:
                    refuse(function, f"out_axes says None of {name}", "say which axis it gets")
                found[leaf.index].append(left[leaf.index].pop(axis))
            return leaf

        map_axes(made.result, level.out_axes, note, where, "the result", "out_axes")
    return found


# --- orders of axes --------------------------------------------------------------------------------------------------


def order_of(rank: int, own: Sequence[int | None]) -> tuple[int, ...]:
    """The axes that are mapped, then the others."""
    first = [axis for axis in own if axis is not None]
    return (*first, *(axis for axis in range(rank) if axis not in first))


def inverse(order: Sequence[int]) -> tuple[int, ...]:
    return tuple(order.index(axis) for axis in range(len(order)))


def missing(own: Sequence[int | None]) -> tuple[int, ...]:
    """The levels after the first one that maps an array which do not map it: there it gets an axis of length 1."""
    first = next((k for k, axis in enumerate(own) if axis is not None), len(own))
    return tuple(k - first for k in range(first, len(own)) if own[k] is None)


def in_front(array: Any, own: Sequence[int | None]) -> Any:
    """The array with an axis for each level in front, those left out that would come before all."""
    array = array.transpose(order_of(array.ndim, own))
    for place in missing(own):
        array = array[(*[slice(None)] * place, None)]
    return array


def back_in_place(rank: int, own: Sequence[int | None]) -> Axes:
    """What undoes `in_front`."""
    return Axes(missing(own), inverse(order_of(rank, own)))
