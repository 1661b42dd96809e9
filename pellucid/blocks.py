"""Compiled functions of dask arrays, where each element of the results depends on one element of each array.

    f(x, y, 2.0)    ->    apply_gufunc(f, "(),()->()", x, y), if the typed program of `f` is elementwise in x and y

The dtypes of results are those of the typed program, so no block is computed to find them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from . import mapped_blocks
from .block_calls import (
    BlockCall,
    Given,
    Place,
    graph,
    lengths_of,
    require_arrays,
    result_types,
    taken_apart,
    template_of,
    with_arrays,
)
from .compiler import types
from .compiler.analysis.elementwise import NotElementwise, blocked_results
from .compiler.stages import TRANSFORMED
from .flatten import rebuild
from .guests import CORE, DASK, EDGES, is_lazy, refuse

if TYPE_CHECKING:
    from .compiler.frontend.specialise.specialised import Specialised
    from .function import Function


def called(function: Function, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """The results as dask arrays.  Raises TypeMismatchError T005 where a block does not tell what it becomes."""
    given = taken_apart(function, args, kwargs)
    mapped = mapped_blocks.mapping(function, given)
    if mapped is not None and not mapped.in_pieces:
        return mapped_blocks.called(function, given, mapped)
    try:
        made, blocked = elementwise(function, given, [is_lazy(array) for array in given.arrays])
    except NotElementwise as found:
        if mapped is not None:
            mapped_blocks.refuse_pieces(function, mapped)
        refuse(function, f"{found.what} is not elementwise", DASK, CORE, EDGES, span=found.span)
    return results(function, given, made, blocked)


def elementwise(function: Function, given: Given, own: Sequence[bool]) -> tuple[Specialised, list[bool]]:
    """The program, and which arrays come in blocks: `own`, and those of NumPy that are combined with them.

    Raises NotElementwise.
    """
    from . import showing

    flat, places = given.flattened(function)
    made, program = showing.program(function.__pellucid__, TRANSFORMED, flat.arguments)
    require_arrays(function, made)
    names = [program.main.parameters[place] for place in places]
    blocked = [is_one and array.ndim > 0 for array, is_one in zip(given.arrays, own)]
    while True:
        try:
            found = blocked_results(program, [name for name, is_one in zip(names, blocked) if is_one])
            break
        except NotElementwise as wrong:
            if wrong.parameter not in names:
                raise
            blocked[names.index(wrong.parameter)] = True
    shape = broadcast([a for a, is_one in zip(given.arrays, blocked) if is_one])
    for k, (type_, is_one) in enumerate(zip(program.main.results, found)):
        if not has_shape(type_, shape) or not is_one and shape:
            what = f"result {k + 1}, whose shape is not that which the arguments broadcast to,"
            raise NotElementwise(what, None)
    return made, blocked


def broadcast(arrays: Sequence[Any]) -> tuple[int, ...]:
    """The shape that arrays broadcast to, as NumPy says it, which raises ValueError where they do not."""
    return np.broadcast_shapes(*map(lengths_of, arrays))


def has_shape(type_: types.Type, shape: tuple[int, ...]) -> bool:
    """Whether values have this shape, of which the type says where lengths are 1."""
    dims = type_.dims if isinstance(type_, types.Array) else ()
    return len(dims) == len(shape) and all((have == 1) == (want == 1) for have, want in zip(dims, shape))


def results(function: Function, given: Given, made: Specialised, blocked: Sequence[bool]) -> Any:
    """The result with arrays of dask; arrays that do not come in blocks are a part of the call."""
    arrays: list[Any] = []
    rest: list[Any] = []
    for array, is_one in zip(given.arrays, blocked):
        is_passed = is_one or is_lazy(array)
        rest.append(Place(len(arrays)) if is_passed else array)
        arrays += [array] if is_passed else []
    tree = with_arrays(given.tree, rest)
    outs = len(result_types(made))
    call = BlockCall(function, tree, template_of(made), (None,) * len(arrays), (None,) * outs)
    return rebuild(made.result, graph(call, made, arrays, [()] * len(arrays), [()] * outs, {}))
