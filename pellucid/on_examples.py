"""Calls of `pmap` on all devices at once: each device has one example.

    f(a)    ->    device k runs f(a[k]), and has the place k of the result
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from . import tree
from .launching import (
    NUMBERS,
    Joining,
    Launcher,
    OfDevice,
    Unfit,
    columns_of,
    common,
    lengths_in,
    made_by,
    numbers_of,
    program_on,
    readable,
    rows,
    stated,
    team_of,
)
from .on_devices import Run, of_device
from .runtime.array import Array
from .runtime.devices import Device
from .runtime.mpi import Team
from .runtime.sharding import Mesh, PartitionSpec
from .runtime.sharding.cuts import Cut, cut_by
from .runtime.sharding.sharded import ShardedArray
from .transformations import plain_axes

UNNAMED = "the axis without a name"


class OnExamples:
    """Calls of `pmap`: each device has one example."""

    def __init__(
        self, function: Callable[..., Any], axis_name: str | None, mesh_name: str, in_axes: Any, out_axes: Any,
        devices: tuple[Device, ...], static: tuple[int, ...] = (),
    ) -> None:  # fmt: skip
        self.static = static
        self.function, self.axis_name, self.mesh_name = function, axis_name or UNNAMED, mesh_name
        self.in_axes, self.out_axes, self.devices = in_axes, out_axes, devices
        self.launchers: dict[int, Launcher] = {}
        self.latest: Launcher | None = None

    def again(self, args: tuple[Any, ...]) -> tuple[Any] | None:
        """The result of a call like one that was seen; None for others."""
        return None if self.latest is None else self.latest.again(args)

    def call(self, count: int, args: tuple[Any, ...]) -> tuple[Any] | None:
        """The result for so many examples; None where the call runs as what it means."""
        numbers = numbers_of(self.devices[:count])
        if numbers is None:
            return None
        mesh = self.mesh(count)
        team = team_of(self.devices[:count])
        try:
            blocks = self.blocks(args, mesh, numbers)
            launcher = self._launcher(count, numbers, team)
            run = launcher.start(blocks)
            return None if run is None else (self._joined(run, launcher, args, mesh),)
        except Unfit:
            return None

    def mesh(self, count: int) -> Mesh:
        """The devices of so many examples."""
        return Mesh(np.array(self.devices[:count], dtype=object), (self.mesh_name,))

    def _meant(self) -> tuple[tuple[str, Any, Any]]:
        return ((self.axis_name, plain_axes(self.in_axes), plain_axes(self.out_axes)),)

    def of_device(self, count: int, args: tuple[Any, ...]) -> OfDevice:
        """The program of one device, for values or types written as text.  Raises Unfit where they do not fit."""
        mesh, first = self.mesh(count or len(self.devices)), []
        for k, (arg, axes) in enumerate(zip(args, self._axes_of(args), strict=True)):
            given, structure = tree.flatten(arg)
            along = [None] * len(given) if k in self.static else axes_of(structure, axes)
            leaves = [self._first(stated(leaf), axis, mesh) for leaf, axis in zip(given, along, strict=True)]
            first.append(structure.unflatten(leaves))
        library = program_on(self.devices).library
        made = of_device(self.function, {self.axis_name: mesh.size}, meant=self._meant(), library=library)
        return OfDevice(made, mesh, tuple(first))

    def _first(self, leaf: Any, axis: int | None, mesh: Mesh) -> Any:
        """The example of the first device."""
        if axis is None:
            return leaf
        if not isinstance(leaf, str):
            return self._cut(leaf, axis, mesh, range(len(seats_of(mesh))))[0]
        apart = lengths_in(leaf)
        if apart is None or not -len(apart[1]) <= axis < len(apart[1]):
            raise Unfit
        word, lengths = apart
        del lengths[axis]
        return f"{word}[{', '.join(lengths)}]" if lengths else word

    def _launcher(self, count: int, numbers: tuple[int, ...], team: Team | None) -> Launcher:
        found = self.launchers.get(count)
        if found is None:
            program = program_on(self.devices[:count])(
                self.function, {self.axis_name: count}, devices=numbers, meant=self._meant(), team=team
            )
            found = self.launchers[count] = Launcher(program)
        return found

    def blocks(self, args: tuple[Any, ...], mesh: Mesh, numbers: Sequence[int]) -> list[Any]:
        """The arguments of each device."""
        columns = [
            [arg] * len(numbers) if k in self.static else self._argument(arg, axis, mesh, numbers)
            for k, (arg, axis) in enumerate(zip(args, self._axes_of(args), strict=True))
        ]
        return [tuple(column[k] for column in columns) for k in range(len(numbers))]

    def _axes_of(self, args: tuple[Any, ...]) -> list[Any]:
        """The axes of each argument."""
        axes = list(self.in_axes) if isinstance(self.in_axes, tuple | list) else [self.in_axes] * len(args)
        if len(axes) != len(args):
            raise Unfit
        return axes

    def _argument(self, arg: Any, axes: Any, mesh: Mesh, numbers: Sequence[int]) -> list[Any]:
        """One argument for each device."""
        given, structure = tree.flatten(arg)
        along = axes_of(structure, axes)
        columns = [self._cut(leaf, axis, mesh, numbers) for leaf, axis in zip(given, along, strict=True)]
        return rows(structure, columns, len(numbers))

    def _cut(self, leaf: Any, axis: int | None, mesh: Mesh, numbers: Sequence[int]) -> list[Any]:
        if axis is not None and isinstance(leaf, ShardedArray) and leaf.parts is not None:
            found = made_by(leaf, self._by(mesh, axis, leaf.ndim))
            if found is not None:
                return found
        whole = readable(leaf)
        if axis is None:
            is_array = isinstance(whole, Array)
            return [whole._on(number) if is_array else whole for number in numbers]
        if not isinstance(whole, Array) or not -whole.ndim <= axis < whole.ndim:
            raise Unfit
        place = axis % whole.ndim
        if whole.shape[place] != mesh.size:
            raise Unfit
        all_examples: Any = np.moveaxis(whole._values, place, 0)
        examples = [all_examples[seat] for seat in seats_of(mesh)]
        is_array = whole.ndim > 1
        return [Array(one)._on(number) if is_array else one for one, number in zip(examples, numbers, strict=True)]

    def _by(self, mesh: Mesh, axis: int | None, ndim: int) -> Cut:
        """The cut of arrays with so many axes, one of which has the examples."""
        if axis is None:
            return cut_by(mesh, PartitionSpec())
        place = axis % max(ndim, 1)
        return cut_by(mesh, PartitionSpec(*[None] * place, self.mesh_name), place)

    def _joined(self, run: Run, launcher: Launcher, args: tuple[Any, ...], mesh: Mesh) -> Any:
        """The results of all devices, each with an axis for them."""
        columns, structure = columns_of(run.results)
        along = axes_of(structure, self.out_axes)
        joinings = [self._joining(run, column, axis, mesh) for column, axis in zip(columns, along, strict=True)]
        is_array = [isinstance(column[0], Array) or axis is None for column, axis in zip(columns, along, strict=True)]
        if all(is_array):
            self.latest = launcher
            launcher.remember(run, self._cuts(args, mesh), joinings)
        found = [
            self._stacked(column, axis, mesh) if one is None else one(column, run.launch)
            for column, axis, one in zip(columns, along, joinings, strict=True)
        ]
        return structure.unflatten(found)

    def _cuts(self, args: tuple[Any, ...], mesh: Mesh) -> list[Cut | None]:
        """For each argument how its arrays are cut."""
        found: list[Cut | None] = []
        for k, (arg, axes) in enumerate(zip(args, self._axes_of(args), strict=True)):
            leaves, structure = tree.flatten(arg)
            along = [None] * len(leaves) if k in self.static else axes_of(structure, axes)
            own = [self._by(mesh, axis, np.ndim(leaf)) for leaf, axis in zip(leaves, along, strict=True)]
            found.append(common(own or [self._by(mesh, None, 0)]))
        return found

    def _joining(self, run: Run, column: list[Any], axis: int | None, mesh: Mesh) -> Joining | None:
        """What makes an array of a result; None where the devices have none."""
        if not isinstance(column[0], Array):
            return None
        if axis is None:
            return Joining(self._by(mesh, None, 0), run.native, team=run.team)
        ndim = column[0].ndim + 1
        if not -ndim <= axis < ndim:
            raise Unfit
        return Joining(self._by(mesh, axis, ndim), run.native, team=run.team)

    def _stacked(self, column: list[Any], axis: int | None, mesh: Mesh) -> Any:
        """An array of what is a known value on each device; as it is where all have it."""
        if axis is None:
            return column[0]
        if not isinstance(column[0], NUMBERS) or axis not in (-1, 0):
            raise Unfit
        cut = self._by(mesh, axis, 1)
        if len(column) < mesh.size:  # others are of other processes
            return Joining(cut, None)([Array(np.array(one)) for one in column], None)
        return ShardedArray(np.array(column), cut.sharding)


def seats_of(mesh: Mesh) -> list[int]:
    """The places of the devices of this process."""
    return [place for place, device in enumerate(mesh.devices.flat) if device.is_here()]


def axes_of(structure: Any, axes: Any) -> list[int | None]:
    """The axis of each leaf of a container.  Raises Unfit where axes are not built like it."""
    if axes is None or isinstance(axes, int) and not isinstance(axes, bool):
        return [axes] * structure.num_leaves
    children, keys = structure.children, structure.keys
    if isinstance(axes, dict) and keys is not None and set(axes) == set(keys):
        inner = [axes[key] for key in keys]
    elif isinstance(axes, tuple | list) and structure.kind is not None and len(axes) == len(children):
        inner = list(axes)
    else:
        raise Unfit
    return [axis for child, part in zip(children, inner, strict=True) for axis in axes_of(child, part)]
