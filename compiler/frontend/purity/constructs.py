"""Find the constructs that are outside the language: try, with, generators, classes, imports, sets, ...

    def f(x):
        try:                      ->   U001 at `try`, once for the whole statement; what is inside it is
            return 1 / x               checked all the same
        except ZeroDivisionError:
            return 0.0

Takes one scope, gives its findings; decides by syntax alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import gast

from ....runtime.frozen import Freeze, is_named
from ...analysis.core_liveness import blocks
from ...diagnostics import Diagnostic, Label, Span
from ...syntax import imported_as
from ...vocabulary import INDEX_MAKERS
from ..source import matching
from ..source.cells import can_be_cell
from ..source.refused import REFUSED
from ..source.resolve import Resolve, resolve_chain
from ..source.scopes import Scope, evaluated_here, name_span

# Most of a function is made of these, and they are refused nowhere.
PLAIN = frozenset({gast.Name, gast.BinOp, gast.Call, gast.Assign, gast.Return, gast.keyword})

YIELDS = (gast.Yield, gast.YieldFrom)
OPENING: dict[type[gast.AST], str] = {
    gast.Try: "try",
    gast.TryStar: "try",
    gast.With: "with",
    gast.Match: "match",
    gast.ClassDef: "class",
    gast.AsyncWith: "async with",
    gast.AsyncFor: "async for",
    gast.AsyncFunctionDef: "async def",
}


def refused_constructs(
    scope: Scope, file: str, resolve: Resolve, is_inner: bool, freeze: Freeze, is_helper: bool = False
) -> Iterator[Diagnostic]:  # fmt: skip
    """The constructs of this function that are outside the language; inner functions are scopes of their own."""
    body = [scope.node.body] if isinstance(scope.node, gast.Lambda) else scope.node.body
    yield from _default_values(scope, file, resolve, freeze)
    if isinstance(scope.node, gast.FunctionDef) and is_inner:
        yield from _decorators(scope, file, resolve)
    found: list[Diagnostic] = []
    for node in body:
        _walk(node, file, found)
    called = is_inner or is_helper  # a loop may take the items of its generator
    plain = {Span.of(n.value, file) for n in scope.nodes if isinstance(n, gast.Expr) and isinstance(n.value, YIELDS)}
    yield from (fault for fault in found if not (called and fault.code == "U004" and fault.span in plain))
    yield from _declarations(scope, file)
    yield from _imports(scope, file)


def _walk(node: gast.AST, file: str, found: list[Diagnostic]) -> None:
    if type(node) not in PLAIN:
        fault = _fault(node, file)
        if fault is not None:
            found.append(fault)
    if isinstance(node, gast.ClassDef):
        return
    for child in evaluated_here(node):
        _walk(child, file, found)


def _fault(node: gast.AST, file: str) -> Diagnostic | None:
    match node:
        case gast.ListComp() | gast.DictComp() | gast.SetComp() | gast.GeneratorExp():
            return _async_comprehension(node, file)
        case gast.Match() if faults := list(matching.faults(node)):
            place, what = faults[0]
            text = f"{what} is outside the language"
            return Diagnostic("U009", text, Span.of(place, file), "not supported", help=("write `if` and `elif`",))
        case gast.With() if is_errstate_like(node):
            return None
        case gast.Try() if (leaves := _left_from(node.finalbody)) is not None:
            text = f"`{type(leaves).__name__.lower()}` in `finally` drops what was raised, which is not supported"
            return Diagnostic("U001", text, Span.of(leaves, file), "leaves here", help=("put it after the `try`",))
    if type(node) in REFUSED:
        code, what, way_out = REFUSED[type(node)]
        message = f"{what} is outside the language"
        return Diagnostic(code, message, keyword_span(node, file), "not supported", help=(way_out,))
    if type(node).__name__ in ("TypeAlias", "TemplateStr", "Interpolation"):
        return Diagnostic("U018", "this syntax is outside the language", keyword_span(node, file), "not supported")
    return None


def _left_from(body: Sequence[gast.stmt], in_loop: bool = False) -> gast.stmt | None:
    """The first statement of a block that leaves it, whatever was raised."""
    for node in body:
        if isinstance(node, gast.Return) or isinstance(node, gast.Break | gast.Continue) and not in_loop:
            return node
        inside = in_loop or isinstance(node, gast.For | gast.While)
        for inner in blocks(node):
            found = _left_from(inner, inside)
            if found is not None:
                return found
    return None


def is_errstate_like(node: gast.With) -> bool:
    """Whether it may be `with np.errstate(...)`; the specialiser distinguishes it from others of that name."""
    calls = [item.context_expr for item in node.items if item.optional_vars is None]
    return len(calls) == len(node.items) and all(
        isinstance(call, gast.Call) and getattr(call.func, "attr", getattr(call.func, "id", "")) == "errstate"
        for call in calls
    )


def _async_comprehension(node: gast.AST, file: str) -> Diagnostic | None:
    if any(generator.is_async for generator in node.generators):
        help_ = "collect the values outside and pass them as an argument"
        text = "an asynchronous comprehension is outside the language"
        return Diagnostic("U003", text, Span.of(node, file), "not supported", help=(help_,))
    return None


def keyword_span(node: gast.AST, file: str) -> Span:
    """The keyword that opens a compound statement, so that its body is not underlined; else the whole node."""
    length = len(OPENING.get(type(node), ""))
    if not length:
        return Span.of(node, file)
    return Span(file, node.lineno, node.col_offset, node.lineno, node.col_offset + length)


def _default_values(scope: Scope, file: str, resolve: Resolve, freeze: Freeze) -> Iterator[Diagnostic]:
    """Find mutable defaults: they live as long as the function does, and whoever holds one can change it."""
    a = scope.node.args
    plain = [*a.posonlyargs, *a.args]
    pairs = [*zip(plain[len(plain) - len(a.defaults) :], a.defaults), *zip(a.kwonlyargs, a.kw_defaults)]
    for parameter, default in pairs:
        is_kept = freeze is True or is_named(freeze, parameter.id)
        if default is not None and not is_kept and _can_change(default, scope, resolve):
            text = f"the default value of `{parameter.id}` can change between calls"
            help_ = "use a tuple, or `None` and make the value inside the function"
            label = Label(name_span(parameter, file), "the parameter")
            yield Diagnostic("P013", text, Span.of(default, file), "one object for all calls", (label,), (help_,))


def _can_change(default: gast.expr, scope: Scope, resolve: Resolve) -> bool:
    is_local = scope.parent.is_local if scope.parent else lambda _: False
    match default:
        case gast.List() | gast.ListComp() | gast.Dict() | gast.DictComp():
            return True
        case gast.Name() | gast.Attribute():
            found = resolve_chain(default, resolve, is_local)
            return found is not None and found.kind == "mutable"
        case gast.Call(func=func):
            found = resolve_chain(func, resolve, is_local)
            if found is None:
                return False
            makers = [f"numpy.{name}" for name in INDEX_MAKERS]
            return found.name in ("list", "dict") if found.kind == "builtin" else found.name in makers
        case _:
            return False


def _decorators(scope: Scope, file: str, resolve: Resolve) -> Iterator[Diagnostic]:
    """Decorators of inner functions; those of Pellucid itself mean what they say."""
    for decorator in scope.node.decorator_list:
        made = decorator.func if isinstance(decorator, gast.Call) else decorator
        found = resolve_chain(made, resolve, scope.parent.is_local if scope.parent else lambda _: False)
        if found is None or not found.name.startswith("pellucid."):
            help_ = "call the decorator outside and pass the function it makes as an argument"
            text = "an inner function has a decorator"
            yield Diagnostic("U016", text, Span.of(decorator, file), "not supported", help=(help_,))


def _declarations(scope: Scope, file: str) -> Iterator[Diagnostic]:
    """`global` and `nonlocal`: the fault is shown where the name is written, if it is."""
    for name, statement in scope.declared.items():
        is_global = isinstance(statement, gast.Global)
        code, word = ("P001", "the global") if is_global else ("P002", "a variable of an enclosing function:")
        place = _first_write(scope, name)
        if is_global and place is None:
            continue  # a variable that is only read may be declared all the same
        owner = None if is_global or scope.parent is None else scope.parent.owner(name)
        if owner is not None and can_be_cell(owner.node, name):
            continue  # both functions are compiled as one
        label = (Label(Span.of(statement, file), "declared here"),) if place is not None else ()
        shown = "written here" if place is not None else "declared here"
        text = f"this function writes {word} `{name}`"
        help_ = f"take `{name}` as an argument and return its new value"
        if owner is not None:
            help_ = f"give `{name}` its first value before any branch or loop, and leave it out of `del` and `import`"
        yield Diagnostic(code, text, Span.of(place if place is not None else statement, file), shown, label, (help_,))


def _imports(scope: Scope, file: str) -> Iterator[Diagnostic]:
    """Imports of names that are also variables: what such a name stands for is known only at run time."""
    for node in scope.nodes:
        if isinstance(node, gast.Import | gast.ImportFrom):
            both = sorted(scope.names & set(map(imported_as, node.names)))
            if both:
                text = f"`{both[0]}` is imported and assigned in one function"
                help_ = "import it under a name of its own: `import ... as ...`"
                yield Diagnostic("U006", text, Span.of(node, file), "imported here", help=(help_,))


def _first_write(scope: Scope, name: str) -> gast.AST | None:
    named = [node for node in scope.nodes if isinstance(node, gast.Name) and node.id == name]
    writes = [node for node in named if not isinstance(node.ctx, gast.Load)]
    return min(writes, key=lambda n: (n.lineno, n.col_offset), default=None)
