"""Functions for a GPU on disk: the kernels stage, the machine code of its kernels, and how to put results together.

    save(key, made, title)    ->    a file, and one more for each width of a block that a kernel is launched with
    load(key, request)        ->    OnDisk, or None where it has to be compiled

A call that finds its entry needs neither the compiler nor numba.
"""

from __future__ import annotations

import marshal
from collections.abc import Callable, Mapping

from .compiler.frontend.specialise.values import Value
from .compiler.records import dataclass
from .compiler.request import Request
from .compiler.targets.cuda.machine import Machine
from .compiler.types import Type
from .entries import Key
from .hidden import HiddenLeaves
from .plain_data import from_plain, plain, plain_type, type_from
from .runtime.guards import Guards
from .runtime.store import digest, store

OF_WIDTH = ".width"


@dataclass(frozen=True, slots=True, eq=False)
class Assembled:
    """A function for a GPU.

    text      its kernels stage                     results   the types of what its driver gives
    machines  the machine code of its kernels, but for those in `late`, which is made for the blocks of a launch
    calls_routines  whether its driver calls libraries
    result    how to put results together
    guards    what it was made from, apart from the arguments
    hidden    the last arguments, which are found outside
    """

    text: str
    machines: Mapping[str, Machine]
    late: tuple[str, ...]
    results: tuple[Type, ...]
    calls_routines: bool
    result: Value
    guards: Guards
    hidden: HiddenLeaves


def save(key: Key, made: Assembled, title: tuple[str, str, int, str]) -> None:
    """Keep a function under a title, `entries.title_of` it."""
    place = store()
    outside = plain(made.result, made.guards, made.hidden, key.seen, {})
    if place is None or outside is None:
        return
    machines = {name: machine.plain() for name, machine in made.machines.items()}
    results = tuple(map(plain_type, made.results))
    content = (title, made.text, machines, made.late, results, made.calls_routines, outside)
    place.write(key.name, marshal.dumps(content))


def load(key: Key, request: Request) -> Assembled | None:
    """A function that was kept."""
    place = store()
    data = place.read(key.name) if place is not None else None
    if data is None:
        return None
    _, text, machines, late, results, calls_routines, outside = marshal.loads(data)
    found = from_plain(outside, key.seen, request.frozen)
    if found is None:
        return None
    known = {name: Machine(*machine) for name, machine in machines.items()}
    return Assembled(text, known, late, tuple(map(type_from, results)), calls_routines, *found[:3])


def of_width(key: Key | None, name: str, make: Callable[[int], Machine]) -> Callable[[int], Machine]:
    """What makes a kernel for blocks of a width, or takes it from the disk."""

    def made(width: int) -> Machine:
        place = store() if key is not None else None
        if key is None or place is None:
            return make(width)
        file = digest(key.name.encode(), name.encode(), str(width).encode()).hex() + OF_WIDTH
        data = place.read(file)
        if data is not None:
            return Machine(*marshal.loads(data))
        machine = make(width)
        place.write(file, marshal.dumps(machine.plain()))
        return machine

    return made
