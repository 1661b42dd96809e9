"""Check that a function is pure and inside the language; report every fault at once, in source order.

    def f(x):
        print(x)        ->   P004: this function prints
        x[0] = TABLE    ->   P014: this function changes its argument `x`;  P007: this function reads `TABLE`, ...

Takes the tree of a function as it was read (before desugaring), gives diagnostics; changes nothing.  `constructs`
finds what is outside the language, `effects` judges names and calls, `changes` what is written, on the facts of
`analysis.alias_source`, and all three do so for every helper that is reached.  Whether `x += 1` changes an argument is
left to the type checker: `x` may be a number.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import replace
from typing import Protocol

import gast

from ....runtime.frozen import Freeze, functions_in, together
from ...diagnostics import Diagnostic, Label, Span
from ...records import dataclass
from ...vocabulary import ARRAY_METHODS, Vocabulary
from ..source.resolve import NameSource, Resolve, instead_of_reading, resolve_chain
from ..source.scopes import AnyFunction, Scope
from .aliasing import Summaries, facts_of
from .changes import Around, changes
from .constructs import refused_constructs
from .effects import Judge
from .fixes import with_fix
from .helpers import Helper, reached
from .keys import reused_keys


class Options(Protocol):
    """The options of `compile` that purity asks about."""

    @property
    def static(self) -> tuple[str, ...]: ...
    @property
    def mutates(self) -> tuple[str, ...]: ...
    @property
    def freeze(self) -> Freeze: ...


@dataclass(frozen=True, slots=True)
class CheckOptions:
    """The options as plain tuples of names."""

    static: tuple[str, ...] = ()
    mutates: tuple[str, ...] = ()
    freeze: Freeze = ()


def check_function(
    tree: gast.FunctionDef | gast.Lambda,
    *,
    file: str,
    text: str,
    options: Options,
    resolve: Resolve,
    is_supported: Callable[[str], bool],
    known_names: Collection[str] = (),
    judged: set[tuple[object, object]] | None = None,
) -> tuple[Diagnostic, ...]:
    """Every fault of a function, of the functions inside it and of those it reaches; empty when there is none.

    `is_supported` says of a dotted name (`numpy.linalg.norm`, `math.sin`) whether the operator table has it, and
    `known_names` are the names suggestions are drawn from.  Helpers that are in `judged` are left out, and the others
    are added to it.
    """
    check = Check(Vocabulary(is_supported, known_names), Summaries(), options)
    return check.judge(NameSource(tree, file, text, resolve), False, set() if judged is None else judged)[0]


@dataclass(frozen=True, slots=True, eq=False)
class Check:
    """The options and facts that the functions of one check are judged by."""

    vocabulary: Vocabulary
    summaries: Summaries
    options: Options

    def judge(
        self, root: NameSource, is_live: bool, judged: set[tuple[object, object]]
    ) -> tuple[tuple[Diagnostic, ...], bool]:
        """The faults of a function and of what it reaches, and whether all of that exists by now.

        With `is_live` a helper that so far exists only in the source is left for later.
        """
        found, is_complete = self.faults(Helper(root)), True
        for helper in reached(root, self.summaries, is_live):
            if is_live and helper.source.function is None:
                is_complete = False
                continue
            key = helper.identity, together(self.options.freeze, helper.freeze)
            if key not in judged:
                judged.add(key)
                found += self.faults(helper, is_helper=True)
        return in_one_line(found, self.options.freeze), is_complete

    def judge_helper(self, root: NameSource, chain: tuple[Label, ...]) -> tuple[Diagnostic, ...]:
        """The faults of a function that compiled ones alone call, and of what it reaches; `chain` leads to it."""
        first = Helper(root, chain)
        others = [one for one in reached(root, self.summaries, True, chain) if one.source.function is not None]
        found = [fault for one in (first, *others) for fault in self.faults(one, is_helper=True)]
        return in_one_line(found, self.options.freeze)

    def faults(self, one: Helper, is_helper: bool = False) -> list[Diagnostic]:
        """The faults of one function and the functions inside it, each with the calls that lead there."""
        source = one.source
        inside = self.summaries.scopes_of(source.tree)
        found = [] if is_helper else list(_option_faults(inside, source, self.options, self.summaries))
        for scope in inside:
            found += self._scope_faults(scope, source, is_helper, together(self.options.freeze, one.freeze))
        ordered = [with_fix(fault, source) for fault in in_order(_each_told_once(found))]
        return [replace(fault, labels=(*fault.labels, *one.chain)) for fault in ordered] if is_helper else ordered

    def _scope_faults(
        self, scope: Scope, source: NameSource, is_helper: bool, freeze: Freeze
    ) -> Iterator[Diagnostic]:  # fmt: skip
        is_inner, resolve = scope.node is not source.tree, source.resolve
        facts = facts_of(scope, resolve, self.summaries)
        yield from refused_constructs(scope, source.file, resolve, is_inner, freeze, is_helper)
        if isinstance(scope.node, gast.AsyncFunctionDef):
            return
        yield from Judge(scope, facts, source.file, resolve, self.vocabulary, freeze, is_helper).findings()
        mutates = () if is_helper else tuple(self.options.mutates)
        is_called = is_helper or is_inner
        around = Around(
            scope, facts, source.file, source.text, resolve, mutates, not is_called, self.summaries, is_called,
            is_helper,
        )  # fmt: skip
        yield from changes(around)
        yield from reused_keys(scope, source.file, resolve)


def in_one_line(found: list[Diagnostic], freeze: Freeze) -> tuple[Diagnostic, ...]:
    """Every fault that freezing answers proposes the one line that answers all of them."""
    names = tuple(dict.fromkeys(fault.subject for fault in found if fault.code == "P007" and fault.subject))
    help_ = instead_of_reading(names, freeze)
    return tuple(replace(d, help=(help_, *d.help[1:])) if d.code == "P007" and d.subject else d for d in found)


def _each_told_once(found: list[Diagnostic]) -> Iterator[Diagnostic]:
    """Leave out what another finding already says: reading a global that is changed, and further reads of the same."""
    changed = {diagnostic.subject for diagnostic in found if diagnostic.code == "P010"}
    seen: set[str] = set()
    for diagnostic in in_order(found):
        if diagnostic.code == "P007":
            subject = diagnostic.subject
            if subject and (subject.partition(".")[0] in changed or subject in seen):
                continue
            seen.add(subject)
        yield diagnostic


def in_order(found: Iterator[Diagnostic] | list[Diagnostic]) -> tuple[Diagnostic, ...]:
    """Sort by position, with each fault once, however many paths lead to it."""
    first: dict[object, Diagnostic] = {}
    for diagnostic in found:
        first.setdefault((diagnostic.code, diagnostic.span, diagnostic.message), diagnostic)
    return tuple(sorted(first.values(), key=lambda d: (d.span.line, d.span.column, d.code)))


def _option_faults(
    inside: Sequence[Scope], source: NameSource, options: Options, summaries: Summaries
) -> Iterator[Diagnostic]:
    """Names in `static=`, `mutates=` and `freeze=` that are not parameters, or not globals that are read."""
    own = inside[0]
    tree, file = own.node, source.file
    listed = ", ".join(f"`{parameter}`" for parameter in own.parameters) or "none"
    for option in ("static", "mutates"):
        for name in getattr(options, option):
            if isinstance(name, str) and name not in own.parameters:
                text = f"`{option}` names `{name}`, which is not a parameter of this function"
                span = _option_span(tree, file, option, name)
                yield Diagnostic("P017", text, span, "no such parameter", help=(f"its parameters: {listed}",))
    for name in options.mutates:
        if name in options.static and name in own.parameters:
            text = f"`static` and `mutates` both name `{name}`, but what is known at compile time cannot change"
            yield Diagnostic("P017", text, _option_span(tree, file, "mutates", name), "named twice",
                             help=("leave it out of one of them",))  # fmt: skip
    if not isinstance(options.freeze, tuple) or not options.freeze:
        return
    sources = [source, *(one.source for one in reached(source, summaries, False))]
    scopes = [(scope, one.resolve) for one in sources for scope in summaries.scopes_of(one.tree)]
    if any(calls_methods(scope, resolve) for scope, resolve in scopes):
        return
    read = {word for scope, resolve in scopes for word in (*words_read(scope), *words_inside(scope, resolve))}
    for name in options.freeze:
        if name not in read:
            text = f"`freeze` names `{name}`, which this function does not read from outside"
            span, last = _option_span(tree, file, "freeze", name), name.rpartition(".")[2]
            help_ = f'name the attribute alone: "{last}"' if last != name else "leave it out"
            yield Diagnostic("P017", text, span, "nothing to freeze", help=(help_,))


def words_read(scope: Scope) -> Iterator[str]:
    """The names of variables, attributes and defaults that are, or may be, from outside."""
    yield from (node.id for node in scope.nodes if isinstance(node, gast.Name) and not scope.is_local(node.id))
    yield from (node.attr for node in scope.nodes if isinstance(node, gast.Attribute))
    yield from scope.parameters if getattr(scope.node.args, "defaults", ()) or scope.node.args.kw_defaults else ()


def calls_methods(scope: Scope, resolve: Resolve) -> bool:
    """Whether it calls what its source does not show: methods of the user's classes, functions among its arguments."""
    for node in scope.nodes:
        if not isinstance(node, gast.Call):
            continue
        found = resolve_chain(node.func, resolve, scope.is_local)
        is_local = isinstance(node.func, gast.Name) and node.func.id not in scope.functions
        is_method = isinstance(node.func, gast.Attribute) and node.func.attr not in ARRAY_METHODS
        if found is None and (is_local or is_method) or found is not None and found.kind == "class":
            return True
    return False


def words_inside(scope: Scope, resolve: Resolve) -> Iterator[str]:
    """The names that functions in containers mention, as far as their code shows them."""
    for node in scope.nodes:
        found = resolve_chain(node, resolve, scope.is_local) if isinstance(node, gast.Name) else None
        if found is not None and found.kind in ("mutable", "constant"):
            for function in functions_in(found.value):
                yield from (*function.__code__.co_names, *function.__code__.co_freevars)


def _option_span(tree: AnyFunction, file: str, option: str, name: str) -> Span:
    """The name in the decorator's source, or else the head of the function."""
    for decorator in getattr(tree, "decorator_list", ()):
        for keyword in getattr(decorator, "keywords", ()):
            for node in gast.walk(keyword.value) if keyword.arg == option else ():
                if isinstance(node, gast.Constant) and node.value == name:
                    return Span.of(node, file)
    head = len(f"def {tree.name}".encode()) if isinstance(tree, gast.FunctionDef) else len("lambda")
    return Span(file, tree.lineno, tree.col_offset, tree.lineno, tree.col_offset + head)
