"""Loops that are equal up to names become one native function.

    @pellucid.loop.3:  %size.4 = load i64, ...        ->      both callers call @pellucid.loop.3
    @pellucid.loop.7:  %size.4 = load i64, ...

The cost of LLVM grows with the text.  Functions of loops are written without the names of the program, so that two are
alike if their texts are equal; their alias metadata has to be alike as well, and an error has to
be raised for the same location.
"""

from __future__ import annotations

from collections.abc import Iterator

from .text import LlvmDefinition, LlvmLine, Module, Tag


def define_once(module: Module, definition: LlvmDefinition) -> str:
    """Define a function, unless one that does the same is there; the name of the one to call."""
    known = module.alike.setdefault(_normal(module, definition), definition.name)
    if known == definition.name:
        module.define_movable(definition)
    return known


def _normal(module: Module, definition: LlvmDefinition) -> object:
    """The lines of a function, with scopes numbered in the order in which they appear."""
    scopes = _scopes(module, definition)
    lines = tuple(
        (line.text, line.end, *(_told(module, tag, scopes) for tag in line.tags)) if type(line) is LlvmLine else line
        for line in definition.lines
    )
    return definition.result, definition.parameters, definition.attributes, lines


def _scopes(module: Module, definition: LlvmDefinition) -> dict[int, tuple[int, int]]:
    """The scopes that accesses of this text are in, and their domains; that they avoid others says nothing here."""
    lists = dict.fromkeys(tag.node for tag in _tags(definition) if tag.kind in ("alias.scope", "scope"))
    found = dict.fromkeys(scope for number in lists for scope in module.metadata[number].parts)
    domains: dict[int, int] = {}
    return {
        scope: (place, domains.setdefault(module.metadata[scope].parts[-1], len(domains)))
        for place, scope in enumerate(found)
    }


def _tags(definition: LlvmDefinition) -> Iterator[Tag]:
    for line in definition.lines:
        if type(line) is LlvmLine:
            yield from line.tags


def _told(module: Module, tag: Tag, scopes: dict[int, tuple[int, int]]) -> object:
    """What a tag says: of memory by the scopes that count here, of a loop by what is asked for."""
    parts = module.metadata[tag.node].parts
    match tag.kind:
        case "alias.scope" | "noalias" | "scope":
            return tag.kind, tuple(sorted(scopes[part] for part in parts if part in scopes))
        case "llvm.loop":
            return tag.kind, tuple(module.metadata[part].form for part in parts)
    return tag
