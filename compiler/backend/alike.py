"""Loops that say the same become one native function, whatever their names are called.

    @pellucid.loop.3:  %size.4 = load i64, ...        ->      both places call @pellucid.loop.3
    @pellucid.loop.7:  %size_1.9 = load i64, ...

The cost of LLVM grows with the text.  Two texts are alike if one becomes the other by other names of values; what LLVM
is told of memory that is apart has to be alike as well, and an error has to be raised for the same place.
"""

from __future__ import annotations

import re

from .text import Module

LOCAL = re.compile(r"%[\w.$]+|^[\w.$]+(?=:)", re.MULTILINE)
SCOPES = re.compile(r"(!alias\.scope|!noalias|metadata) (!\d+)")
LOOP = re.compile(r"!llvm\.loop (!\d+)")
NODE = re.compile(r"!\d+")


def define_once(module: Module, name: str, text: str) -> str:
    """Define a function by this name, unless one that does the same is there; the name of the one to call."""
    same = _normal(module, text.replace(f"@{name}(", "@(", 1))
    known = module.alike.setdefault(same, name)
    if known == name:
        module.define_movable(name, text)
    return known


def _normal(module: Module, text: str) -> str:
    """The text with values, labels and scopes numbered in the order in which they appear."""
    numbers: dict[str, str] = {}
    scopes = _scopes(module, text)
    text = LOCAL.sub(lambda found: numbers.setdefault(found[0].lstrip("%"), f"%{len(numbers)}"), text)
    text = SCOPES.sub(lambda found: f"{found[1]} {_known(module, found[2], scopes)}", text)
    return LOOP.sub(lambda found: f"!llvm.loop {_wishes(module, found[1])}", text)


def _scopes(module: Module, text: str) -> dict[str, tuple[int, int]]:
    """The scopes that accesses of this text are in, and their domains; that they avoid others says nothing here."""
    lists = [found[2] for found in SCOPES.finditer(text) if found[1] != "!noalias"]
    found = [scope for number in dict.fromkeys(lists) for scope in _parts(module, number)]
    domains: dict[str, int] = {}
    return {
        scope: (place, domains.setdefault(_parts(module, scope)[-1], len(domains)))
        for place, scope in enumerate(dict.fromkeys(found))
    }


def _parts(module: Module, number: str) -> list[str]:
    return NODE.findall(module.metadata[int(number[1:])])


def _known(module: Module, number: str, scopes: dict[str, tuple[int, int]]) -> list[tuple[int, int]]:
    return sorted(scopes[scope] for scope in _parts(module, number) if scope in scopes)


def _wishes(module: Module, number: str) -> list[str]:
    """What is asked for a loop; the first part of its node is the node itself."""
    return [module.metadata[int(part[1:])] for part in _parts(module, number)[1:]]
