"""Spell typed and loops statements as the Python a NumPy user would write.

    y = add(multiply(x, 2.0), sum(a, axis=0))     ->     y = x * 2.0 + np.sum(a, axis=0)
    x = add(x, 1.0)                                      x += 1.0
    a[i, :] = add(a[i, :], v)                            a[i] += v

Takes trees whose operators are calls, gives plain ones for `unparse`.  How an operator is written is said by its row;
what only this file knows are the forms that no operator has: lists, index items, errors, library calls.  An augmented
assignment is written only where Python's means the same: on scalars, and on elements whose dtype the sum keeps.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from string import Formatter
from typing import Any

import gast

from ... import syntax
from ...analysis.result_types import result_type
from ...builder import INFIX
from ...diagnostics import InternalError
from ...messages import message_arguments
from ...ops import schema
from ...ops.forms import FORMS, ROUTINES
from ...ops.schema import row_of
from ...program import Function
from ...types import Array, ListOf, Scalar, Type
from .templates import attribute, fill, numpy_dtype

AUGMENTED = {operator: sign for sign, operator in INFIX.items() if operator != "matmul"}
HELPERS = tuple(form.name for form in FORMS.values() if not form.python)


class Speller:
    """Spells one function; `helpers` says what the functions of `pellucid.support` are called in the file.

    `annotated` writes the types of empty lists, which a reader of the stage could not know.
    """

    def __init__(self, function: Function, helpers: Mapping[str, str], annotated: bool = False) -> None:
        self.types, self.helpers, self.annotated = function.types, helpers, annotated

    def body(self, statements: Iterable[gast.stmt]) -> list[gast.stmt]:
        return [self.statement(s) for s in statements]

    # --- statements

    def statement(self, node: gast.stmt) -> gast.stmt:
        match node:
            case gast.Assign(targets=[place], value=value):
                return self.assignment(node, place, value)
            case gast.Expr(value=gast.Call() as call):
                return syntax.rebuild(node, value=self.effect(call))
            case gast.For(iter=iter_, body=body):
                return syntax.rebuild(node, iter=self.bounds(iter_), body=self.body(body))
            case gast.While(test=test, body=body):
                return syntax.rebuild(node, test=self.test(test), body=self.body(body))
            case gast.If(test=test, body=[], orelse=orelse):
                return syntax.rebuild(node, test=opposite(self.test(test)), body=self.body(orelse), orelse=[])
            case gast.If(test=test, body=body, orelse=orelse):
                return syntax.rebuild(node, test=self.test(test), body=self.body(body), orelse=self.body(orelse))
            case gast.Raise(exc=gast.Call() as error):
                return syntax.rebuild(node, exc=self.error(error))
            case gast.Return(value=gast.Tuple(elts=elements)):
                values = [self.expression(e) for e in elements]
                only = values[0] if len(values) == 1 else gast.Tuple(values, gast.Load()) if values else None
                return syntax.rebuild(node, value=only)
            case gast.Delete() | gast.Pass():
                return node
        raise InternalError("printer", gast.dump(node), "not a statement of a typed stage")

    def assignment(self, node: gast.stmt, place: Any, value: gast.expr) -> gast.stmt:
        if isinstance(place, gast.Tuple):
            target = place.elts[0] if len(place.elts) == 1 else place
            return syntax.rebuild(node, targets=[target], value=self.expression(value))
        target = place if isinstance(place, gast.Name) else self.element(place)
        if self.annotated and syntax.operator_of(value) == "new_list":
            note = syntax.constant(str(self.types[target.id]))
            return _like(gast.AnnAssign(target, note, self.expression(value), 1), node)
        match value:
            case gast.Call(func=gast.Name(id=operator), args=[first, second]) if (
                operator in AUGMENTED and self.may_augment(place, first, value)
            ):
                sign = AUGMENTED[operator]()
                return _like(gast.AugAssign(target, sign, self.expression(second)), node)
        return syntax.rebuild(node, targets=[target], value=self.expression(value))

    def may_augment(self, place: gast.expr, first: gast.expr, total: gast.expr) -> bool:
        """Whether `place = place + ...` may be written `place += ...`; of whole arrays that would change aliases."""
        if isinstance(place, gast.Name):
            same = isinstance(first, gast.Name) and first.id == place.id
            return same and isinstance(self.types.get(place.id), Scalar)
        if not isinstance(place, gast.Subscript) or not isinstance(first, gast.Subscript):
            return False
        same = syntax.same(place.slice, first.slice) and syntax.same(place.value, first.value)
        base, result = self.types.get(place.value.id), result_type(total, self.types)
        return same and isinstance(base, Array) and result is not None and result.dtype == base.dtype  # type: ignore

    def effect(self, call: gast.Call) -> gast.expr:
        match call:
            case gast.Call(func=gast.Name(id="append"), args=[list_, value]):
                return gast.Call(gast.Attribute(list_, "append", gast.Load()), [self.expression(value)], [])
            case gast.Call(func=gast.Name(id="add_at"), args=[base, gast.Tuple(elts=items), value]):
                place = self.items(items)
                if any(isinstance(i, gast.Slice) for i in items):
                    place = gast.Subscript(attribute("np.s_"), place, gast.Load())
                return gast.Call(attribute("np.add.at"), [base, place, self.expression(value)], [])
        return self.expression(call)

    def bounds(self, call: gast.expr) -> gast.expr:
        """`range(0, n, 1)` as `range(n)`."""
        if not isinstance(call, gast.Call):
            raise InternalError("printer", gast.dump(call), "a loop runs over a range")
        start, stop, step = call.args
        plain = isinstance(step, gast.Constant) and step.value == 1
        from_zero = plain and isinstance(start, gast.Constant) and start.value == 0
        parts = [stop] if from_zero else [start, stop] if plain else [start, stop, step]
        return gast.Call(self.callee(call.func.id), [self.expression(p) for p in parts], [])

    def error(self, call: gast.Call) -> gast.expr:
        """`ValueError("{} is negative", x)` as `ValueError(f"{x} is negative")`."""
        if not call.args or not isinstance(call.args[0], gast.Constant):
            return call
        values = iter([self.expression(a) for a in call.args[1:]])
        arguments: list[gast.expr] = []
        for argument in message_arguments(call.args[0].value) or ("",):
            if isinstance(argument, str):
                arguments.append(self.text(argument, values))
            else:
                arguments.append(next(values) if argument is None else syntax.constant(argument[0]))
        return gast.Call(call.func, arguments, [])

    def text(self, template: str, values: Iterator[gast.expr]) -> gast.expr:
        """A format and its values as a formatted string."""
        pieces: list[gast.expr] = []
        for text, field, specification, conversion in Formatter().parse(template):
            if text:
                pieces.append(syntax.constant(text))
            if field is not None:
                form = gast.JoinedStr([syntax.constant(specification)]) if specification else None
                pieces.append(gast.FormattedValue(next(values), ord(conversion) if conversion else -1, form))
        plain = all(isinstance(p, gast.Constant) for p in pieces)
        return syntax.constant("".join(p.value for p in pieces)) if plain else gast.JoinedStr(pieces)

    # --- expressions

    def expression(self, node: gast.expr) -> gast.expr:
        match node:
            case gast.Name() | gast.Constant():
                return node
            case gast.Subscript():
                return self.element(node)
            case gast.BoolOp(op=op, values=values):
                return _joined(op, [self.test(v) for v in values])
            case gast.IfExp(test=test, body=body, orelse=orelse):
                return gast.IfExp(self.test(test), self.expression(body), self.expression(orelse))
            case gast.Tuple(elts=elements):
                return gast.Tuple([self.expression(e) for e in elements], gast.Load())
            case gast.Call(func=gast.Name(id=operator), args=arguments):
                return self.call(operator, arguments, node)
        raise InternalError("printer", gast.dump(node), "not an expression of a typed stage")

    def call(self, operator: str, arguments: list[gast.expr], node: gast.Call) -> gast.expr:
        match operator, arguments:
            case "new_list", []:
                return gast.List([], gast.Load())
            case "length", [list_]:
                return gast.Call(syntax.name("len"), [list_], [])
            case "pop", [list_]:
                return gast.Call(gast.Attribute(list_, "pop", gast.Load()), [], [])
        row = schema.OPERATORS.get(operator)
        if row is None:
            values = [self.expression(a) for a in arguments]
            return gast.Call(self.callee(operator), values, keywords_to_write(operator, node))
        return self.operator(row, arguments, node)

    def operator(self, row: schema.Operator, arguments: list[gast.expr], node: gast.Call) -> gast.expr:
        operands = [result_type(a, self.types) for a in arguments]
        scalars = all(isinstance(t, Scalar) for t in operands)
        spelling = row.scalar_spelling if row.scalar_spelling and scalars else row.spelling
        if row.name.startswith("logical_") and scalars and not python_keeps(row.name, operands):
            spelling = row.spelling
        values = [self.expression(a) for a in arguments]
        static = {k: v for k, v in row.static.items() if v is not ...} | syntax.static_of(node)
        made = fill(row, spelling, values, self.static(static), operands, static)
        wanted = result_type(node, self.types)
        if row.name == "where" and scalars and wanted is not None and set(operands[1:]) != {wanted}:
            return gast.Call(numpy_dtype(wanted.dtype, wanted.weak), [made], [])  # type: ignore[union-attr]
        return made

    def static(self, static: Mapping[str, object]) -> dict[str, gast.expr]:
        """Static parts as trees; a shape of one length is written without its tuple."""
        trees: dict[str, gast.expr] = {}
        for key, value in static.items():
            tree = syntax.literal(value)
            if key == "dtype":
                trees[key] = numpy_dtype(str(value), bool(static.get("weak", False)))
            elif isinstance(tree, gast.Tuple):
                parts = [self.expression(e) for e in tree.elts]
                trees[key] = parts[0] if key == "shape" and len(parts) == 1 else gast.Tuple(parts, gast.Load())
            else:
                trees[key] = tree
        return trees

    def test(self, node: gast.expr) -> gast.expr:
        """An expression of which only the truth matters."""
        match node:
            case gast.Call(func=gast.Name(id="greater"), args=[gast.Call(func=gast.Name(id="length"), args=[list_]),
                                                               gast.Constant(value=0)]):  # fmt: skip
                return list_
            case gast.Call(func=gast.Name(id="logical_not"), args=[inner]) if self.is_scalar(inner):
                return gast.UnaryOp(gast.Not(), self.test(inner))
            case gast.Call(args=[left, right]) if self.is_scalar(left) and self.is_scalar(right):
                row = row_of(syntax.operator_of(node))
                if row is not None and row.conjoins is not None:
                    sign = gast.And() if row.conjoins else gast.Or()
                    return _joined(sign, [self.test(left), self.test(right)])
        return self.expression(node)

    def is_scalar(self, node: gast.expr) -> bool:
        return isinstance(result_type(node, self.types), Scalar)

    def element(self, node: gast.Subscript) -> gast.Subscript:
        items = node.slice.elts if isinstance(node.slice, gast.Tuple) else [node.slice]
        if not isinstance(self.types.get(node.value.id), ListOf):
            items = without_trailing_axes(items)
        return syntax.rebuild(node, slice=self.items(items))

    def items(self, items: list[gast.expr]) -> gast.expr:
        parts = [self.item(i) for i in items]
        return parts[0] if len(parts) == 1 else gast.Tuple(parts, gast.Load())

    def item(self, item: gast.expr) -> gast.expr:
        if not isinstance(item, gast.Slice):
            return self.expression(item)
        bounds = (item.lower, item.upper, item.step)
        return gast.Slice(*(None if bound is None else self.expression(bound) for bound in bounds))

    def callee(self, name: str) -> gast.expr:
        return syntax.name(self.helpers.get(name, name))


def keywords_to_write(operator: str, node: gast.Call) -> list[gast.keyword]:
    """The static parts of a routine's call that are not those that its row has by default."""
    usual = ROUTINES[operator].static if operator in ROUTINES else {}
    return [k for k in node.keywords if k.arg not in usual or usual[k.arg] != syntax.value_of(k.value)]


def python_keeps(operator: str, operands: Iterable[Type | None]) -> bool:
    """Whether Python's `and`, `or`, `not` give the type: `not` makes a Python bool of NumPy's, `and` gives either."""
    weak = {isinstance(t, Scalar) and t.weak for t in operands}
    return weak == {True} or (len(weak) == 1 and operator != "logical_not")


def _joined(op: gast.boolop, values: list[gast.expr]) -> gast.BoolOp:
    """`a or b or c`, however the tests are nested."""
    inner = ([*v.values] if isinstance(v, gast.BoolOp) and type(v.op) is type(op) else [v] for v in values)
    return gast.BoolOp(op, [value for each in inner for value in each])


def opposite(test: gast.expr) -> gast.expr:
    """A plain test that holds where this one does not."""
    if isinstance(test, gast.UnaryOp) and isinstance(test.op, gast.Not):
        return test.operand
    return gast.UnaryOp(gast.Not(), test)


def without_trailing_axes(items: list[gast.expr]) -> list[gast.expr]:
    """`a[i, :, :]` as `a[i]`; one item stays."""
    kept = list(items)
    while len(kept) > 1 and _is_whole(kept[-1]):
        kept.pop()
    return kept


def _is_whole(item: gast.expr) -> bool:
    return isinstance(item, gast.Slice) and item.lower is None and item.upper is None and item.step is None


def _like(made: gast.stmt, old: gast.stmt) -> gast.stmt:
    """The new statement with everything the old one carries besides its fields."""
    for key, value in vars(old).items():
        if key not in old._fields:
            setattr(made, key, value)
    return made
