"""The functions of a file that are compiled: where a check of the file begins.

    @compile                     compile(step, static="n")        grad(lambda w: loss(w, x))
    def drift(v): ...            ->  drift, step, the lambda, and `loss` with it
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import gast

from .compiler.frontend.purity.purity import CheckOptions
from .compiler.frontend.source.resolve import NameSource, Resolve, resolve_chain
from .compiler.frontend.source.resolve_static import declared, function_resolver, listed, without_true
from .compiler.records import dataclass

COMPILERS = ("pellucid.compile", "pellucid.jit", "pellucid.Function", "pellucid.grad", "pellucid.value_and_grad")


@dataclass(frozen=True, slots=True, eq=False)
class Root:
    """A function to be checked, with the options that it is compiled with."""

    source: NameSource
    options: CheckOptions


@dataclass(frozen=True, slots=True, eq=False)
class Place:
    """A node of the file, the functions that it stands in, outermost first, and its dotted name, if it has one."""

    node: Any
    enclosing: tuple[gast.FunctionDef, ...]
    name: str = ""


def places(node: gast.AST, enclosing: tuple[Any, ...] = (), prefix: str = "") -> Iterator[Place]:
    """The functions and calls of a file; a decorator belongs to what is around its function."""
    for child in gast.iter_child_nodes(node):
        if isinstance(child, gast.FunctionDef | gast.AsyncFunctionDef | gast.ClassDef):
            name = f"{prefix}{child.name}"
            inner = enclosing
            if not isinstance(child, gast.ClassDef):
                yield Place(child, enclosing, name)
                inner = (*enclosing, child)
            yield from places(child, inner, f"{name}.")
        else:
            if isinstance(child, gast.Call):
                yield Place(child, enclosing)
            yield from places(child, enclosing, prefix)


class Finder:
    """Finds the roots of one file."""

    def __init__(self, module: gast.Module, outer: Resolve, text: str, path: str) -> None:
        self.text, self.path, self.outer = text, path, outer
        self.places = list(places(module))
        self._resolvers: dict[tuple[gast.FunctionDef, ...], Resolve] = {}

    def resolver(self, enclosing: tuple[gast.FunctionDef, ...]) -> Resolve:
        if enclosing not in self._resolvers:
            self._resolvers[enclosing] = function_resolver(self.outer, enclosing, self.text, self.path)
        return self._resolvers[enclosing]

    def compiled(self) -> Iterator[Root]:
        """What a decorator or a call of the file compiles, in the order of the text."""
        for place in self.places:
            if isinstance(place.node, gast.Call):
                yield from self._by_call(place)
            elif any(self._compiles(decorator, place) for decorator in place.node.decorator_list):
                yield self._root(place)

    def every(self) -> Iterator[Root]:
        """Every function that stands in no other one."""
        for place in self.places:
            if not isinstance(place.node, gast.Call) and not place.enclosing:
                yield self._root(place)

    def named(self, name: str) -> Iterator[Root]:
        for place in self.places:
            if place.name == name and not isinstance(place.node, gast.Call):
                yield self._root(place)

    def _root(self, place: Place) -> Root:
        source = NameSource(place.node, self.path, self.text, self.resolver(place.enclosing))
        return Root(source, _declared(place.node))

    def _compiles(self, called: gast.expr, place: Place) -> bool:
        made = called.func if isinstance(called, gast.Call) else called
        found = resolve_chain(made, self.resolver(place.enclosing), lambda _: False)
        return found is not None and found.name in COMPILERS

    def _by_call(self, place: Place) -> Iterator[Root]:
        """`compile(f)`, `compile(static="n")(f)`, `grad(f)`: the function that is given."""
        call = place.node
        given = call.args[0] if call.args else None
        if given is None or not self._compiles(call.func, place):
            return
        holder = call.func if isinstance(call.func, gast.Call) else call
        options = _options(lambda option: listed(holder.keywords, option))
        resolve = self.resolver(place.enclosing)
        if isinstance(given, gast.Lambda):
            yield Root(NameSource(as_function(given), self.path, self.text, resolve), options)
            return
        found = resolve_chain(given, resolve, lambda _: False)
        source = found.source() if found is not None and found.source is not None else None
        if source is not None:
            own = _declared(source.tree) if isinstance(source.tree, gast.FunctionDef) else CheckOptions()
            yield Root(source, options if options != CheckOptions() else own)


def _declared(function: gast.FunctionDef) -> CheckOptions:
    return _options(lambda option: declared(function, option))


def _options(said: Callable[[str], Any]) -> CheckOptions:
    return CheckOptions(without_true(said("static")), without_true(said("mutates")), said("freeze"))


def as_function(given: gast.Lambda) -> gast.FunctionDef:
    returned = gast.copy_location(gast.Return(given.body), given.body)
    return gast.copy_location(gast.FunctionDef("lambda_", given.args, [returned], [], None, None, []), given)
