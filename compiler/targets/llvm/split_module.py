"""Divide a module into several, of which LLVM translates the first while the last are still being written.

    pellucid.loop.1, pellucid.loop.2, pellucid.function.loss    ->    [module of the loops, module that calls them]

The functions that are moved are those of loops and of shared routines (`Module.movable`): they are called through
their address, or from glue that LLVM leaves as it is, so that nothing is lost if it does not see caller and function
together.  Each part brings the helpers it needs; the last has the rest.
How a program is divided depends on its text alone, and so do its results.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable

from ....runtime.sources import Late, Source
from ...tuning import LEAST_TEXT
from .text import Module


class Division:
    """Divides a module while it is written: `begin` is given each part as soon as it is complete.

    The parts do not call each other; `rest()` is the module that calls them.
    """

    def __init__(self, module: Module, begin: Callable[[Source], None]) -> None:
        self._module, self._begin = module, begin
        self._open: list[str] = []
        self._moved: set[str] = set()
        self._taken: set[str] = set()
        module.on_movable = self._take

    def _take(self, name: str) -> None:
        if self._module.line_writer is not None:  # gdb and perf want one file
            return
        self._taken.add(name)
        if not self._taken.isdisjoint(self._module.definitions[name].uses):  # a loop around others uses what is taken
            return
        self._open.append(name)
        if sum(len(self._module.definitions[other].body) for other in self._open) >= LEAST_TEXT:
            self._moved.update(self._open)
            part = _part(self._module, self._open, self._moved)
            self._open = []
            self._begin(part.finished())

    def rest(self) -> Source:
        """Everything that has not moved."""
        if not self._moved:
            return self._module.finished()
        exported = [name for name, definition in self._module.definitions.items() if not definition.linkage]
        return _part(self._module, exported, self._moved).finished()


def _part(module: Module, names: Iterable[str], moved: Collection[str]) -> Module:
    """A module of these definitions and of all that they mention; what moved elsewhere is only declared."""
    part = Module()
    names = list(names)
    part.shared = set(names) & set(moved)
    waiting, seen = names[:], set(names)
    while waiting:
        mentioned = _take(module, part, waiting.pop(), moved)
        waiting += [other for other in mentioned if other not in seen]
        seen.update(mentioned)
    _take_metadata(module, part)
    part.define_later(_later(module, part))
    part.kept = [name for name in module.kept if name in part.declarations]
    part.definitions = {name: part.definitions[name] for name in module.definitions if name in part.definitions}
    return part


def _take(module: Module, part: Module, name: str, moved: Collection[str]) -> tuple[str, ...]:
    """Add what a name stands for to the part; the others that it mentions."""
    if name in module.declarations:
        part.declare(name, *module.declarations[name])
        return module.declarations[name].uses
    definition = module.definitions[name]
    if name in moved and name not in part.shared:
        part.declare(name, definition.declaration())
        return ()
    part.define(definition)
    return definition.uses


def _take_metadata(module: Module, part: Module) -> None:
    """The nodes that the definitions of a part mention, and those that these do."""
    waiting = [0, *(node for definition in part.definitions.values() for node in definition.nodes)]
    part.metadata = {}
    while waiting:
        number = waiting.pop()
        if number not in part.metadata:
            part.metadata[number] = module.metadata[number]
            waiting += module.metadata[number].parts


def _later(module: Module, part: Module) -> list[Late]:
    """The functions for later that a part declares, and all that they call."""
    waiting = [name for name in part.declarations if any(late.body for late in module.later.get(name, ()))]
    taken: dict[str, list[Late]] = {}
    while waiting:
        name = waiting.pop()
        if name in module.later and name not in taken:
            taken[name] = module.later[name]
            waiting += [called for late in taken[name] for called in late.calls]
    return [late for found in taken.values() for late in found]
