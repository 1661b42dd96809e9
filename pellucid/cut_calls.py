"""Calls of compiled functions with sharded arrays: results are cut as the arguments are, where that follows.

    f(x, w)    with x of P("x", None) and w of P()    ->    what f gives, of the sharding that its typed program has

Devices of a processor have one memory, so the call is one of whole arrays.  Where its results are follows from what the
compiler knows of each operator (`compiler/analysis/cut_axes.py`): an axis of a result that is an axis of an argument
is cut as that one is.  What is summed over all devices is on all of them.  What is made of more than each device has,
joined along an axis that is cut for instance, is a plain Array.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

from . import tree
from .compiler.diagnostics import CompileError, StaticArgumentError
from .compiler.frontend.specialise.functional import Partial
from .compiler.frontend.specialise.world.taking_apart import from_python
from .compiler.stages import TRANSFORMED
from .flatten import rebuild
from .runtime.array import Array
from .runtime.parts import map_parts
from .runtime.sharding import Mesh, NamedSharding, PartitionSpec
from .runtime.sharding.elementwise import told
from .runtime.sharding.sharded import PLACED, ShardedArray, are_apart, whole_of

if TYPE_CHECKING:
    from .function import Function


class Where:
    """Where one result is: the mesh axes that cut each axis; None where that is not said.  It is no container."""

    __slots__ = ("labels",)

    def __init__(self, labels: tuple[Any, ...] | None) -> None:
        self.labels = labels

    def put(self, result: Any, mesh: Mesh) -> Any:
        """The result there; a number, and what does not divide by the devices, as it is."""
        if self.labels is None or type(result) is not Array or not result.ndim:
            return result
        cut = max((k for k, label in enumerate(self.labels, 1) if label is not None), default=0)
        sharding = NamedSharding(mesh, PartitionSpec(*self.labels[:cut]))
        counts = sharding.parts(result.ndim)
        if any(length % count for length, count in zip(result.shape, counts, strict=True)):
            return result
        return ShardedArray(result._values, sharding)


def sharded_in(args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> list[ShardedArray]:
    """The arrays among arguments that are on the devices of a mesh."""
    found: list[ShardedArray] = []

    def note(leaf: Any) -> None:
        if isinstance(leaf, ShardedArray):
            found.append(leaf)

    for argument in (*args, *kwargs.values()):
        if isinstance(argument, ShardedArray):
            found.append(argument)
        elif not isinstance(argument, PLAIN):
            from_python(argument, note)
    return found


PLAIN = (Array, np.ndarray, int, float, complex, str, type(None))  # which hold no others


def called(function: Function, args: tuple[Any, ...], kwargs: dict[str, Any], cut: Sequence[ShardedArray]) -> Any:
    """The result of a call with such arrays among the arguments.

    Raises ValueError for those on different meshes, and for those on GPUs, which have no memory in common.
    """
    mesh = cut[0].sharding.mesh
    if any(map(are_apart, (one.sharding for one in cut))):
        raise ValueError(
            f"{function.__name__} takes arrays on several GPUs inside a `shard_map`, where each GPU calls it with its "
            "part; `device_get` copies them to the host"
        )
    if any(one.sharding.mesh != mesh for one in cut):
        raise ValueError(told(function.__name__, cut))
    plain, named = map_parts(whole_of, (args, kwargs))
    result = function(*plain, **named)
    places = _places(function, args, kwargs, plain, named)
    return result if places is None else tree.map(lambda place, leaf: place.put(leaf, mesh), places, result)


def _given(
    function: Function, args: tuple[Any, ...], kwargs: dict[str, Any], plain: tuple[Any, ...], named: dict[str, Any]
) -> tuple[Any, Any]:
    """The arguments taken apart, and for each leaf the labels of its axes; None where they are not known of all.

    `plain` and `named` are the arguments with whole arrays.
    """
    arrays: list[Any] = []
    bound = function._bind(args, kwargs)
    bound.apply_defaults()
    for name, argument in bound.arguments.items():
        if name not in function.__pellucid__.static:
            from_python(argument, lambda leaf: arrays.append(leaf) if _is_array(leaf) else None)
    flat = function._flatten(plain, named)
    if len(arrays) != sum(map(_is_array, flat.leaves)):  # there are some in objects that are no containers
        return flat, None
    rest = iter(arrays)
    return flat, tuple(_labels(next(rest)) if _is_array(leaf) else () for leaf in flat.leaves)


def _is_array(leaf: Any) -> bool:
    return isinstance(leaf, np.ndarray | Array) and leaf.ndim > 0


def _labels(array: Any) -> tuple[Any, ...]:
    """For each axis the names of the mesh axes that cut it, or None."""
    names = array.sharding.spec.names_by_axis if isinstance(array, ShardedArray) else ()
    return (*(own or None for own in names), *[None] * (array.ndim - len(names)))


def _places(
    function: Function, args: tuple[Any, ...], kwargs: dict[str, Any], plain: tuple[Any, ...], named: dict[str, Any]
) -> Any:
    """Where each result is, in the containers of the result; None where the result is no container that is known."""
    flat, labels = _given(function, args, kwargs, plain, named)
    if labels is None:
        return None
    code = function._compiled.get(flat.key)  # None for a function that is asked and not called
    kept: dict[Any, Any] = function._places
    if (flat.key, labels) not in kept or kept[flat.key, labels][0] is not code:
        kept[flat.key, labels] = code, _found(function, flat, labels)
    return kept[flat.key, labels][1]


def _found(function: Function, flat: Any, labels: tuple[Any, ...]) -> Any:
    from . import showing
    from .compiler.analysis.cut_axes import cut_results
    from .eval_shape import UNKNOWN, has_a

    made, program = showing.program(function.__pellucid__, TRANSFORMED, flat.arguments)
    if made.mutated or has_a((*UNKNOWN, Partial), made.result):
        return None
    main = program.main
    given = (*labels, *((None,) * _rank(main.types.get(name)) for name in main.parameters[len(labels) :]))
    return rebuild(made.result, [Where(found) for found in cut_results(program, given)])


def _rank(type_: Any) -> int:
    return len(getattr(type_, "dims", ()))


# --- functions of NumPy's that are called as they are ----------------------------------------------------------------


def placed_by(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any], result: Array) -> Any:
    """The result of a function of NumPy's, where that of the same function would be if it was compiled."""
    cut = sharded_in(args, kwargs)
    known = _of_library(function)
    if known is None or any(one.sharding.mesh != cut[0].sharding.mesh for one in cut):
        return result
    try:
        bound = known._seen.signature.bind(*args, **kwargs).arguments
    except TypeError:  # options that the language does not have
        return result
    plain, named = map_parts(whole_of, (args, kwargs))
    try:
        found = _places(known, args, kwargs, plain, named)
    except StaticArgumentError:
        static = tuple(name for name, given in bound.items() if isinstance(given, int | str | tuple | list))
        try:
            found = _places(_of_library(function, static), args, kwargs, plain, named)
        except CompileError:
            return result
    except CompileError:  # the call is outside the language
        return result
    return found.put(result, cut[0].sharding.mesh) if isinstance(found, Where) else result


@cache
def _of_library(function: Any, static: tuple[str, ...] = ()) -> Any:
    from .transformations import compile

    try:
        return compile(function, static=static)
    except CompileError:
        return None


PLACED.rule = placed_by
