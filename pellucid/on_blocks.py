"""Calls of `shard_map` on all devices at once: arguments and results are cut by specs.

    P("x") of 2 devices:    f(a)    ->    device k runs f(its half of a), and has its half of the result
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from . import tree
from .compiler.ops.schema import TypeFault
from .launching import (
    Joining,
    Launcher,
    OfDevice,
    Unfit,
    ask,
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
from .runtime.sharding import Mesh, PartitionSpec
from .runtime.sharding.cuts import Cut, cut_by
from .transformations import plain_axes


class OnBlocks:
    """Calls of `shard_map`: arguments and results are cut by specs."""

    def __init__(
        self, function: Callable[..., Any], mesh: Mesh, in_specs: Any, out_specs: Any, check_vma: bool
    ) -> None:  # fmt: skip
        self.function, self.mesh, self.in_specs, self.out_specs = function, mesh, in_specs, out_specs
        self.check_vma = check_vma
        self.axes = tuple(mesh.shape.items())
        self.launcher: Launcher | None = None

    def again(self, args: tuple[Any, ...]) -> tuple[Any] | None:
        """The result of a call like one that was seen; None for others."""
        return None if self.launcher is None else self.launcher.again(args)

    def call(self, _: None, args: tuple[Any, ...]) -> tuple[Any] | None:
        """The result; None where the call runs as what it means."""
        devices = list(self.mesh.devices.flat)
        numbers = numbers_of(devices)
        if numbers is None:
            return None
        try:
            blocks = self.blocks(args, numbers)
            if self.launcher is None:
                meant = tuple(map(self._meant, self.mesh.axis_names))
                program = program_on(devices)(
                    self.function, self.mesh.shape, devices=numbers, meant=meant, is_typed=self.check_vma,
                    team=team_of(devices),
                )  # fmt: skip
                self.launcher = Launcher(program)
            run = self.launcher.start(blocks)
            return None if run is None else (self.joined(run, args),)
        except (Unfit, TypeFault):
            return None

    def _meant(self, name: str) -> tuple[str, Any, Any]:
        out = ask.result_axes.ask(self.out_specs, name) if self.check_vma else 0
        return name, plain_axes(ask.result_axes.ask(self.in_specs, name)), plain_axes(out)

    def of_device(self, _: None, args: tuple[Any, ...]) -> OfDevice:
        """The program of one device, for values or types written as text.  Raises Unfit where they do not fit."""
        given, structure = tree.flatten(args)
        specs: Any = ask.specs_of.ask(self.in_specs, structure, self.axes, "in_specs")
        first = [self._first(stated(leaf), spec) for leaf, spec in zip(given, specs, strict=True)]
        meant = tuple(map(self._meant, self.mesh.axis_names))
        library = program_on(self.mesh.devices.flat).library
        made = of_device(self.function, self.mesh.shape, meant=meant, is_typed=self.check_vma, library=library)
        return OfDevice(made, self.mesh, tuple(structure.unflatten(first)))

    def _first(self, leaf: Any, spec: PartitionSpec | None) -> Any:
        """The block of the first device."""
        if not isinstance(leaf, str):
            return self._cut(leaf, spec, range(sum(device.is_here() for device in self.mesh.devices.flat)))[0]
        apart = lengths_in(leaf)
        if apart is None:
            return leaf
        word, lengths = apart
        cuts: Any = ask.cuts_of.ask(spec, len(lengths), self.axes, "in_specs")
        own = [str(int(n) // math.prod(cut)) if n.isdigit() else n for n, cut in zip(lengths, cuts, strict=True)]
        return f"{word}[{', '.join(own)}]"

    def blocks(self, args: tuple[Any, ...], numbers: Sequence[int]) -> list[Any]:
        """The arguments of each device."""
        given, structure = tree.flatten(args)
        specs: Any = ask.specs_of.ask(self.in_specs, structure, self.axes, "in_specs")
        columns = [self._cut(leaf, spec, numbers) for leaf, spec in zip(given, specs, strict=True)]
        return rows(structure, columns, len(numbers))

    def _cut(self, leaf: Any, spec: PartitionSpec | None, numbers: Sequence[int]) -> list[Any]:
        cut = self._by(spec)
        found = made_by(leaf, cut)
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
        indices = cut.sharding.addressable_devices_indices_map(whole.shape).values()
        places: list[Any] = [(*index, ...) for index in indices]
        return [Array(whole._values[place])._on(number) for place, number in zip(places, numbers, strict=True)]

    def _by(self, spec: PartitionSpec | None) -> Cut:
        return cut_by(self.mesh, spec or PartitionSpec())

    def joined(self, run: Run, args: tuple[Any, ...]) -> Any:
        """The results of all devices, as those of one function."""
        columns, structure = columns_of(run.results)
        specs: Any = ask.specs_of.ask(self.out_specs, structure, self.axes, "out_specs")
        joinings = [self._joining(run, column, spec) for column, spec in zip(columns, specs, strict=True)]
        assert self.launcher is not None
        self.launcher.remember(run, self._cuts(args), joinings)
        return structure.unflatten([
            column[0] if one is None else one(column, run.launch)
            for column, one in zip(columns, joinings, strict=True)
        ])

    def _cuts(self, args: tuple[Any, ...]) -> list[Cut | None]:
        """For each argument how its arrays are cut."""
        structure = tree.structure(args)
        found: Any = ask.specs_of.ask(self.in_specs, structure, self.axes, "in_specs")
        specs = iter(found)
        return [common([self._by(next(specs)) for _ in range(one.num_leaves)] or [self._by(None)])
                for one in structure.children]  # fmt: skip

    def _joining(self, run: Run, column: list[Any], spec: PartitionSpec | None) -> Joining | None:
        """What makes an array of a result; None where it is none."""
        if not isinstance(column[0], Array):
            if ask.count_of(spec):
                raise Unfit
            return None
        ask.cuts_of.ask(spec, column[0].ndim, self.axes, "out_specs")
        cut = self._by(spec)
        is_own = self.check_vma or run.team is not None  # the first device may be of another process
        return Joining(cut, run.native, None if is_own else self._of_first(cut.sharding.spec), run.team)

    def _of_first(self, spec: PartitionSpec) -> tuple[int, ...]:
        """For each device whose array it gets: that of the first one along the axes of the mesh that are not named."""
        numbers = np.arange(self.mesh.size).reshape(self.mesh.axis_sizes)
        for axis, name in enumerate(self.mesh.axis_names):
            if name not in spec.names:
                numbers = np.repeat(numbers.take([0], axis), self.mesh.axis_sizes[axis], axis)
        return tuple(map(int, numbers.flat))
