"""Whether results of the program of one device have a place in the arrays of all devices.

    shard_map(f, in_specs=P("x"), out_specs=P())    ->    meant=(("x", 0, None),)    the result is the same along "x"

A mapped function means a `vmap` over each axis of its mesh.  What that refuses of results is refused here, before the
program of one device is made: what may differ along an axis that it is said to be common along, what has another length
on each device, and what is no array or number.
"""

from __future__ import annotations

from typing import Any

import gast

from ..frontend.specialise.specialised import Specialised
from ..frontend.specialise.values import Leaf, Mapping_, Out, Record, Sequence, Static, Value, leaves, parts
from ..request import Batch, OnDevice
from .batch.axes import Parameters, by_parameter, fault, map_axes
from .batch.examples import refuse_varying
from .batch.varying import varying
from .derivatives import Wanted


def differing(made: Specialised, wanted: Wanted, axis_name: str) -> list[str]:
    """The parameters of the program whose values differ along an axis of the mesh."""
    transform: OnDevice = wanted.transform
    meant = _meant(transform, axis_name)
    if meant is not None:
        return _mapped(made, wanted, meant)
    shared = {name for name, axes in transform.shared if axis_name in axes}
    return [
        leaf.name for name, value in made.arguments.items() if name not in shared
        for leaf in leaves(value) if isinstance(leaf, Leaf)
    ]  # fmt: skip


def _meant(transform: OnDevice, axis_name: str) -> Batch | None:
    """The `vmap` that an axis of the mesh stands for, if that was said."""
    for name, in_axes, out_axes in transform.meant:
        if name == axis_name:
            return Batch(in_axes, out_axes, name, is_of_devices=True)
    return None


def _mapped(made: Specialised, wanted: Wanted, meant: Batch) -> list[str]:
    found: list[str] = []
    parameters = Parameters(frozenset(made.arguments), wanted.apart.starred, frozenset(made.arguments))

    def note(leaf: Value, axis: int | None, _: str) -> Value:
        if axis is not None and isinstance(leaf, Leaf):
            found.append(leaf.name)
        return leaf

    for name, (value, axes) in by_parameter(meant, made.arguments, parameters, wanted.where).items():
        map_axes(value, axes, note, wanted.where, f"`{name}`", "in_axes")
    return found


def require_common(made: Specialised, wanted: Wanted) -> None:
    """Raise a BatchError for a result that has no place in the arrays of all devices."""
    if not wanted.transform.meant:
        return
    if made.mutated:
        fault(wanted.where, "a function that changes its arguments has no form for all devices at once", code="B003")
    _require_arrays(made.result, wanted)
    for axis_name in wanted.transform.axes:
        meant = _meant(wanted.transform, axis_name)
        if meant is not None:
            _require_common_along(made, wanted, meant)


def _require_arrays(value: Value, wanted: Wanted) -> None:
    """What may be there on one device and not on another, or longer, is told by all devices together."""
    if not isinstance(value, Out | Static | Sequence | Mapping_ | Record):
        fault(wanted.where, "a list that grows, or what may be None, is no result of many devices", code="B002")
    for _, part in parts(value):
        _require_arrays(part, wanted)


def _require_common_along(made: Specialised, wanted: Wanted, meant: Batch) -> None:
    main = made.program.main
    found = varying(main, differing(made, wanted, meant.axis_name or ""), meant.axis_name)
    names = [atom.id if isinstance(atom, gast.Name) else "" for atom in main.body[-1].value.elts]
    asked: Any = Wanted(meant, wanted.where)

    def check(leaf: Value, axis: int | None, name: str) -> Value:
        if isinstance(leaf, Out) and axis is None and names[leaf.index] in found.names:
            refuse_varying(asked, name)
        if isinstance(leaf, Out) and found.is_ragged(names[leaf.index]):
            fault(wanted.where, "the devices come to arrays of different lengths, which do not stand in one array",
                  code="B002")  # fmt: skip
        return leaf

    map_axes(made.result, meant.out_axes, check, wanted.where, "the result", "out_axes")
