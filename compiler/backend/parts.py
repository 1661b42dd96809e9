"""Divide a module into several, of which LLVM translates the first while the last are still being written.

    pellucid.loop.1, pellucid.loop.2, pellucid.function.loss    ->    [module of the loops, module that calls them]

The functions that are moved are those of loops and of shared routines (`Module.movable`): they are called through
their address, or from glue that LLVM leaves as it is, so that nothing is lost if it does not see caller and function
together.  Each part brings the helpers it needs; the last has the rest.
How a program is divided depends on its text alone, and so do its results.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable

from ..diagnostics import InternalError
from .text import Module

LEAST_TEXT = 8000  # characters: to begin a module costs as much as translating a twentieth of this
MENTION = re.compile(r"@[\w.$]+|!\d+")
VARIANT = re.compile(r"\((\w+)\)")  # in the tag of a function that has variants for vectors
HEADER = re.compile(r"define internal (\w+) @[\w.$]+\((.*?)\)", re.DOTALL)
OPERAND = re.compile(r" %[\w.$]+")
INTERNAL, SHARED = "define internal ", "define hidden "


class Division:
    """Divides a module while it is written: `begin` is told the text of each part as soon as it is complete.

    The parts do not call each other; `rest()` is the module that calls them.
    """

    def __init__(self, module: Module, begin: Callable[[str], None]) -> None:
        self._module, self._begin = module, begin
        self._open: list[str] = []
        self._moved: set[str] = set()
        self._taken: set[str] = set()
        module.on_movable = self._take

    def _take(self, name: str) -> None:
        if self._module.line_writer is not None:  # gdb and perf want one file
            return
        self._taken.add(name)
        if self._calls_others(name):
            return
        self._open.append(name)
        if sum(len(self._module.definitions[other]) for other in self._open) >= LEAST_TEXT:
            self._moved.update(self._open)
            part = _part(self._module, self._open, self._moved)
            self._open = []
            self._begin(str(part))

    def _calls_others(self, name: str) -> bool:
        """Whether a function, such as that of a loop around others, calls one that may be in a part."""
        mentioned = {mention[1:] for mention in MENTION.findall(self._module.definitions[name])}
        return not mentioned.isdisjoint(self._taken - {name})

    def rest(self) -> str:
        """Everything that has not moved."""
        if not self._moved:
            return str(self._module)
        definitions = self._module.definitions
        exported = [name for name in definitions if not definitions[name].startswith(INTERNAL)]
        return str(_part(self._module, exported, self._moved))


def _part(module: Module, names: Iterable[str], moved: Collection[str]) -> Module:
    """A module of these definitions and of all that they mention; what moved elsewhere is only declared."""
    part = Module()
    part.metadata = {}
    waiting = ["!0", *(f"@{name}" for name in names)]
    own, seen = frozenset(names) & frozenset(moved), set(waiting)
    while waiting:
        token = waiting.pop()
        text = _take(module, part, token, own, moved)
        mentioned = dict.fromkeys(MENTION.findall(text))
        waiting += [other for other in mentioned if other not in seen]
        seen.update(mentioned)
    part.define_later(_later(module, part))
    part.kept = [name for name in module.kept if name in part.declarations]
    part.definitions = {name: part.definitions[name] for name in module.definitions if name in part.definitions}
    return part


def _take(module: Module, part: Module, token: str, own: Collection[str], moved: Collection[str]) -> str:
    """Add what a token stands for to the part; the text in which more may be mentioned."""
    name = token[1:]
    if token[0] == "!":
        part.metadata[int(name)] = module.metadata[int(name)]
        return part.metadata[int(name)]
    if name in own:
        part.define(name, module.definitions[name].replace(INTERNAL, SHARED, 1))
        return part.definitions[name]
    if name in moved:
        part.declare(name, _declaration(name, module.definitions[name]))
    elif name in module.definitions:
        part.define(name, module.definitions[name])
        return part.definitions[name]
    elif name in module.declarations:
        part.declare(name, module.declarations[name])
    return "\n".join(f"@{variant}" for variant in VARIANT.findall(part.declarations.get(name, "")))


def _later(module: Module, part: Module) -> dict[str, str]:
    """The functions for later that a part declares, and all that they mention."""
    offered: dict[str, dict[str, str]] = {}
    for key, text in module.later.items():
        offered.setdefault(key.split()[0], {})[key] = text
    waiting = [name for name in part.declarations if any("define " in text for text in offered.get(name, {}).values())]
    taken: dict[str, str] = {}
    while waiting:
        found = offered.pop(waiting.pop(), {})
        taken.update(found)
        waiting += [token[1:] for text in found.values() for token in MENTION.findall(text)]
    return taken


def _declaration(name: str, definition: str) -> str:
    header = HEADER.match(definition)
    if header is None:
        raise InternalError("parts", definition[:200], "not an internal function")
    return f"declare {header[1]} @{name}({OPERAND.sub('', header[2])}) nounwind"
