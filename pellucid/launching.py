"""Calls of `shard_map` and `pmap` on all devices of a mesh at once: each device runs the program of one.

    shard_map(f, mesh=mesh, in_specs=P("x"), out_specs=P("x"))(a)
        ->      every device: f(its block of a), a view; the result is an Array whose parts are what they make

Arguments are cut into blocks as views; an array of NumPy's, which its owner may change, is copied once before.  What
one device has made is its argument of the next call, if that cuts alike.

A call that cannot go this way gets no answer here, and runs as what it means (`numpy/sharded.py`), which also says what
is wrong with it: there is one device, the devices are not the processor's, specs do not fit, or the compiler refuses
the program of one device.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from . import tree
from .compiler.diagnostics import CompileError
from .compiler.ops.schema import TypeFault
from .numpy import sharded as meaning
from .on_devices import DeviceProgram, Run
from .runtime import asynchronous
from .runtime.array import Array
from .runtime.devices import Device
from .runtime.sharding import Mesh, NamedSharding, PartitionSpec
from .runtime.sharding.parts import Parts
from .runtime.sharding.sharded import ShardedArray
from .runtime.values import KINDS
from .transformations import plain_axes

NUMBERS = (bool, int, float, complex, np.bool_, np.number)
ask = meaning.ask


class Unfit(Exception):
    """A call or its result has no such form."""


def numbers_of(devices: Sequence[Device]) -> tuple[int, ...] | None:
    """The numbers of several devices of the processor, whose queues can be used; None for others."""
    if len(devices) < 2 or any(device.platform != "cpu" for device in devices):
        return None
    return None if asynchronous.prepare() is None else tuple(device.number for device in devices)


@dataclass(slots=True)
class Launcher:
    """Runs a program on all devices, and knows for which types of arguments there is none."""

    program: DeviceProgram
    refused: set[Any] = field(default_factory=set)

    def start(self, blocks: Sequence[Sequence[Any]]) -> Run | None:
        """A run with the arguments of each device; None where the compiler refuses the program."""
        if self.refused and self._key(blocks) in self.refused:
            return None
        try:
            run = self.program.start(blocks)
        except CompileError:
            self.refused.add(self._key(blocks))
            return None
        native = asynchronous.prepare()
        if native is None or not native.is_asynchronous() or not _has_array(run.results[0]):
            run.wait()
        return run

    def _key(self, blocks: Sequence[Sequence[Any]]) -> Any:
        return self.program.function._flatten((self.program.tables[0], *blocks[0]), {}).key


def _has_array(result: Any) -> bool:
    return any(isinstance(leaf, Array) for leaf in tree.leaves(result))


def rows(structure: Any, columns: Sequence[Sequence[Any]], count: int) -> list[Any]:
    """The container that each of so many devices gets, of the blocks of each leaf."""
    return [structure.unflatten([column[k] for column in columns]) for k in range(count)]


def readable(leaf: Any) -> Any:
    """An Array that nobody changes of an array; a number as it is.  Raises Unfit for anything else."""
    if isinstance(leaf, ShardedArray):
        leaf = leaf.whole
    if isinstance(leaf, Array):
        return leaf._plain if leaf._is_number else leaf
    if type(leaf) is np.ndarray and leaf.dtype.kind in KINDS:
        return Array(np.array(leaf))
    if isinstance(leaf, NUMBERS):
        return leaf
    raise Unfit


def made_by(leaf: Any, sharding: NamedSharding, stacked: int | None) -> list[Any] | None:
    """What the devices have of an array that a call has cut so; None where they have nothing yet."""
    parts = leaf.parts if isinstance(leaf, ShardedArray) else None
    if parts is None or parts.stacked != stacked or leaf.sharding != sharding or leaf._is_number:
        return None
    parts.wait()  # in a queue only what was there before is done before: a program waits for the one that it needs
    return None if stacked is not None and np.ndim(parts.blocks[0]) == 0 else parts.blocks


def columns_of(results: Sequence[Any]) -> tuple[list[list[Any]], Any]:
    """For each leaf of the results what each device has made of it, and the container."""
    structure = tree.structure(results[0])
    return [list(column) for column in zip(*map(tree.leaves, results), strict=True)], structure


def finishing(run: Run, column: list[Any]) -> Callable[[], Any]:
    """Waits for one result of all devices: the others of a run are not held for that."""
    return functools.partial(Run.wait, run.of(column))


# --- shard_map -------------------------------------------------------------------------------------------------------


class OnBlocks:
    """Calls of `shard_map`: arguments and results are cut by specs."""

    def __init__(
        self, function: Callable[..., Any], mesh: Mesh, in_specs: Any, out_specs: Any, check_vma: bool
    ) -> None:  # fmt: skip
        self.function, self.mesh, self.in_specs, self.out_specs = function, mesh, in_specs, out_specs
        self.check_vma = check_vma
        self.axes = tuple(mesh.shape.items())
        self.launcher: Launcher | None = None

    def call(self, _: None, args: tuple[Any, ...]) -> tuple[Any] | None:
        """The result; None where the call runs as what it means."""
        numbers = numbers_of(list(self.mesh.devices.flat))
        if numbers is None:
            return None
        try:
            blocks = self.blocks(args, numbers)
            if self.launcher is None:
                self.launcher = Launcher(DeviceProgram(
                    self.function, self.mesh.shape, devices=numbers, meant=tuple(map(self._meant, self.mesh.axis_names))
                ))  # fmt: skip
            run = self.launcher.start(blocks)
            return None if run is None else (self.joined(run),)
        except (Unfit, TypeFault):
            return None

    def _meant(self, name: str) -> tuple[str, Any, Any]:
        out = ask.result_axes.ask(self.out_specs, name) if self.check_vma else 0
        return name, plain_axes(ask.result_axes.ask(self.in_specs, name)), plain_axes(out)

    def blocks(self, args: tuple[Any, ...], numbers: Sequence[int]) -> list[Any]:
        """The arguments of each device."""
        given, structure = tree.flatten(args)
        specs: Any = ask.specs_of.ask(self.in_specs, structure, self.axes, "in_specs")
        columns = [self._cut(leaf, spec, numbers) for leaf, spec in zip(given, specs, strict=True)]
        return rows(structure, columns, len(numbers))

    def _cut(self, leaf: Any, spec: PartitionSpec | None, numbers: Sequence[int]) -> list[Any]:
        sharding = NamedSharding(self.mesh, spec or PartitionSpec())
        found = made_by(leaf, sharding, None)
        if found is not None:
            return found
        whole = readable(leaf)
        if not isinstance(whole, Array):
            if ask.count_of(spec) or len(spec or ()):
                raise Unfit
            return [whole] * len(numbers)
        cuts: Any = ask.cuts_of.ask(spec, whole.ndim, self.axes, "in_specs")
        if any(length % math.prod(sizes) for length, sizes in zip(whole.shape, cuts, strict=True)):
            raise Unfit
        places: list[Any] = [(*index, ...) for index in sharding.devices_indices_map(whole.shape).values()]
        return [Array(whole._values[place])._on(number) for place, number in zip(places, numbers, strict=True)]

    def joined(self, run: Run) -> Any:
        """The results of all devices, as those of one function."""
        columns, structure = columns_of(run.results)
        specs: Any = ask.specs_of.ask(self.out_specs, structure, self.axes, "out_specs")
        return structure.unflatten([self._one(run, column, spec) for column, spec in zip(columns, specs, strict=True)])

    def _one(self, run: Run, column: list[Any], spec: PartitionSpec | None) -> Any:
        if not isinstance(column[0], Array):
            if ask.count_of(spec):
                raise Unfit
            return column[0]
        ask.cuts_of.ask(spec, column[0].ndim, self.axes, "out_specs")
        sharding = NamedSharding(self.mesh, spec or PartitionSpec())
        blocks = column if self.check_vma else self._of_first(column, sharding.spec)
        return ShardedArray.of_parts(Parts(blocks, finishing(run, column)), sharding)

    def _of_first(self, column: list[Any], spec: PartitionSpec) -> list[Any]:
        """For each device what the first one has along the axes of the mesh that are not named."""
        numbers = np.arange(len(column)).reshape(self.mesh.axis_sizes)
        for axis, name in enumerate(self.mesh.axis_names):
            if name not in spec.names:
                numbers = np.repeat(numbers.take([0], axis), self.mesh.axis_sizes[axis], axis)
        return [column[k] if k == place else column[k]._on(column[place]._device)
                for place, k in enumerate(map(int, numbers.flat))]  # fmt: skip


# --- pmap ------------------------------------------------------------------------------------------------------------

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

    def call(self, count: int, args: tuple[Any, ...]) -> tuple[Any] | None:
        """The result for so many examples; None where the call runs as what it means."""
        numbers = numbers_of(self.devices[:count])
        if numbers is None:
            return None
        mesh = self.mesh(count)
        try:
            blocks = self.blocks(args, mesh, numbers)
            run = self._launcher(count, numbers).start(blocks)
            return None if run is None else (self.joined(run, mesh),)
        except Unfit:
            return None

    def mesh(self, count: int) -> Mesh:
        """The devices of so many examples."""
        return Mesh(np.array(self.devices[:count], dtype=object), (self.mesh_name,))

    def _launcher(self, count: int, numbers: tuple[int, ...]) -> Launcher:
        found = self.launchers.get(count)
        if found is None:
            meant = (self.axis_name, plain_axes(self.in_axes), plain_axes(self.out_axes))
            program = DeviceProgram(self.function, {self.axis_name: count}, devices=numbers, meant=(meant,))
            found = self.launchers[count] = Launcher(program)
        return found

    def blocks(self, args: tuple[Any, ...], mesh: Mesh, numbers: Sequence[int]) -> list[Any]:
        """The arguments of each device."""
        axes = list(self.in_axes) if isinstance(self.in_axes, tuple | list) else [self.in_axes] * len(args)
        if len(axes) != len(args):
            raise Unfit
        columns = [
            [arg] * len(numbers) if k in self.static else self._argument(arg, axis, mesh, numbers)
            for k, (arg, axis) in enumerate(zip(args, axes, strict=True))
        ]
        return [tuple(column[k] for column in columns) for k in range(len(numbers))]

    def _argument(self, arg: Any, axes: Any, mesh: Mesh, numbers: Sequence[int]) -> list[Any]:
        """One argument for each device."""
        given, structure = tree.flatten(arg)
        along = axes_of(structure, axes)
        columns = [self._cut(leaf, axis, mesh, numbers) for leaf, axis in zip(given, along, strict=True)]
        return rows(structure, columns, len(numbers))

    def _cut(self, leaf: Any, axis: int | None, mesh: Mesh, numbers: Sequence[int]) -> list[Any]:
        if axis is not None and isinstance(leaf, ShardedArray) and leaf.parts is not None:
            found = made_by(leaf, self._sharding(mesh, axis, leaf.ndim), axis % max(leaf.ndim, 1))
            if found is not None:
                return found
        whole = readable(leaf)
        if axis is None:
            is_array = isinstance(whole, Array)
            return [whole._on(number) if is_array else whole for number in numbers]
        if not isinstance(whole, Array) or not -whole.ndim <= axis < whole.ndim:
            raise Unfit
        place = axis % whole.ndim
        if whole.shape[place] != len(numbers):
            raise Unfit
        examples: Any = np.moveaxis(whole._values, place, 0)
        is_array = whole.ndim > 1
        return [Array(one)._on(number) if is_array else one for one, number in zip(examples, numbers, strict=True)]

    def _sharding(self, mesh: Mesh, axis: int, ndim: int) -> NamedSharding:
        return NamedSharding(mesh, PartitionSpec(*[None] * (axis % max(ndim, 1)), self.mesh_name))

    def joined(self, run: Run, mesh: Mesh) -> Any:
        """The results of all devices, each with an axis for them."""
        columns, structure = columns_of(run.results)
        along = axes_of(structure, self.out_axes)
        found = [self._one(run, column, axis, mesh) for column, axis in zip(columns, along, strict=True)]
        return structure.unflatten(found)

    def _one(self, run: Run, column: list[Any], axis: int | None, mesh: Mesh) -> Any:
        first = column[0]
        if axis is None:
            if not isinstance(first, Array):
                return first
            return ShardedArray.of_parts(Parts(column, finishing(run, column)), NamedSharding(mesh, PartitionSpec()))
        if not isinstance(first, (Array, *NUMBERS)):
            raise Unfit
        ndim = np.ndim(first) + 1
        if not -ndim <= axis < ndim:
            raise Unfit
        sharding = self._sharding(mesh, axis, ndim)
        if not isinstance(first, Array):
            return ShardedArray(np.array(column), sharding)
        return ShardedArray.of_parts(Parts(column, finishing(run, column), axis % ndim), sharding)


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
