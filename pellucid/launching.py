"""Calls of `shard_map` and `pmap` on all devices of a mesh at once: each device runs the program of one.

    shard_map(f, mesh=mesh, in_specs=P("x"), out_specs=P("x"))(a)
        ->      every device: f(its block of a), a view; the result is an Array whose parts are what they make

Arguments are cut into blocks as views; an array of NumPy's, which its owner may change, is copied once before.  What
one device has made is its argument of the next call, if that cuts alike.  Calls like one that went this way go through
native code from then on, in which devices read their blocks of the whole arguments (`native/blocks.c`).

A call that cannot go this way gets no answer here, and runs as what it means (`numpy/sharded.py`), which also says what
is wrong with it: there is one device, the devices are not the processor's, specs do not fit, or the compiler refuses
the program of one device.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from . import tree
from .compiler.diagnostics import CompileError
from .numpy import sharded as meaning
from .on_devices import DeviceProgram, Run, wait_for_column
from .runtime import asynchronous, mpi
from .runtime.array import Array
from .runtime.devices import Device, by_number, is_on_gpu
from .runtime.mpi import Team
from .runtime.sharding import Mesh
from .runtime.sharding.cuts import Cut
from .runtime.sharding.parts import Parts
from .runtime.sharding.sharded import ShardedArray
from .runtime.values import KINDS
from .shapes import ShapeDtypeStruct

MOST_CODES = 256  # that are remembered for one function
NUMBERS = (bool, int, float, complex, np.bool_, np.number)
ask = meaning.ask


class Unfit(Exception):
    """A call or its result has no such form."""


def are_gpus(devices: Iterable[Device]) -> bool:
    """Whether they are GPUs.  Raises ValueError where some are and some are not."""
    kinds = {device.platform for device in devices}
    if len(kinds) > 1:
        raise ValueError(f"the devices of a mesh are of one kind, not {' and '.join(sorted(kinds))}")
    return kinds == {"cuda"}


def numbers_of(devices: Sequence[Device]) -> tuple[int, ...] | None:
    """The numbers of several devices of the processor, whose queues can be used, or of GPUs; None for others.

    Of devices of several processes these are the ones of this process.  Raises ValueError where there are none.
    """
    own = [device for device in devices if device.is_here()]
    if not own:
        raise ValueError("no device of this process is in the mesh: `pellucid.local_devices()` has those that it has")
    if are_gpus(devices):
        return tuple(device.number for device in own)
    if len(devices) < 2:
        return None
    return None if asynchronous.prepare() is None else tuple(device.number for device in own)


def program_on(devices: Iterable[Device]) -> type[DeviceProgram]:
    """What runs a program on all of some devices."""
    if not are_gpus(devices):
        return DeviceProgram
    from .on_gpus import GpuProgram  # which looks for the driver

    return GpuProgram


def team_of(devices: Sequence[Device]) -> Team | None:
    """The processes of the devices of a mesh; None where all are of this one."""
    if all(device.is_here() for device in devices):
        return None
    found = mpi.world()
    if found is None:
        raise RuntimeError("devices of other processes are not there any more, after `pellucid.distributed.shutdown()`")
    return found.team(tuple(device.process_index for device in devices))


@dataclass(frozen=True, slots=True)
class Joining:
    """Makes an array of a result, given what each device has of it and the launch.

    cut    how it is cut
    order  whose array each device gets; None where it is its own
    team   the processes of the mesh, where not all devices are of this one
    """

    cut: Cut
    native: Any
    order: tuple[int, ...] | None = None
    team: Team | None = None

    def __call__(self, column: list[Array], launch: Any, whole: Array | None = None) -> ShardedArray:
        """`whole` is the buffer in which the devices write their parts; None where each has memory of its own."""
        blocks = column
        if self.order is not None:
            blocks = [_beside(own, column[k]) for k, own in zip(self.order, column, strict=True)]
        return ShardedArray.of_parts(Parts(blocks, self._finish(column, launch), self.cut, whole))

    def _finish(self, column: list[Array], launch: Any) -> Any:
        if self.native is None:
            return _nothing
        return functools.partial(wait_for_column, self.native, launch, column, self.team)


def _beside(own: Array, other: Array) -> Any:
    """An array where another one is: a copy on a GPU."""
    number = own._device
    return by_number(number).put(other) if number >= 0 and is_on_gpu(number) else other._on(number)


def _nothing() -> None:
    """What has ended is waited for."""


@dataclass(frozen=True, slots=True)
class Remembered:
    """Calls like those that were seen, which native code makes of whole arguments.

    cuts     for each argument how every array in it is cut
    makers   for each code that all devices run what makes the arrays of its result, and how these are cut
    """

    program: DeviceProgram
    cuts: tuple[Cut, ...]
    words: tuple[tuple[Cut, Any], ...]
    makers: dict[Any, tuple[tuple[Joining, Any], ...]] = field(default_factory=dict)

    def call(self, args: tuple[Any, ...]) -> tuple[Any] | None:
        """The result; None where no call like it was seen."""
        native, program = asynchronous.prepare(), self.program
        if native is None or len(args) != len(self.cuts):
            return None
        try:
            result = native.launch_whole(
                program.function, program.sizes, program.tables, args, self.words, self.makers
            )
        except native.NotReady:
            return None
        if not native.is_asynchronous():
            for leaf in tree.leaves(result):
                if isinstance(leaf, Array):
                    leaf._wait()
        return (result,)


@dataclass(slots=True)
class Launcher:
    """Runs a program on all devices, and knows for which types of arguments there is none."""

    program: DeviceProgram
    refused: set[Any] = field(default_factory=set)
    remembered: Remembered | None = None

    def again(self, args: tuple[Any, ...]) -> tuple[Any] | None:
        """The result of a call like one that was seen; None for others."""
        return None if self.remembered is None else self.remembered.call(args)

    def remember(self, run: Run, cuts: Sequence[Cut | None], joinings: Sequence[Joining | None]) -> None:
        """Let calls like this one go through native code, where all arrays of an argument are cut alike.

        cuts      for each argument how its arrays are cut; None where they are cut in several ways
        joinings  for each leaf of the result what makes an array of it; None where it is no array
        """
        if run.columns is None or not self.program.takes_its_own or self.program.team is not None or None in cuts:
            return
        arrays = [(id(leaf), one) for leaf, one in zip(tree.leaves(run.results[0]), joinings, strict=True) if one]
        found = dict(arrays)
        makers = [(one, one.cut.words) for column in run.columns if (one := found.get(id(column[0])))]
        if not makers or len(makers) < len(run.columns) or len(found) < len(arrays):
            return
        known: Any = tuple(cuts)
        if self.remembered is None or self.remembered.cuts != known or len(self.remembered.makers) >= MOST_CODES:
            self.remembered = Remembered(self.program, known, tuple((cut, cut.words) for cut in known))
        self.remembered.makers[run.code] = tuple(makers)

    def start(self, blocks: Sequence[Sequence[Any]]) -> Run | None:
        """A run with the arguments of each device; None where the compiler refuses the program."""
        if self.refused and self._key(blocks) in self.refused:
            return None
        try:
            run = self.program.start(blocks)
        except CompileError:
            if self.program.team is not None or self.program.library:  # nothing runs in the place of GPUs
                raise  # no process has the arguments of all
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


def made_by(leaf: Any, cut: Cut) -> list[Any] | None:
    """What the devices have of an array that a call has cut so; None where they have nothing yet."""
    parts = leaf.parts if isinstance(leaf, ShardedArray) else None
    if parts is None or parts.cut is not cut or leaf._is_number:
        return None
    if not parts.far:  # on GPUs errors go on with the parts, and nothing waits
        parts.wait()  # of several errors it raises the one that counts
    return None if cut.stacked is not None and np.ndim(parts.blocks[0]) == 0 else parts.blocks


def common(cuts: Sequence[Cut | None]) -> Cut | None:
    """The cut of all arrays in an argument; None where there are several."""
    return cuts[0] if len({*map(id, cuts)}) == 1 else None


def columns_of(results: Sequence[Any]) -> tuple[list[list[Any]], Any]:
    """For each leaf of the results what each device has made of it, and the container."""
    structure = tree.structure(results[0])
    return [list(column) for column in zip(*map(tree.leaves, results), strict=True)], structure


@dataclass(frozen=True, slots=True)
class OfDevice:
    """The program of one device, to look at: what it is made of, where it runs, and what it is called with."""

    function: Any
    mesh: Mesh
    arguments: tuple[Any, ...]

    def head(self) -> str:
        """What to say first."""
        names = ", ".join(map(str, self.mesh.devices.flat))
        return (
            f"This runs on {self.mesh.size} devices at once, {names}:\n"
            f"`devices` has the number of each along every axis of {self.mesh}, and how many there are."
        )

    def source(self, stage: str) -> str:
        """Its text at a stage."""
        comment = "".join(f"# {line}\n" for line in self.head().split("\n"))
        return comment + str(self.function.source(stage, *self._given()))

    def explain(self) -> str:
        """What was decided for it."""
        return f"{self.head()}\n\n{self.function.explain(*self._given())}"

    def _given(self) -> tuple[Any, ...]:
        return (f"i64[{2 * self.mesh.ndim}]", *self.arguments)


def stated(leaf: Any) -> Any:
    """An array in place of one whose shape and dtype alone are known."""
    return np.empty(leaf.shape, leaf.dtype) if isinstance(leaf, ShapeDtypeStruct) and leaf.shape else leaf


def lengths_in(text: str) -> tuple[str, list[str]] | None:
    """The dtype and the lengths of a type that is written as text; None for a number."""
    word, bracket, lengths = text.strip().partition("[")
    return (word, [one.strip() for one in lengths.rstrip("]").split(",")]) if bracket and lengths != "]" else None
