"""Check that a function is pure and inside the language; report every fault at once, in the order of the text.

    def f(x):
        print(x)        ->   P004: this function prints
        x[0] = TABLE    ->   P014: this function changes its argument `x`;  P007: this function reads `TABLE`, ...

Takes the tree of a function as it was read (before desugaring), gives diagnostics; changes nothing.  `constructs`
finds what is outside the language, `effects` judges names and calls, `changes` what is written, on the facts of
`analysis.alias_source`.  Whether `x += 1` changes an argument is left to the type checker: `x` may be a number.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from typing import Protocol

import gast

from ..diagnostics import Diagnostic, Span
from ..records import dataclass
from ..vocabulary import Vocabulary
from .aliasing import Summaries, facts_of
from .changes import Around, changes
from .constructs import refused_constructs
from .effects import Judge
from .resolve import Resolve
from .scopes import AnyFunction, Scope, scopes


class Options(Protocol):
    """The options of `compile` that purity asks about."""

    @property
    def static(self) -> tuple[str, ...]: ...
    @property
    def mutates(self) -> tuple[str, ...]: ...
    @property
    def freeze(self) -> tuple[str, ...]: ...


@dataclass(frozen=True, slots=True)
class CheckOptions:
    """The options as plain tuples of names."""

    static: tuple[str, ...] = ()
    mutates: tuple[str, ...] = ()
    freeze: tuple[str, ...] = ()


def check_function(
    tree: AnyFunction,
    *,
    file: str,
    text: str,
    options: Options,
    resolve: Resolve,
    is_supported: Callable[[str], bool],
    known_names: Collection[str] = (),
) -> tuple[Diagnostic, ...]:
    """Every fault of a function and of the functions inside it, in source order; empty when there is none.

    `is_supported` says of a dotted name (`numpy.linalg.norm`, `math.sin`) whether the operator table has it, and
    `known_names` are the names suggestions are drawn from.
    """
    vocabulary = Vocabulary(is_supported, known_names)
    summaries = Summaries()
    inside = list(scopes(tree))
    found: list[Diagnostic] = list(_option_faults(inside, file, options))
    for scope in inside:
        found += _scope_faults(scope, tree, file, text, options, resolve, vocabulary, summaries)
    return in_order(_without_echoes(found))


def _scope_faults(
    scope: Scope,
    tree: AnyFunction,
    file: str,
    text: str,
    options: Options,
    resolve: Resolve,
    vocabulary: Vocabulary,
    summaries: Summaries,
) -> Iterator[Diagnostic]:
    is_inner = scope.node is not tree
    facts = facts_of(scope, resolve, summaries)
    yield from refused_constructs(scope, file, resolve, () if is_inner else tuple(options.static), is_inner)
    if isinstance(scope.node, gast.AsyncFunctionDef):
        return
    yield from Judge(scope, facts, file, resolve, vocabulary, tuple(options.freeze)).findings()
    mutates = () if is_inner else tuple(options.mutates)
    yield from changes(Around(scope, facts, file, text, resolve, mutates, not is_inner))


def _without_echoes(found: list[Diagnostic]) -> Iterator[Diagnostic]:
    """Leave out what another finding already says: reading a global that is changed, and further reads of the same."""
    changed = {diagnostic.message.split("`")[1] for diagnostic in found if diagnostic.code == "P010"}
    seen: set[str] = set()
    for diagnostic in in_order(found):
        if diagnostic.code == "P007":
            name = diagnostic.message.split("`")[1]
            if name in changed or name in seen:
                continue
            seen.add(name)
        yield diagnostic


def in_order(found: Iterator[Diagnostic] | list[Diagnostic]) -> tuple[Diagnostic, ...]:
    """By position, each fault once."""
    return tuple(sorted(dict.fromkeys(found), key=lambda d: (d.span.line, d.span.column, d.code)))


def _option_faults(inside: Sequence[Scope], file: str, options: Options) -> Iterator[Diagnostic]:
    """Names in `static=`, `mutates=` and `freeze=` that are no parameters, or no globals this function reads."""
    own = inside[0]
    tree = own.node
    listed = ", ".join(f"`{parameter}`" for parameter in own.parameters) or "none"
    for option in ("static", "mutates"):
        for name in getattr(options, option):
            if isinstance(name, str) and name not in own.parameters:
                text = f"`{option}` names `{name}`, which is not a parameter of this function"
                span = _option_span(tree, file, option, name)
                yield Diagnostic("P017", text, span, "no such parameter", help=(f"its parameters: {listed}",))
    if not options.freeze:
        return
    read = {node.id for scope in inside for node in scope.nodes if isinstance(node, gast.Name)}
    for name in options.freeze:
        if name not in read or own.is_local(name):
            text = f"`freeze` names `{name}`, which this function does not read from outside"
            span = _option_span(tree, file, "freeze", name)
            yield Diagnostic("P017", text, span, "nothing to freeze", help=("leave it out",))


def _option_span(tree: AnyFunction, file: str, option: str, name: str) -> Span:
    """The name in the decorator's text, or else the head of the function."""
    for decorator in getattr(tree, "decorator_list", ()):
        for keyword in getattr(decorator, "keywords", ()):
            for node in gast.walk(keyword.value) if keyword.arg == option else ():
                if isinstance(node, gast.Constant) and node.value == name:
                    return Span.of(node, file)
    head = len(f"def {tree.name}".encode()) if isinstance(tree, gast.FunctionDef) else len("lambda")
    return Span(file, tree.lineno, tree.col_offset, tree.lineno, tree.col_offset + head)
