"""Questions about how arrays are cut into blocks, one for each device of a mesh, that `shard_map` asks.

    cuts_of(P(("x", "y"), None), 2, mesh)          ((2, 4), ())      by what axis 0 is divided, and axis 1
    blocks_first(P(None, "x"), 2, mesh)            (1, 0, 2)         of (rows, blocks, columns): the blocks in front
    specs_of(({"w": P("x")}, P()), structure)      the spec of each leaf, from those of containers around it

A mesh is asked for the names and lengths of its axes, a spec for its entries: what they are is the runtime's business.
"""

from __future__ import annotations

import math
from typing import Any

from .schema import TypeFault
from .static import StaticFunction


def _tree(specs: Any) -> Any:
    """Specs in containers, out of the object that holds them where they come from outside."""
    return getattr(specs, "tree", specs)


def _is_spec(part: Any) -> bool:
    return hasattr(type(part), "names") and hasattr(type(part), "__pellucid_facts__")


# --- the mesh --------------------------------------------------------------------------------------------------------


@StaticFunction
def axes_of_mesh(mesh: Any, wanted: Any) -> tuple[tuple[str, int], ...]:
    """The names and lengths of its axes, or of those that are wanted; refused for what is no mesh."""
    sizes = getattr(mesh, "shape", None)
    if not hasattr(type(mesh), "__pellucid_facts__") or sizes is None:
        raise TypeFault("T001", "`mesh` is a Mesh that is made outside: `mesh = pellucid.make_mesh((2,), ('x',))`")
    unknown = next((name for name in wanted if name not in sizes), None)
    if unknown is not None:
        raise TypeFault("B001", f"axis_names has {unknown!r}, and the axes of the mesh are {_listed(sizes)}")
    return tuple((name, sizes[name]) for name in mesh.axis_names if not wanted or name in wanted)


def _listed(names: Any) -> str:
    return ", ".join(map(repr, names))


# --- specs for containers --------------------------------------------------------------------------------------------


@StaticFunction
def specs_of(specs: Any, structure: Any, axes: Any, what: str) -> tuple[Any, ...]:
    """The spec of each leaf of a container, where those of containers may be one for all that is in them.

    Where `axes` are not None, the specs name no others.
    """
    found: list[Any] = []
    _collect(_tree(specs), structure, what, found)
    names = [name for name, _ in axes or ()]
    for spec in found if axes is not None else ():
        unknown = next((name for name in spec.names if name not in names), None) if spec is not None else None
        if unknown is not None:
            raise TypeFault("B001", f"{what} has {spec!r}, and the axes of the mesh are {_listed(names)}")
    return tuple(found)


def _collect(specs: Any, structure: Any, what: str, found: list[Any]) -> None:
    if specs is None or _is_spec(specs):
        found += [specs] * structure.num_leaves
        return
    children, keys = structure.children, structure.keys
    if isinstance(specs, dict) and keys is not None and set(specs) == set(keys):
        inner = [specs[key] for key in keys]
    elif isinstance(specs, tuple | list) and len(specs) == len(children) and structure.kind is not None:
        inner = list(specs)
    else:
        raise TypeFault("B001", f"{what} is {specs!r}, which is not built like {structure}: it has a spec for each "
                        "argument or result, or one for all in a container")  # fmt: skip
    for part, child in zip(inner, children):
        _collect(part, child, what, found)


@StaticFunction
def mapped_axes(specs: tuple[Any, ...], name: str) -> tuple[int | None, ...]:
    """The axis of the blocks along one mesh axis, which is in front: 0, or None for what all devices share."""
    return tuple(_axis(spec, name) for spec in specs)


def _axis(spec: Any, name: str) -> int | None:
    return 0 if spec is not None and name in spec.names else None


@StaticFunction
def result_axes(specs: Any, name: str) -> Any:
    """The same for containers of specs."""
    specs = _tree(specs)
    if specs is None or _is_spec(specs):
        return _axis(specs, name)
    if isinstance(specs, dict):
        return {key: result_axes.ask(part, name) for key, part in specs.items()}
    return tuple(result_axes.ask(part, name) for part in specs)


@StaticFunction
def names_axis(spec: Any, name: str) -> bool:
    """Whether a spec names a mesh axis."""
    return _axis(spec, name) is not None


@StaticFunction
def shardings_of(shardings: Any, structure: Any) -> tuple[Any, ...]:
    """The spec of each leaf of a container, of shardings or specs for it."""
    found: list[Any] = []
    _collect(_specs_in(_tree(shardings)), structure, "with_sharding_constraint", found)
    return tuple(found)


def _specs_in(shardings: Any) -> Any:
    if isinstance(shardings, dict):
        return {key: _specs_in(part) for key, part in shardings.items()}
    if isinstance(shardings, tuple | list) and not _is_spec(shardings):
        return tuple(map(_specs_in, shardings))
    return getattr(shardings, "spec", shardings)


@StaticFunction
def labels_of(spec: Any, ndim: int) -> tuple[Any, ...]:
    """For each axis of an array the names of the mesh axes that cut it, or None."""
    entries = () if spec is None else spec.names_by_axis
    if len(entries) > ndim:
        raise TypeFault("B001", f"{spec!r} is for an array of {len(entries)} axes at least, and this one has {ndim}")
    return (*(entry or None for entry in entries), *[None] * (ndim - len(entries)))


# --- blocks ----------------------------------------------------------------------------------------------------------


@StaticFunction
def cuts_of(spec: Any, ndim: int, axes: Any, what: str) -> tuple[tuple[int, ...], ...]:
    """For each axis of an array the lengths of the mesh axes that cut it."""
    entries = () if spec is None else spec.names_by_axis
    if len(entries) > ndim:
        raise TypeFault("B001", f"{what} has {spec!r} for an array of {ndim} ax{'is' if ndim == 1 else 'es'}")
    sizes = dict(axes)
    return (*(tuple(sizes[name] for name in entry) for entry in entries), *[()] * (ndim - len(entries)))


@StaticFunction
def words_of(spec: Any, axis: int) -> str:
    """The mesh axes that cut an axis, for messages."""
    return _listed(spec.names_by_axis[axis])


@StaticFunction
def product(sizes: tuple[int, ...]) -> int:
    return math.prod(sizes)


def _positions(spec: Any, ndim: int, axes: Any) -> tuple[list[int], list[int]]:
    """Of an array whose cut axes are apart: where its blocks are, in the order of the mesh, and where the rest is."""
    entries = (*(() if spec is None else spec.names_by_axis), *[()] * ndim)[:ndim]
    blocks: dict[str, int] = {}
    rest: list[int] = []
    for entry in entries:
        for name in entry:
            blocks[name] = len(blocks) + len(rest)
        rest.append(len(blocks) + len(rest))
    return [blocks[name] for name, _ in axes if name in blocks], rest


@StaticFunction
def blocks_first(spec: Any, ndim: int, axes: Any) -> tuple[int, ...]:
    """The transposition that brings the blocks to the front."""
    blocks, rest = _positions(spec, ndim, axes)
    return (*blocks, *rest)


@StaticFunction
def blocks_back(spec: Any, ndim: int, axes: Any) -> tuple[int, ...]:
    """The transposition that brings them back, each before the axis that it cuts."""
    blocks, rest = _positions(spec, ndim, axes)
    order = [*blocks, *rest]
    return tuple(order.index(k) for k in range(len(order)))


@StaticFunction
def count_of(spec: Any) -> int:
    """How many axes of blocks there are."""
    return 0 if spec is None else len(spec.names)
