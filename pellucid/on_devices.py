"""One program on all devices of a mesh at the same time, each of them with blocks of its own.

    step = DeviceProgram(function, {"i": 2})
    run = step.start([(x_0, w), (x_1, w)])     every device has its task now, and its result is an `Array` to come
    run.wait()                                 the results of all devices; raises the error of the first that has one

The function is that of one example of a `vmap(axis_name="i")`, with its collectives.  Devices are numbered in the order
of the mesh, its last axis running fastest, and are the processor's devices of these numbers.  Without the native part,
and where `step.in_turns` is asked, the devices are iterations of a loop in CPython, with the same results.
"""

from __future__ import annotations

import functools
import inspect
import threading
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from math import prod
from typing import Any

import numpy as np

from . import tree as trees
from .compiler.ops import turns
from .compiler.request import OnDevice
from .methods import is_bound, method_of
from .own_frames import leave_out
from .placing import on_device
from .runtime import asynchronous
from .runtime.array import Array
from .runtime.dispatch import support
from .runtime.guards import Guards
from .runtime.mpi import ProcessError, Team
from .transformations import transformed


@lru_cache(maxsize=64)
def tables(sizes: tuple[int, ...], devices: tuple[int, ...], seats: tuple[int, ...] | None = None) -> list[Array]:
    """For each device of a mesh, or each of these, its number along each axis, and how many there are."""
    numbers = np.arange(prod(sizes)) if seats is None else np.array(seats)
    places = np.stack(np.unravel_index(numbers, sizes), axis=1)
    rows = [np.stack([place, sizes], axis=1).ravel().astype(np.int64) for place in places]
    return [on_device(Array(row), number) for row, number in zip(rows, devices, strict=True)]


def of_device(
    function: Callable[..., Any], axes: Mapping[str, int], shared: Mapping[str, tuple[str, ...]] | None = None,
    meant: Sequence[tuple[str, Any, Any]] = (), is_typed: bool = False, library: str = "",
) -> Any:  # fmt: skip
    """What one device runs: a function of its table and its own arguments.  Parameters are those of `DeviceProgram`."""
    request = OnDevice(tuple(axes), tuple((shared or {}).items()), tuple(meant), is_typed, library)
    return transformed(function, request)


class Given:
    """The arguments that a bound method or a `partial` has, which are the same on all devices.

        Given(partial(f, a, n=3))     function: f     arguments((x,)) == (a, x, 3)

    Raises TypeError for one that is given by a name alone, which the program of a device takes none by.
    """

    def __init__(self, function: Any) -> None:
        before: tuple[Any, ...] = ()
        named: dict[str, Any] = {}
        function = method_of(function)
        while is_bound(function) or isinstance(function, functools.partial):
            if is_bound(function):
                function, before = method_of(function.__func__), (function.__self__, *before)
            else:
                named = {**function.keywords, **named}
                function, before = method_of(function.func), (*function.args, *before)
        self.function, self.before, self.named = function, before, named
        self.signature: inspect.Signature | None = None
        if before or named:
            request = getattr(function, "__pellucid__", None)
            self.signature = inspect.signature(function) if request is None else request.signature()
        for name in named:
            if self.signature is not None and name not in self._by_position():
                raise TypeError(f"`{name}` is given by name alone: write a function that gives it")

    def _by_position(self) -> list[str]:
        found = self.signature.parameters.values() if self.signature is not None else ()
        return [p.name for p in found if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]

    def names(self) -> list[str]:
        """The parameters that they are for."""
        return [*self._by_position()[: len(self.before)], *self.named]

    def arguments(self, own: Sequence[Any]) -> tuple[Any, ...]:
        """All arguments of the function, by position."""
        if not self.named or self.signature is None:
            return (*self.before, *own)
        bound = self.signature.bind(*self.before, *own, **self.named)
        bound.apply_defaults()
        return bound.args


class DeviceProgram:
    """The program of one device of a mesh, and runs of it on all of them.

    function  a plain or compiled function, a bound method or a `partial`, with what was asked of it (`grad`, `vmap`,
              ...): that is taken before
    axes      the names and the lengths of the axes of the mesh
    shared    parameters whose arguments are the same on all devices along some axes, with the names of these
    devices   the numbers of the processor's devices, in the order of the mesh
    meant     for an axis the `in_axes` and `out_axes` of the `vmap` that it stands for, as plain data
    is_typed  whether derivatives inside take what all devices share for one value
    team      the processes of the mesh, where not all devices are of this one: `devices`, and the arguments and results
              of a run, are those of this process
    """

    library = ""  # what computes the collectives on devices of another kind

    def __init__(
        self, function: Callable[..., Any], axes: Mapping[str, int],
        shared: Mapping[str, tuple[str, ...]] | None = None, devices: Sequence[int] | None = None,
        meant: Sequence[tuple[str, Any, Any]] = (), is_typed: bool = False, team: Team | None = None,
    ) -> None:  # fmt: skip
        self.team = team
        self._given = Given(function)
        shared = {**(shared or {}), **dict.fromkeys(self._given.names(), tuple(axes))}
        self.function: Any = of_device(self._given.function, axes, shared, meant, is_typed, self.library)
        self.sizes = tuple(axes.values())
        self.devices = tuple(range(prod(self.sizes)) if devices is None else devices)
        seats = range(prod(self.sizes)) if team is None else team.seats
        if len(self.devices) != len(seats) or len(set(self.devices)) < len(self.devices):
            raise ValueError(f"a mesh of {self.sizes} has {prod(self.sizes)} devices, each once, not {self.devices}")
        self.tables = self._tables()

    def _tables(self) -> list[Array]:
        """The table of each device.  Raises ValueError where there is no such device."""
        if max(self.devices) >= asynchronous.cpu_devices():
            raise ValueError(
                f"the mesh has {len(self.devices)} devices, and the processor is {asynchronous.cpu_devices()}: "
                f"set {asynchronous.DEVICES}"
            )
        return tables(self.sizes, self.devices, None if self.team is None else self.team.seats)

    @property
    def takes_its_own(self) -> bool:
        """Whether the function takes the arguments of a device and no others before or beside them."""
        return not self._given.before and not self._given.named

    def start(self, arguments: Sequence[Sequence[Any]]) -> Run:
        """Begin a run, given the arguments of each device.  NumPy arrays are copied, Arrays are not."""
        native = asynchronous.prepare()
        if native is None:
            return Run(self.in_turns("transformed", arguments))
        own: list[Sequence[Any]] = list(map(self._given.arguments, arguments))
        found = self._launched(native, own)
        if found is None:
            self._learn(own)
            found = self._launched(native, own)
        return Run(self._on_threads(native, own)) if found is None else found

    def __call__(self, arguments: Sequence[Sequence[Any]]) -> list[Any]:
        return self.start(arguments).wait()

    def _launched(self, native: Any, own: list[Sequence[Any]]) -> Run | None:
        """A run by the queues of the devices; None where machine code does not know such calls."""
        try:
            results, launch, code, columns = native.launch(
                self.function, self.sizes, self.tables, own, self._capsule()
            )
        except native.NotReady:
            return None
        return Run(results, native, launch, code, columns, self.team)

    def _capsule(self) -> Any:
        return None if self.team is None else self.team.capsule

    def _learn(self, given: Sequence[Sequence[Any]]) -> None:
        """Compile for arguments like these, and let machine code make such calls."""
        function, known = self.function, set()
        for table, own in zip(self.tables, given, strict=True):
            arguments = (table, *own)
            flat = function._flatten(arguments, {})
            if flat.key in known:
                continue
            known.add(flat.key)
            compiled, findings, _ = function._code_for(flat)
            if support.reason() is None:
                function._learn(function._seen, arguments, {}, flat, compiled, findings)

    def _on_threads(self, native: Any, given: Sequence[Sequence[Any]]) -> list[Any]:
        """For what no queue takes: each device is a thread of Python's, and the run ends before this returns."""
        launch = native.make_launch(self.sizes, self._capsule())
        pairs = list(zip(self.tables, given, strict=True))

        def call(number: int) -> Any:
            table, own = pairs[number]
            return self.function._call((table, *own), {})

        return on_threads(native, launch, len(given), call, self.team)

    def in_turns(self, stage: str, arguments: Sequence[Sequence[Any]]) -> list[Any]:
        """The printed stage in CPython, where the devices are iterations of a loop."""
        from . import showing  # the compiler, which machine code from the store does without

        function, programs = self.function, dict[Any, Any]()

        def prepared(table: Array, own: Sequence[Any]) -> tuple[Any, Any, list[Any]]:
            """The function of a stage, loaded once for all devices, and what it is called with."""
            flat = function._flatten((np.asarray(table), *own), {})
            if flat.key not in programs:
                programs[flat.key] = showing.loaded(function.__pellucid__, stage, flat.arguments, None)
            made = programs[flat.key][0]
            guards = Guards(made.guards)
            hidden = showing.hidden_leaves(function.__pellucid__, made, guards).leaves(guards.findings)
            leaves = [np.array(v) if isinstance(v, np.ndarray) else v for v in (*flat.leaves, *hidden)]
            return programs[flat.key], function._targets(showing.mutated(made), flat), leaves

        def seated(loaded: Any, targets: Any, leaves: list[Any]) -> Any:
            made, program, python = loaded
            return function._finish(made.result, targets, showing.results_of(program, python(*leaves)))

        every = map(self._given.arguments, arguments)
        given = [prepared(table, own) for table, own in zip(self.tables, every, strict=True)]
        return turns.run(self.sizes, seated, given)


def on_threads(native: Any, launch: Any, count: int, call: Callable[[int], Any], team: Team | None = None) -> list[Any]:
    """What a call gives at each place of a launch, each on a thread of Python's.

    Raises the error of the device that is blamed, or of the first that has one.
    """
    outcomes: list[Any] = [None] * count

    def seated(number: int) -> None:
        native.take_seat(launch, number)
        has_failed = True
        try:
            outcomes[number] = call(number)
            has_failed = False
        except BaseException as error:
            outcomes[number] = _Failure(error)
        finally:
            native.leave_seat(has_failed)

    threads = [threading.Thread(target=seated, args=(number,)) for number in range(count)]
    for thread in threads:
        thread.start()
    try:
        for thread in threads:
            thread.join()
    except BaseException:
        native.fail_launch(launch)
        raise
    errors = {number: one.error for number, one in enumerate(outcomes) if isinstance(one, _Failure)}
    raise_first(errors, native.blamed(launch), team)
    return outcomes


class _Failure:
    """The error of a device, in place of its result."""

    def __init__(self, error: BaseException) -> None:
        self.error = error


class Run:
    """What all devices are computing: `results` has that of each, in their order.

    launch   what native code knows of the run; None where it has ended
    code     what tells the code apart that all devices run, and `columns` the arrays that each result is made of, with
             what every device has of each; None where they do not run the same code
    team     the processes of the mesh, where not all devices are of this one
    """

    def __init__(
        self, results: list[Any], native: Any = None, launch: Any = None, code: Any = None,
        columns: list[list[Any]] | None = None, team: Team | None = None,
    ) -> None:  # fmt: skip
        self.results, self.native, self.launch = results, native, launch
        self.code, self.columns, self.team = code, columns, team

    def wait(self) -> list[Any]:
        """The results once they are there.  Raises the error of the first device that has one of its own."""
        if self.native is not None:
            arrays = [[leaf for leaf in trees.leaves(one) if isinstance(leaf, Array)] for one in self.results]
            wait_for(self.native, self.launch, arrays, self.team)
        return self.results


def wait_for_column(native: Any, launch: Any, column: Sequence[Array], team: Team | None) -> None:
    """Wait for one result, of which each device has an array: the others of a run are not held for that."""
    wait_for(native, launch, [[array] for array in column], team)


def wait_for(native: Any, launch: Any, arrays: Sequence[Sequence[Array]], team: Team | None) -> None:
    """Wait for the arrays of each device.  Raises the error of the first device that has one of its own."""
    errors: dict[int, BaseException] = {}
    for number, own in enumerate(arrays):
        try:
            for array in own:
                array._wait()
        except KeyboardInterrupt:
            raise
        except Exception as error:
            errors[number] = error
    if errors:
        raise_first(errors, native.blamed(launch), team)


def raise_first(errors: Mapping[int, BaseException], blamed: int, team: Team | None = None) -> None:
    """Raise the error of the device that is blamed, or else the first; where there is none, nothing happens.

    Raises ProcessError where the device that is blamed is of another process.
    """
    if team is not None and blamed >= 0 and errors:
        if blamed not in team.seats:
            raise ProcessError(
                f"process {team.processes[blamed]} has failed in this call, or has ended before it: what it printed "
                "says why"
            )
        blamed = team.seats.index(blamed)
    for number in (blamed, *sorted(errors)):
        if number in errors:
            leave_out(errors[number])
            raise errors[number]
