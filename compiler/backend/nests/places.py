"""Where a nest reads and stores elements, and whether two of these places can meet in different turns of a loop.

    for i in ...:                           both walk along axis 0 with `i`: what one turn
        for j in ...: e[i, j] = ...         stores, no other turn sees
        for k in ...: s = s + e[i, k]
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, TypeAlias

import gast

from ... import syntax
from ...analysis.expression_types import is_scalar_operator
from ...analysis.forms import Form
from ...ops.forms import LIST_READS
from ...records import dataclass
from ...types import Array, Type
from .sizes import Scope, Sizes, Span

LoadsOf: TypeAlias = Callable[[gast.expr], Sequence[gast.Subscript]]


@dataclass(frozen=True, slots=True)
class Access:
    """One place in the text where an element is read or stored.  `index` has a form, or None, for every axis."""

    name: str
    index: tuple[Form | None, ...]
    is_store: bool
    scope: Scope


def accesses(statements: Iterable[gast.stmt], scope: Scope, sizes: Sizes, loads_of: LoadsOf) -> Iterator[Access]:
    """Every place in these statements; `loads_of` tells the elements that an expression loads (`elements_in`)."""

    def loads(node: gast.expr) -> Iterator[Access]:
        return (access(part, scope, sizes) for part in loads_of(node))

    for statement in statements:
        match statement:
            case gast.For(target=gast.Name(id=variable), iter=iter_, body=body):
                yield from loads(iter_)
                span = sizes.span(statement, scope) or Span(sizes.variable(variable), ())
                yield from accesses(body, scope.inside(variable, span), sizes, loads_of)
            case gast.If(test=test, body=body, orelse=orelse):
                yield from loads(test)
                yield from accesses(body, scope, sizes, loads_of)
                yield from accesses(orelse, scope, sizes, loads_of)
            case gast.Assign(targets=[gast.Subscript() as place], value=value):
                yield from loads(value)
                yield from loads(place.slice)
                yield access(place, scope, sizes, is_store=True)
            case gast.Assign(value=value):
                yield from loads(value)


def access(place: gast.Subscript, scope: Scope, sizes: Sizes, is_store: bool = False) -> Access:
    return Access(place.value.id, tuple(sizes.of(item) for item in place.slice.elts), is_store, scope)


def elements_in(node: gast.AST) -> list[gast.Subscript]:
    """Every element that an expression loads."""
    found: list[gast.Subscript] = []
    _collect_elements(node, found)
    return found


def _collect_elements(node: Any, found: list[gast.Subscript]) -> None:
    kind = type(node)
    if kind is gast.Name or kind is gast.Constant:
        return
    if kind is gast.Call:
        for part in node.args:
            _collect_elements(part, found)
        for keyword in node.keywords:
            _collect_elements(keyword.value, found)
        return
    if kind is gast.Subscript:
        found.append(node)
        for item in node.slice.elts if type(node.slice) is gast.Tuple else (node.slice,):
            _collect_elements(item, found)
        return
    for child in syntax.children_of(node):
        _collect_elements(child, found)


def is_apart(first: Access, second: Access, variable: str, sizes: Sizes) -> bool:
    """Whether the two places differ whenever the loop over `variable`, which both are in, is in different turns."""
    return any(
        a is not None and b is not None and _turns_apart(a, b, first.scope, second.scope, variable, sizes)
        for a, b in zip(first.index, second.index)
    )


def _turns_apart(a: Form, b: Form, here: Scope, there: Scope, variable: str, sizes: Sizes) -> bool:
    """One index for each turn, the same function of the turn on both sides, or indices within one block each."""
    left, right = _step_of(a, here, variable, sizes), _step_of(b, there, variable, sizes)
    return left is not None and left == right


def _step_of(form: Form, scope: Scope, variable: str, sizes: Sizes) -> tuple[Form, int, int] | None:
    """What is added to the loop variable and how often it counts; an index within its block counts as the variable."""
    inner = {sizes.number_of(name): name for name in scope.spans}
    moving = [(inner[unknown], factor) for unknown, factor in form.terms if unknown in inner]
    around = list(scope.spans)
    later = set(around[around.index(variable) :]) if variable in around else set()
    steps = [(name, factor) for name, factor in moving if name in later]
    if len(steps) != 1:
        return None
    name, factor = steps[0]
    rest = form - sizes.variable(name).times(factor)
    if name == variable:
        return rest, factor, 0
    refined = scope.spans[name].refines
    if refined is None or refined[0] != variable or refined[1] > scope.spans[variable].step:
        return None
    return rest, factor, refined[1]


def is_plain(
    statement: gast.stmt, types: Mapping[str, Type], ask: Callable[[gast.stmt, Mapping[str, Type]], bool]
) -> bool:
    """Whether a statement does nothing but compute scalars and store elements; `ask` tells it of those inside it."""
    match statement:
        case gast.For(body=body):
            return all(ask(s, types) for s in body)
        case gast.If(body=body, orelse=orelse):
            return all(ask(s, types) for s in (*body, *orelse))
        case gast.Assign(targets=[gast.Name(id=name)], value=value):
            return not isinstance(types.get(name), Array) and _is_scalar(value, types)
        case gast.Assign(targets=[gast.Subscript(value=gast.Name(id=base))], value=value):
            return isinstance(types.get(base), Array) and _is_scalar(value, types)
        case gast.Pass():
            return True
    return False


def _is_scalar(node: gast.AST, types: Mapping[str, Type]) -> bool:
    """Whether an expression is made of operators and elements of arrays alone."""
    kind = type(node)
    if kind is gast.Name or kind is gast.Constant:
        return True
    if kind is gast.Call:
        operator = str(syntax.operator_of(node))
        if not is_scalar_operator(operator) or operator in LIST_READS:
            return False
        return all(_is_scalar(part, types) for part in (*node.args, *(k.value for k in node.keywords)))
    if kind is gast.Subscript and not isinstance(types.get(node.value.id), Array):
        return False
    return all(_is_scalar(child, types) for child in gast.iter_child_nodes(node))
