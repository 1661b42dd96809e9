"""Calls of compiled functions with sharded arrays: results are cut as the arguments are, where that follows.

    f(x, w)    with x of P("x", None) and w of P()    ->    what f gives, of the sharding that its typed program has

Devices of a processor have one memory, so the call is one of whole arrays.  Where its results are follows from what the
compiler knows of each operator (`compiler/analysis/cut_axes.py`): an axis of a result that is an axis of an argument
is cut as that one is.  What is summed over all devices is on all of them.  What is made of more than each device has,
joined along an axis that is cut for instance, is a plain Array.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from . import tree
from .compiler.frontend.specialise.functional import Partial
from .compiler.stages import TRANSFORMED
from .flatten import rebuild
from .runtime.array import Array
from .runtime.parts import map_parts
from .runtime.sharding import Mesh, NamedSharding, PartitionSpec
from .runtime.sharding.elementwise import told
from .runtime.sharding.sharded import ShardedArray, whole_of

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
            map_parts(note, argument)
    return found


PLAIN = (Array, int, float, complex, str, type(None))


def called(function: Function, args: tuple[Any, ...], kwargs: dict[str, Any], cut: Sequence[ShardedArray]) -> Any:
    """The result of a call with such arrays among the arguments.  Raises ValueError for those on different meshes."""
    mesh = cut[0].sharding.mesh
    if any(one.sharding.mesh != mesh for one in cut):
        raise ValueError(told(function.__name__, cut))
    given: list[Any] = []
    bound = function._bind(args, kwargs)
    bound.apply_defaults()
    for name, argument in bound.arguments.items():
        if name not in function.__pellucid__.static:
            map_parts(lambda leaf: given.append(leaf) if _is_array(leaf) else None, argument)
    args, kwargs = map_parts(whole_of, (args, kwargs))
    flat = function._flatten(args, kwargs)
    result = function(*args, **kwargs)
    if len(given) != sum(map(_is_array, flat.leaves)):  # there are some in objects that are no containers
        return result
    arrays = iter(given)
    labels = tuple(_labels(next(arrays)) if _is_array(leaf) else () for leaf in flat.leaves)
    places = _places(function, flat, labels)
    return result if places is None else tree.map(lambda place, leaf: place.put(leaf, mesh), places, result)


def _is_array(leaf: Any) -> bool:
    return isinstance(leaf, np.ndarray | Array) and leaf.ndim > 0


def _labels(array: Any) -> tuple[Any, ...]:
    """For each axis the names of the mesh axes that cut it, or None."""
    names = array.sharding.spec.names_by_axis if isinstance(array, ShardedArray) else ()
    return (*(own or None for own in names), *[None] * (array.ndim - len(names)))


def _places(function: Function, flat: Any, labels: tuple[Any, ...]) -> Any:
    """Where each result is, in the containers of the result; None where the result is no container that is known."""
    code = function._compiled.get(flat.key)
    kept: dict[Any, Any] = function._places
    if kept.get((flat.key, labels), (None,))[0] is not code:
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
