"""What a program of many devices would cost on other numbers of them: bytes and seconds, for 2 to 10 000.

    mesh = imagined_mesh((1000,), ("i",))
    step = shard_map(f, mesh=mesh, in_specs=P("i"), out_specs=P("i"))
    print(simulate(step, ShapeDtypeStruct((1_000_000,), float), network=Network(2e-6, 10e9)))

The program of one device, as `source("device", ...)` prints it, runs in CPython, and each collective is noted with the
line of the user's that it stems from.  So loops count as often as they run.  Few devices all run, in turns; of many one
does, and all others are taken to put down what it does.  What a collective costs is in `network.py`.  How long a device
computes is measured: machine code runs its program once more, alone.
"""

from __future__ import annotations

import copy
import linecache
import sys
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from math import prod
from pathlib import Path
from typing import Any

import numpy as np

from . import showing, tree
from .compiler import types
from .compiler.diagnostics import Span
from .compiler.dtypes import DTYPE_OF_NUMPY, NUMPY_DTYPE
from .compiler.ops import turns
from .compiler.targets.python.definition import user_line
from .measured_network import network_of_this_machine
from .network import Network, bytes_sent, fastest
from .on_blocks import OnBlocks
from .runtime import asynchronous
from .runtime.array import Array
from .runtime.asynchronous import synchronous
from .runtime.devices import Device, devices
from .runtime.guards import Guards
from .runtime.sharding import Mesh
from .shapes import ShapeDtypeStruct

FEW = 16  # devices that all run
NAMES = {
    "sum": "psum", "max": "pmax", "min": "pmin", "gather": "all_gather", "scatter": "psum_scatter",
    "exchange": "all_to_all", "permute": "ppermute",
}  # fmt: skip


def imagined_mesh(sizes: Sequence[int], names: Sequence[str]) -> Mesh:
    """A mesh of any number of devices, which need not be there: for `simulate`, not for calls."""
    first = devices("cpu")[0]
    grid = np.empty(prod(sizes), dtype=object)
    grid[:] = [Device(first._offers, k, first.process_index, k) for k in range(len(grid))]
    return Mesh(grid.reshape(tuple(sizes)), tuple(names))


@dataclass(frozen=True, slots=True)
class Met:
    """A collective of one device, and how often it came to it: what it does, the axis, its bytes, the user's line."""

    kind: str
    along: int
    own: int
    place: Span | None


@dataclass(frozen=True, slots=True)
class Collective:
    """The meetings of the devices along an axis at one line of the user's, with so many bytes each.

    name     as `lax` calls it
    axis     the name of the axis of the mesh, with `devices` along it
    calls    how often they meet
    own      bytes that each device puts down, each time
    sent     bytes that each device sends, in all: by the first algorithm for the collective in `network.py`
    seconds  of all calls, by the fastest `algorithm`; None without a network
    """

    name: str
    axis: str
    devices: int
    calls: int
    own: int
    sent: float
    seconds: float | None
    algorithm: str
    place: Span | None


@dataclass(frozen=True)
class Simulation:
    """What a program costs each device of a mesh.

    shape        the lengths of the axes of the mesh
    collectives  in the order of the program
    compute      seconds between collectives; None where it was not asked
    is_exact     whether all devices ran; otherwise one did, and what loops do was taken from its values alone
    """

    shape: dict[str, int]
    collectives: tuple[Collective, ...]
    compute: float | None
    network: Network | None
    is_exact: bool

    @property
    def devices(self) -> int:
        """How many there are."""
        return prod(self.shape.values())

    @cached_property
    def sent(self) -> float:
        """Bytes that each device sends."""
        return sum(one.sent for one in self.collectives)

    @cached_property
    def communication(self) -> float:
        """Seconds in collectives."""
        return sum(one.seconds or 0.0 for one in self.collectives)

    @property
    def seconds(self) -> float:
        """The time of a run: nothing is computed while something is sent."""
        return (self.compute or 0.0) + self.communication

    def __str__(self) -> str:
        axes = ", ".join(f"{size} along '{name}'" for name, size in self.shape.items())
        lines = [f"{self.devices} devices, {axes}: each sends {_bytes(self.sent)}"]
        if self.network is not None:
            lines[0] += f" in {_seconds(self.communication)}"
        if self.compute is not None:
            lines[0] += f", and computes for {_seconds(self.compute)}"
        if not self.is_exact:
            lines.append("one device ran, and all others were taken to put down what it did")
        return "\n".join([*lines, *map(_line, self.collectives)]) + "\n"


def _line(one: Collective) -> str:
    times = "once" if one.calls == 1 else f"{one.calls} times"
    cost = "" if one.seconds is None else f", {_seconds(one.seconds)} by {one.algorithm}"
    text = "" if one.place is None else linecache.getline(one.place.file, one.place.line).strip()
    where = "" if one.place is None else f"  {Path(one.place.file).name}:{one.place.line}    {text}\n"
    return f"{where}    {one.name} along '{one.axis}' {times} of {_bytes(one.own)}: sends {_bytes(one.sent)}{cost}"


def _bytes(count: float) -> str:
    for unit, scale in (("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if count >= scale:
            return f"{count / scale:.3g} {unit}"
    return f"{count:.0f} bytes"


def _seconds(seconds: float) -> str:
    for unit, scale in (("s", 1.0), ("ms", 1e-3), ("us", 1e-6)):
        if seconds >= scale:
            return f"{seconds / scale:.3g} {unit}"
    return f"{seconds / 1e-9:.3g} ns"


# --- the run ---------------------------------------------------------------------------------------------------------


def simulate(
    function: Any, *args: Any, mesh: Mesh | None = None, network: Network | None = None,
    compute: float | bool = True, together: bool | None = None,
) -> Simulation:  # fmt: skip
    """What a call of a `shard_map` or `pmap` costs each device.

    args      arrays; or types (`ShapeDtypeStruct`, "f64[8, 3]"), whose elements are drawn, the same for each device
    mesh      the devices, for a `shard_map` whose specs fit it, in place of its own; see `imagined_mesh`
    network   latency and bandwidth; None: those between two devices of this processor
    compute   seconds that a device computes; True: they are measured, False: they are left out
    together  whether all devices run, in turns; None: where they are few and the arguments are arrays

    Raises TypeError for other functions, and ValueError where a call has no program of one device.
    """
    network = network_of_this_machine() if network is None else network
    return _simulated(function, args, mesh, network, compute, together)


def counted(function: Any, args: Sequence[Any], mesh: Mesh | None) -> Simulation:
    """The collectives and their bytes alone."""
    return _simulated(function, args, mesh, None, False, None)


def _simulated(
    function: Any, args: Sequence[Any], mesh: Mesh | None, network: Network | None, compute: float | bool,
    together: bool | None,
) -> Simulation:  # fmt: skip
    function = _on(function, mesh)
    found = function._of_device(tuple(map(_typed, args)), {})
    if found is None:
        raise ValueError("such calls have no program of one device; `f.source('typed', ...)` tells what is wrong")
    sizes = found.mesh.axis_sizes
    are_arrays = not any(isinstance(leaf, str | ShapeDtypeStruct) for arg in args for leaf in tree.leaves(arg))
    together = are_arrays and found.mesh.size <= FEW if together is None else together
    blocks = _blocks(function, found, args) if together else [_drawn(found.arguments)]
    met = _met(found.function, sizes, blocks)
    seconds = measured(found.function, sizes, blocks[len(blocks) // 2]) if compute is True else compute
    told = tuple(_costing(one, calls, found.mesh, network) for one, calls in met.items())
    return Simulation(dict(found.mesh.shape), told, None if seconds is False else float(seconds), network, together)


def _on(function: Any, mesh: Mesh | None) -> Any:
    """The function on another mesh."""
    if not hasattr(function, "_of_device") or function._apart is None:
        raise TypeError("simulate takes what `shard_map` or `pmap` gives")
    if mesh is None:
        return function
    if not isinstance(function._apart, OnBlocks) or mesh.axis_names != function._apart.mesh.axis_names:
        raise ValueError("`mesh=` is for a `shard_map`, and has the names of the axes of its mesh")
    own, apart = copy.copy(function), function._apart
    own._apart = OnBlocks(apart.function, mesh, apart.in_specs, apart.out_specs, apart.check_vma)
    return own


def _typed(arg: Any) -> Any:
    """An argument in which shapes and dtypes that are given are types in text."""
    return tree.map(lambda leaf: _type_text(leaf) if isinstance(leaf, ShapeDtypeStruct) else leaf, arg)


def _type_text(struct: ShapeDtypeStruct) -> str:
    word = DTYPE_OF_NUMPY[struct.dtype.newbyteorder("=")]
    return str(types.Array(word, struct.shape) if struct.shape else types.Scalar(word, struct.weak_type))


def _drawn(arguments: Sequence[Any]) -> tuple[Any, ...]:
    """Arrays in place of types: floats between 0 and 1, ones of other dtypes.  Raises ValueError for open lengths."""
    rng = np.random.default_rng(0)

    def value(leaf: Any) -> Any:
        if not isinstance(leaf, str):
            return np.asarray(leaf) if isinstance(leaf, Array) else leaf
        type_: Any = types.parse(leaf)
        shape, dtype = getattr(type_, "dims", ()), NUMPY_DTYPE[type_.dtype]
        if not all(isinstance(length, int) for length in shape):
            raise ValueError(f"`{leaf}` has lengths that are not known: the bytes of a run depend on them")
        made = np.asarray(rng.random(shape) if dtype.kind in "fc" else np.ones(shape), dtype)
        return made if shape else made[()].item() if type_.weak else made[()]

    return tuple(tree.map(value, arg) for arg in arguments)


def _blocks(function: Any, found: Any, args: Sequence[Any]) -> list[Sequence[Any]]:
    """The arguments of each device."""
    mesh = found.mesh
    if isinstance(function._apart, OnBlocks):
        rows = function._apart.blocks(tuple(args), range(mesh.size))
    else:
        rows = function._apart.blocks(tuple(args), mesh, range(mesh.size))
    return [_drawn(row) for row in rows]


def table_of(sizes: Sequence[int], device: int) -> np.ndarray:
    """What a device knows of its place in a mesh."""
    return np.stack([np.unravel_index(device, sizes), sizes], axis=1).ravel().astype(np.int64)


def middle_of(sizes: Sequence[int]) -> int:
    """A device that has neighbours on all sides, where any has."""
    return int(np.ravel_multi_index([size // 2 for size in sizes], tuple(sizes)))


def _met(function: Any, sizes: Sequence[int], blocks: Sequence[Sequence[Any]]) -> Counter[Met]:
    """The collectives of the device in the middle."""
    middle = middle_of(sizes)
    met: Counter[Met] = Counter()

    def watch(device: int, kind: str, along: int, value: np.ndarray) -> None:
        if device == middle:
            met[Met(kind, along, value.nbytes, _users_line())] += 1

    if len(blocks) == 1:
        python, leaves = _in_python(function, table_of(sizes, middle), blocks[0])
        turns.Alone(sizes, middle, watch).run(python, leaves)
        return met
    made = [_in_python(function, table_of(sizes, k), own) for k, own in enumerate(blocks)]
    turns.run(sizes, lambda python, leaves: python(*leaves), made, watch)
    return met


def _users_line() -> Span | None:
    """The line of the user's that the innermost stage on the stack stems from."""
    frame = sys._getframe(1)
    while frame is not None:
        place = user_line(frame.f_globals, frame.f_lineno)
        if place is not None:
            return place
        frame = frame.f_back  # type: ignore[assignment]
    return None


def _in_python(function: Any, table: np.ndarray, own: Sequence[Any]) -> tuple[Any, list[Any]]:
    """The printed program of a device, and what it is called with."""
    flat = function._flatten((table, *own), {})
    request = function.__pellucid__
    made, _, python = showing.loaded(request, "transformed", flat.arguments, None)
    guards = Guards(made.guards)
    hidden = showing.hidden_leaves(request, made, guards).leaves(guards.findings)

    def quietly(*leaves: Any) -> Any:
        with np.errstate(all="ignore"):  # machine code does not warn either
            return python(*leaves)

    return quietly, [np.array(v) if isinstance(v, np.ndarray) else v for v in (*flat.leaves, *hidden)]


@dataclass(frozen=True, slots=True)
class Rehearsal:
    """What machine code of one device did alone: collectives, the bytes that it put down, and seconds without them."""

    collectives: int
    bytes: int
    seconds: float


def rehearsed(function: Any, sizes: Sequence[int], own: Sequence[Any]) -> Rehearsal | None:
    """One run by machine code, all others being taken to put down what it does; None without the native part."""
    middle, native = middle_of(sizes), asynchronous.prepare()
    if native is None:
        return None
    with synchronous():
        native.begin_rehearsal(tuple(sizes), middle)
        started = time.perf_counter()
        try:
            function._call((table_of(sizes, middle), *own), {})
        finally:
            collectives, moved, spent = native.end_rehearsal()
        return Rehearsal(collectives, moved, time.perf_counter() - started - 1e-9 * spent)


def measured(function: Any, sizes: Sequence[int], own: Sequence[Any], times: int = 3) -> float:
    """The seconds that one device computes between its collectives: the least of some runs.

    Without the native part that is CPython's time for the printed program, with what stands for its collectives.
    """
    if rehearsed(function, sizes, own) is not None:  # which has compiled it
        runs = [rehearsed(function, sizes, own) for _ in range(times)]
        return max(min(run.seconds for run in runs if run is not None), 0.0)
    python, leaves = _in_python(function, table_of(sizes, middle_of(sizes)), own)
    started = time.perf_counter()
    turns.Alone(sizes, middle_of(sizes)).run(python, leaves)
    return time.perf_counter() - started


def _costing(one: Met, calls: int, mesh: Mesh, network: Network | None) -> Collective:
    axis = mesh.axis_names[one.along]
    count = mesh.shape[axis]
    seconds, way = (None, "") if network is None else fastest(one.kind, count, one.own, network)
    return Collective(
        NAMES[one.kind], axis, count, calls, one.own, calls * bytes_sent(one.kind, count, one.own),
        None if seconds is None else calls * seconds, getattr(way, "name", ""), one.place,
    )  # fmt: skip
