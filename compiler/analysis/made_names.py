"""Which names the compiler made: what the printer may fold away, and what gives way to a name of the user's.

    t_1 = x * w        `t_1` was made: it stands in none of the user's lines
    z = t_1 + b        `z` is the user's
    z_bar = ...        made, but said in the user's word: of several `z_bar`, `z_bar_1` the last one is kept
"""

from __future__ import annotations

import linecache
import re
from functools import lru_cache

from .. import syntax
from ..names import base_of
from ..program import Function, remembered

COTANGENT = "_bar"
DERIVED = (COTANGENT, "_dot", "_saved")


def is_cotangent(name: str, words: frozenset[str]) -> bool:
    """Whether a name is that of a cotangent, and none of the user's words."""
    return base_of(name).endswith(COTANGENT) and name not in words


@remembered
def temporaries_of(function: Function) -> frozenset[str]:
    """The names that the user did not write: those that the function lists, and those in no line of the user's."""
    bound = [n for s in syntax.walk(function.body) for n in syntax.names_bound(s)]
    words = user_words(function)
    last = {base_of(name): name for name in bound}
    made = {n for n in bound if n not in function.parameters and _is_made(n, words, last)}
    return function.temporaries | made


def _is_made(name: str, words: frozenset[str], last: dict[str, str]) -> bool:
    base = base_of(name)
    if name in words:
        return False
    if base == "t":
        return True
    for suffix in DERIVED:
        if base.endswith(suffix):
            of = base_of(base.removesuffix(suffix))
            return of == "t" or of not in words or last[base] != name
    return bool(words) and base not in words


@remembered
def user_words(function: Function) -> frozenset[str]:
    """The words in the user's lines, of the function and of what was inlined into it; empty if none can be read."""
    words = {word for line in function.origin.text.split("\n") for word in _words(line)}
    spans = {id(span): span for s in syntax.walk(function.body) if (span := getattr(s, "span", None)) is not None}
    for span in {*spans.values()}:
        if not _is_library(span.file):
            lines = range(span.line, span.end_line + 1)
            words.update(*(_words(linecache.getline(span.file, number)) for number in lines))
    return frozenset(words)


@lru_cache(maxsize=4096)
def _words(line: str) -> frozenset[str]:
    return frozenset(re.findall(r"[^\W\d]\w*", line.split("#", 1)[0]))


@lru_cache(maxsize=256)
def _is_library(file: str) -> bool:
    """Whether a file holds library functions in the language: their names are ours."""
    return re.search(r"pellucid[/\\](numpy|scipy|nn)[/\\]", file) is not None
