"""What statements and expressions may look like at each stage (`docs/stages.md`, as code).

    typed     y = add(x, 1.0)          not  y = add(sin(x), 1.0)
    loops     y = add(sin(x), 1.0)     not  y = x + 1.0
    core      y = np.sin(x) + 1.0      not  break, with, comprehensions

Each check yields the statement and what is wrong with it.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping

import gast

from .. import syntax
from ..ops import schema
from ..ops.forms import FORMS, LOOPS, LOOPS_OF_TYPED, WHOLE
from ..ops.routines import ROUTINES
from ..program import Function
from ..types import Array, ListOf, Scalar, Type

Fault = tuple[gast.stmt, str]

CORE_STATEMENTS = (
    gast.FunctionDef, gast.Assign, gast.AugAssign, gast.AnnAssign, gast.Expr, gast.For, gast.While, gast.If,
    gast.Return, gast.Raise, gast.Assert, gast.Pass, gast.Break,
)  # fmt: skip
NOT_CORE = (gast.Yield, gast.YieldFrom, gast.Await, gast.NamedExpr)


def core_faults(function: Function) -> Iterator[Fault]:
    """Plain Python of the kinds that `specialise` knows."""
    for statement in _walk_all(function.body):
        if not isinstance(statement, CORE_STATEMENTS):
            yield statement, f"`{type(statement).__name__}` is no statement of core"
        elif isinstance(statement, gast.For | gast.While) and statement.orelse:
            yield statement, "a loop with `else`"
        for node in syntax.own_nodes(statement):
            if isinstance(node, NOT_CORE):
                yield statement, f"`{type(node).__name__}` is no expression of core"


def _walk_all(statements: Iterable[gast.stmt]) -> Iterator[gast.stmt]:
    for statement in statements:
        yield statement
        yield from _walk_all([s for block in syntax.blocks_of(statement) for s in block])


# --- typed ---------------------------------------------------------------------------------------------------------


def typed_faults(function: Function) -> Iterator[Fault]:
    """Flat statements: one operator on atoms each."""
    for statement in syntax.walk(function.body):
        message = _typed_fault(statement, function)
        if message:
            yield statement, message


def _typed_fault(statement: gast.stmt, function: Function) -> str:
    match statement:
        case gast.Assign(targets=[gast.Name()], value=value):
            return _flat(value, function)
        case gast.Assign(targets=[gast.Tuple(elts=places)], value=gast.Call() as call):
            names = all(isinstance(p, gast.Name) for p in places)
            return _call_of_function(call, len(places)) if names else "only names can take the results of a call"
        case gast.Assign(targets=[gast.Subscript(value=gast.Name(), slice=gast.Tuple(elts=items))], value=value):
            return _items(items) or ("" if syntax.is_atom(value) else "what is stored is not an atom")
        case gast.Expr(value=gast.Call() as call):
            return _effect(call)
        case gast.For(target=gast.Name(), iter=iter_):
            return _range(iter_, LOOPS_OF_TYPED, flat=True)
        case gast.While(test=test):
            return _nested(test, function)
        case gast.If(test=test):
            return "" if syntax.is_atom(test) else "the test of `if` is not an atom"
        case gast.Raise(exc=exc):
            return _error(exc)
        case gast.Return(value=gast.Tuple(elts=elements)):
            return "" if all(map(syntax.is_atom, elements)) else "a result is not an atom"
    return f"not a statement of the typed stage: {type(statement).__name__}"


def _flat(value: gast.expr, function: Function) -> str:
    """An atom, an operator on atoms, a load or a call."""
    match value:
        case gast.Name() | gast.Constant():
            return ""
        case gast.Subscript(value=gast.Name(), slice=gast.Tuple(elts=items)):
            return _items(items)
        case gast.Call(func=gast.Name(), args=arguments):
            if not all(map(syntax.is_atom, arguments)):
                return "an operand is not an atom"
            return _operator(value)
    return f"not a right-hand side of the typed stage: {type(value).__name__}"


def _operator(call: gast.Call) -> str:
    """A known operator with the operands and static parts of its row; other names are functions of the program."""
    name = syntax.operator_of(call) or ""
    if name in FORMS:
        wanted = len(FORMS[name].operands)
        return "" if len(call.args) == wanted else f"`{name}` takes {wanted} operands, not {len(call.args)}"
    row = schema.OPERATORS.get(name)
    if row is None:
        return "a function takes no keywords" if call.keywords else ""
    several = bool(row.operands) and row.operands[-1].startswith("*")
    if len(call.args) != len(row.operands) and not (several and len(call.args) >= len(row.operands)):
        return f"`{name}` takes {len(row.operands)} operands, not {len(call.args)}"
    given = {k.arg for k in call.keywords}
    unknown = sorted(given - set(row.static), key=str)
    missing = sorted(k for k, v in row.static.items() if v is ... and k not in given)
    if unknown:
        return f"`{name}` has no static part `{unknown[0]}`"
    return f"`{name}` needs its static part `{missing[0]}`" if missing else ""


def _call_of_function(call: gast.Call, places: int) -> str:
    name = syntax.operator_of(call)
    row = schema.OPERATORS.get(name or "")
    if name is None or row is not None and row.results != places:
        return f"`{name}` does not have {places} results"
    if row is not None:
        return _operator(call)
    return "" if all(map(syntax.is_atom, call.args)) else "an argument is not an atom"


def _items(items: list[gast.expr]) -> str:
    for item in items:
        parts = (item.lower, item.upper, item.step) if isinstance(item, gast.Slice) else (item,)
        if not all(part is None or syntax.is_atom(part) for part in parts):
            return "an index item is not an atom"
        if isinstance(item, gast.Constant) and item.value is ...:
            return "an ellipsis is not written out"
    return ""


def _effect(call: gast.Call) -> str:
    name = syntax.operator_of(call)
    if name == "add_at":
        if len(call.args) != 3 or not isinstance(call.args[1], gast.Tuple):
            return "`add_at` takes an array, a tuple of items and a value"
        return _items(call.args[1].elts)
    if name in schema.OPERATORS or name in FORMS and FORMS[name].gives:
        return f"the result of `{name}` is lost"
    return "" if all(map(syntax.is_atom, call.args)) else "an argument is not an atom"


def _range(iter_: gast.expr, kinds: Container[str | None], flat: bool) -> str:
    if syntax.operator_of(iter_) not in kinds or len(iter_.args) != 3:
        return "a loop runs over range(start, stop, step)"
    if flat and not all(map(syntax.is_atom, iter_.args)):
        return "a bound of the loop is not an atom"
    return ""


def _error(exc: gast.expr | None) -> str:
    if not isinstance(exc, gast.Call) or not isinstance(exc.func, gast.Name):
        return "`raise` takes an exception that is called"
    return ""


# --- loops ---------------------------------------------------------------------------------------------------------


def loops_faults(function: Function) -> Iterator[Fault]:
    """Nested scalar expressions, buffers, views, library calls."""
    for statement in syntax.walk(function.body):
        message = _loops_fault(statement, function)
        if message:
            yield statement, message


def _loops_fault(statement: gast.stmt, function: Function) -> str:
    types = function.types
    match statement:
        case gast.Assign(targets=[gast.Name(id=name)], value=value):
            if isinstance(types.get(name), Array | ListOf):
                return _buffer(value, function)
            return _nested(value, function)
        case gast.Assign(targets=[gast.Tuple()], value=gast.Call() as call):
            return _call_of_function(call, 0)
        case gast.Assign(targets=[gast.Tuple(elts=places)], value=gast.Tuple(elts=values)):
            return _turned(places, values, types)
        case gast.Assign(targets=[gast.Subscript(value=gast.Name(id=base)) as place], value=value):
            if isinstance(types.get(base), ListOf):
                return ""
            return _element(place, function) or _nested(value, function)
        case gast.Expr(value=gast.Call() as call):
            effect = syntax.operator_of(call)
            lost = effect in schema.OPERATORS or effect in FORMS and FORMS[effect].gives
            return f"`{effect}` is lost" if lost else _routine(call, types)
        case gast.For(target=gast.Name(), iter=iter_):
            return _range(iter_, LOOPS, flat=False)
        case gast.While(test=test) | gast.If(test=test):
            return _nested(test, function)
        case gast.Raise(exc=exc):
            return _error(exc)
        case gast.Return(value=gast.Tuple(elts=elements)):
            return "" if all(map(syntax.is_atom, elements)) else "a result is not an atom"
        case gast.Delete(targets=[gast.Name()]) | gast.Pass():  # a loop may do nothing but raise for its step
            return ""
    return f"not a statement of the loops stage: {type(statement).__name__}"


def _routine(call: gast.Call, types: Mapping[str, Type]) -> str:
    """A call of a library routine: arrays of the ranks of its row, all of one dtype but where the row says another."""
    row = ROUTINES.get(syntax.operator_of(call) or "")
    if row is None:
        return ""
    found = [types.get(a.id) if isinstance(a, gast.Name) else None for a in call.args]
    arrays = [t for t in found if isinstance(t, Array)]
    if len(arrays) != len(row.given) or len(arrays) != len(found):
        return f"`{row.name}` takes {len(row.given)} arrays"
    unknown = sorted(set(syntax.static_of(call)) - set(row.static))
    if unknown:
        return f"`{row.name}` has no static part `{unknown[0]}`"
    return row.fault([(t.dtype, t.ndim) for t in arrays], arrays[-1].dtype)


def _turned(places: list[gast.expr], values: list[gast.expr], types: Mapping[str, Type]) -> str:
    """`a, b = b, a`: the same arrays on both sides, all of one type."""
    names = [[e.id for e in side if isinstance(e, gast.Name)] for side in (places, values)]
    if sorted(names[0]) != sorted(names[1]) or len(set(names[0])) < len(places) or len(names[1]) < len(values):
        return "several names get new meanings only among themselves"
    found = {types.get(n) for n in names[0]}
    return "" if len(found) == 1 and isinstance(found.pop(), Array) else "only arrays of one type change places"


def _buffer(value: gast.expr, function: Function) -> str:
    """What may stand right of an array: a buffer, an alias, a view, an element of a list, the result of a call."""
    match value:
        case gast.Name():
            return ""
        case gast.Subscript(value=gast.Name(id=base), slice=gast.Tuple(elts=items)):
            listed = isinstance(function.types.get(base), ListOf)
            view = any(isinstance(i, gast.Slice) or isinstance(i, gast.Constant) and i.value is None for i in items)
            return "" if listed or view else "an array from an index without a slice is no view"
        case gast.Call():
            name = syntax.operator_of(value)
            made = name in WHOLE or name not in schema.OPERATORS
            return "" if made else f"`{name}` of arrays is not of the loops stage"
    return f"no array comes from {type(value).__name__}"


def _nested(node: gast.expr, function: Function) -> str:
    """A nested expression: every operator known and complete, every element access with one index per axis."""
    for part in syntax.nodes_of(node):
        if isinstance(part, gast.Call):
            message = _operator(part) or _routine(part, function.types)
        elif isinstance(part, gast.Subscript):
            message = _element(part, function)
        elif isinstance(part, gast.BinOp | gast.UnaryOp | gast.Compare):
            message = "an operator that is not written as a call"
        else:
            message = ""
        if message:
            return message
    return ""


def _element(place: gast.Subscript, function: Function) -> str:
    """`a[i, j]`: as many ints as the array has axes."""
    if not isinstance(place.value, gast.Name) or not isinstance(place.slice, gast.Tuple):
        return "an element is an index into a name, by a tuple"
    base = function.types.get(place.value.id)
    if isinstance(base, Scalar):
        return f"`{place.value.id}` is a number and has no elements"
    if isinstance(base, Array) and function.stage == "loops":
        if len(place.slice.elts) != base.ndim:
            return f"`{place.value.id}` has {base.ndim} axes, not {len(place.slice.elts)}"
        if any(isinstance(i, gast.Slice) for i in place.slice.elts):
            return "a slice where an element is meant"
    return ""
