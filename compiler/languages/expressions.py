"""Read the expressions of a stage: the trees of Python, spelled as a NumPy user would, as operators.

    y = np.sin(x) * k + 1.0      flat, of the typed stage        t = sin(x); t_1 = multiply(t, k); y = add(t_1, 1.0)
                                 nested, of the loops stage      y = add(multiply(sin(x), k), 1.0)

Flat parts become statements of the builder.  What Python evaluates only as it needs it (the right of `and`, the arms
of a choice) is noted in `lazy`: there it is evaluated in any case, and must not fail.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import gast

from .. import syntax, types
from ..analysis.result_types import result_type
from ..builder import COMPARISONS, INFIX, PREFIX, Builder, infer, type_of_constant
from ..dtypes import is_bool
from ..ops import schema
from ..ops.complex_numbers import PARTS
from ..ops.indexing import index_type
from ..ops.schema import TypeFault
from ..types import Array, ListOf, Scalar, Type
from .calls import CallReader
from .faults import fault, shown
from .spellings import dotted_name, results

CONSTANTS = {"pi": math.pi, "e": math.e, "inf": math.inf, "nan": math.nan, "tau": math.tau}


class Expressions:
    """Reads the expressions of one function; `callees` are the functions of its file."""

    def __init__(
        self, builder: Builder, callees: Mapping[str, object], helpers: Mapping[str, str], path: str, stage: str
    ) -> None:
        self.builder, self.table = builder, builder.types
        self.callees, self.helpers, self.path, self.stage = callees, helpers, path, stage
        self.is_nested = stage == "loops"
        self.lazy: list[tuple[gast.expr, list[gast.stmt]]] = []
        self.name_array: Callable[[gast.expr, Type], gast.expr] = lambda tree, _: tree
        self.written: Callable[[], Mapping[str, gast.expr]] = dict
        self.calls = CallReader(self)

    @contextmanager
    def nested(self) -> Iterator[None]:
        """Within it operators stay where they are, as in the test of a `while`."""
        outer, self.is_nested = self.is_nested, True
        yield
        self.is_nested = outer

    def refuse(self, node: gast.AST, message: str, code: str = "L001", *help: str) -> Exception:
        return fault(code, node, self.path, message, help=help)

    # --- values

    def atom(self, node: gast.expr) -> gast.expr:
        """The value as a part of another one: an atom whose own parts are statements, or nested as it is."""
        value, type_ = self.value(node)
        if syntax.is_atom(value) or not isinstance(type_, Array) and self.is_nested:
            return value
        if self.is_nested:
            return self.name_array(value, type_)
        return self.bound(value, type_)

    def bound(self, value: gast.expr, type_: Type) -> gast.Name:
        """A new name of a value; what is known of an int as a length is known of it."""
        made = self.builder.bind(value, type_)
        if isinstance(value, gast.Call) and all(map(syntax.is_atom, value.args)):
            operator = str(syntax.operator_of(value))
            fact = self.builder.extent_of_result(operator, value.args, syntax.static_of(value))
            if fact is not None and type_ == types.INT:
                self.builder.extents[made.id] = fact
        return made

    def type_of(self, tree: gast.expr) -> Type:
        found = result_type(tree, self.table)
        if found is None:
            raise self.refuse(tree, f"`{shown(tree)}` has no type here", "L003")
        return found

    def value(self, node: gast.expr) -> tuple[gast.expr, Type]:
        """(right-hand side, type) of an expression."""
        match node:
            case gast.Constant(value=value):
                return self.constant(node, value)
            case gast.UnaryOp(op=gast.USub(), operand=gast.Constant(value=value)) if not isinstance(value, bool):
                return self.constant(node, -value if isinstance(value, int | float | complex) else value)
            case gast.UnaryOp(op=gast.USub(), operand=gast.Attribute()) if self.is_number(node.operand):
                return syntax.constant(-self.value(node.operand)[0].value), types.FLOAT
            case gast.Name(id=name):
                if name not in self.table:
                    raise self.refuse(node, f"`{name}` has no value here", "L003", "assign it in a line above")
                return syntax.name(name), self.table[name]
            case gast.BinOp(left=left, op=op, right=right):
                return self.operator(node, INFIX[type(op)], [left, right], {})
            case gast.UnaryOp(op=gast.Not(), operand=operand):
                return self.made(node, "logical_not", [self.truth(operand)], {})
            case gast.UnaryOp(op=op, operand=operand):
                return self.operator(node, PREFIX[type(op)], [operand], {})
            case gast.Compare(left=left, ops=ops, comparators=comparators):
                return self.comparison(node, [left, *comparators], ops)
            case gast.BoolOp(op=op, values=values):
                return self.conjunction(node, op, values)
            case gast.IfExp():
                return self.choice(node)
            case gast.Subscript():
                return self.subscript(node)
            case gast.Attribute():
                return self.attribute(node)
            case gast.Call():
                return self.calls.call(node)
        raise self.refuse(node, f"`{shown(node)}` is no expression of the {self.stage} stage")

    def constant(self, node: gast.expr, value: object) -> tuple[gast.expr, Type]:
        if not isinstance(value, bool | int | float | complex):
            raise self.refuse(node, f"`{shown(node)}` is no number")
        if type(value) is int and not -(2**63) <= value < 2**63:
            raise self.refuse(node, f"`{value}` does not fit 64 bits")
        return syntax.constant(value), type_of_constant(value)

    def is_number(self, node: gast.expr) -> bool:
        return dotted_name(node).partition(".")[0] in ("math", "np") and node.attr in CONSTANTS

    def attribute(self, node: gast.Attribute) -> tuple[gast.expr, Type]:
        if self.is_number(node):
            return syntax.constant(CONSTANTS[node.attr]), types.FLOAT
        if node.attr in PARTS:
            return self.operator(node, node.attr, [node.value], {})
        if node.attr == "T":
            base = self.atom(node.value)
            rank = types.rank(self.builder.type_of(base) if syntax.is_atom(base) else self.type_of(base))
            return self.made(node, "transpose", [base], {"axes": tuple(reversed(range(rank)))})
        raise self.refuse(node, f"`.{node.attr}` is nothing of the {self.stage} stage")

    # --- truths

    def truth(self, node: gast.expr) -> gast.expr:
        """A value of which only the truth matters: a list is true where it is not empty."""
        if isinstance(node, gast.Name) and isinstance(self.table.get(node.id), ListOf):
            length = syntax.call("length", node.id)
            counted = length if self.is_nested else self.builder.bind(length, types.INT)
            test = syntax.call("greater", counted, 0)
            return test if self.is_nested else self.builder.bind(test, types.BOOL)
        return self.atom(node)

    def condition(self, node: gast.expr) -> gast.expr:
        """The test of an `if` or a `while`."""
        if self.is_nested and isinstance(node, gast.BoolOp):
            return gast.BoolOp(node.op, [self.condition(value) for value in node.values])
        tree = self.truth(node)
        type_ = self.type_of(tree)
        if not isinstance(type_, Scalar):
            raise self.refuse(node, f"the test is {type_}, not one truth value", "L003", "write np.any or np.all")
        return tree

    def comparison(
        self, node: gast.Compare, sides: Sequence[gast.expr], ops: Sequence[gast.cmpop]
    ) -> tuple[gast.expr, Type]:
        unknown = [op for op in ops if type(op) not in COMPARISONS]
        if unknown:
            raise self.refuse(node, f"`{shown(node)}` is no comparison of numbers")
        atoms = [self.atom(side) for side in sides]
        pairs = [
            self.made(node, COMPARISONS[type(op)], [left, right], {}) for op, left, right in zip(ops, atoms, atoms[1:])
        ]
        if len(pairs) == 1:
            return pairs[0]
        if self.is_nested:
            return gast.BoolOp(gast.And(), [tree for tree, _ in pairs]), types.BOOL
        bound = [self.builder.bind(*pair) for pair in pairs]
        made: tuple[gast.expr, Type] = bound[0], self.builder.type_of(bound[0])
        for other in bound[1:]:
            left = made[0] if syntax.is_atom(made[0]) else self.builder.bind(*made)
            made = self.made(node, "logical_and", [left, other], {})
        return made

    def conjunction(self, node: gast.expr, op: gast.boolop, values: Sequence[gast.expr]) -> tuple[gast.expr, Type]:
        name = "logical_and" if isinstance(op, gast.And) else "logical_or"
        if self.is_nested:
            parts = [self.truth(v) for v in values]
            if self.stage == "loops" and len(parts) == 2:  # `with_lazy_choices` sees whether both may be evaluated
                return self.made(node, name, parts, {})
            tree = gast.BoolOp(op, parts)
            return tree, self.type_of(tree)
        made: tuple[gast.expr, Type] = self.truth(values[0]), types.BOOL
        for other in values[1:]:
            left = made[0] if syntax.is_atom(made[0]) else self.builder.bind(*made)
            with self.noted(other):
                right = self.truth(other)
            made = self.made(node, name, [left, right], {})
        return made

    def choice(self, node: gast.IfExp, is_converted: bool = False) -> tuple[gast.expr, Type]:
        """`x if c else y`: an operator where both can be had, which `lazy` arms are asked about."""
        test = self.truth(node.test)
        arms = []
        for arm in (node.body, node.orelse):
            with self.noted(arm):
                arms.append(self.atom(arm))
        tree, type_ = self.made(node, "where", [test, *arms], {})
        if self.stage == "loops" and not is_converted and any(self.type_of(arm) != type_ for arm in arms):
            return gast.IfExp(test, *arms), type_  # what comes out has the type of the arm, as in Python
        return tree, type_

    @contextmanager
    def noted(self, node: gast.expr) -> Iterator[None]:
        """Note the statements that are made within it: Python may not come to them."""
        body, before = self.builder.body, len(self.builder.body)
        yield
        if len(body) > before:
            self.lazy.append((node, body[before:]))

    # --- elements

    def subscript(self, node: gast.Subscript) -> tuple[gast.expr, Type]:
        match node:
            case gast.Subscript(value=gast.Attribute(value=base, attr="shape"), slice=axis):
                number = self.value(axis)[0]
                if not isinstance(number, gast.Constant):
                    raise self.refuse(node, "the axis of a length is a number")
                return self.operator(node, "dim", [base], {"axis": number.value})
            case gast.Subscript(value=gast.Call(func=func, args=args), slice=gast.Constant(value=number)):
                if (dotted_name(func), number) in results():
                    return self.operator(node, results()[dotted_name(func), number], args, {})
        base = self.atom(node.value)
        if not isinstance(base, gast.Name):
            raise self.refuse(node, f"`{shown(node.value)}` has no name and cannot be indexed", "L001", "name it first")
        items = self.items(node, self.table[base.id])
        tree = syntax.index(base.id, *items)
        if self.is_nested:
            return tree, self.loaded(node, base.id, items)
        return tree, self.checked(node, lambda: index_type(self.builder, self.table[base.id], items))

    def loaded(self, node: gast.AST, base: str, items: list[gast.expr]) -> Type:
        """The type of an element, or of a view, given by nested items."""
        type_ = self.table[base]
        if isinstance(type_, ListOf):
            return type_.element
        if not isinstance(type_, Array):
            raise self.refuse(node, f"`{base}` is {type_} and has no elements", "L003")
        return self.type_of(syntax.index(base, *items))

    def items(self, node: gast.Subscript, base: Type) -> list[gast.expr]:
        """The items of an index, missing axes written out."""
        listed = list(node.slice.elts) if isinstance(node.slice, gast.Tuple) else [node.slice]
        made = [self.item(i) for i in listed]
        if isinstance(base, ListOf):
            return made
        if not isinstance(base, Array):
            raise self.refuse(node, f"`{shown(node.value)}` is {base} and has no elements", "L003")
        used = sum(self.axes_of(i) for i in made)
        if used > base.ndim:
            raise self.refuse(node, f"`{shown(node.value)}` has {base.ndim} axes, and {used} are indexed", "L003")
        full = [syntax.slice_() for _ in range(base.ndim - used)]
        for position, item in enumerate(made):
            if isinstance(item, gast.Constant) and item.value is ...:
                return made[:position] + full + made[position + 1 :]
        return made + full

    def axes_of(self, item: gast.expr) -> int:
        if isinstance(item, gast.Constant) and (item.value is None or item.value is ...):
            return 0
        if isinstance(item, gast.Name) and isinstance(mask := self.table[item.id], Array) and is_bool(mask.dtype):
            return mask.ndim
        return 1

    def item(self, node: gast.expr) -> gast.expr:
        match node:
            case gast.Slice(lower=lower, upper=upper, step=step):
                return gast.Slice(*(None if part is None else self.atom(part) for part in (lower, upper, step)))
            case gast.Constant(value=value) if value is None or value is ...:
                return syntax.constant(value)
            case gast.Attribute(value=gast.Name(id="np"), attr="newaxis"):
                return syntax.constant(None)
        return self.atom(node)

    # --- operators

    def operator(
        self, node: gast.AST, name: str, parts: Sequence[gast.expr], static: dict[str, Any]
    ) -> tuple[gast.expr, Type]:
        """An operator on expressions; those after its operands are its static parts in their order."""
        row = schema.OPERATORS.get(name)
        if row is None:
            raise self.unknown(node, name)
        several = bool(row.operands) and row.operands[-1].startswith("*")
        count = len(parts) if several else len(row.operands)
        if len(parts) > count + len(row.static):
            raise self.refuse(node, f"`{name}` takes {count} operands, and these are {len(parts)}")
        atoms = [self.atom(p) for p in parts[:count]]
        extra = dict(zip([k for k in row.static if k not in static], parts[count:], strict=False))
        given = {**{k: self.calls.static_value(v) for k, v in extra.items()}, **static}
        return self.made(node, name, atoms, given)

    def unknown(self, node: gast.AST, name: str) -> Exception:
        if name in self.callees:
            return self.refuse(node, f"the call of `{name}` stands inside an expression", "L001",
                               "give its result a name in a line of its own")  # fmt: skip
        written = dotted_name(node.func) if isinstance(node, gast.Call) else name
        return self.refuse(node, f"`{written or name}` is no operator of the {self.stage} stage", "L001",
                           "write it with the operators of docs/stages.md, or change the function itself")  # fmt: skip

    def made(
        self, node: gast.AST, name: str, atoms: Sequence[gast.expr], static: dict[str, Any]
    ) -> tuple[gast.expr, Type]:
        """An operator on atoms, or on what is nested, with its type."""
        row = schema.OPERATORS[name]
        given = dict(static)
        shape = given.get("shape")
        if isinstance(shape, int | gast.Name | gast.Constant | gast.Call | gast.Subscript):
            given["shape"] = (shape,) if isinstance(shape, int) else syntax.tuple_([shape])
        wrong = len(atoms) != len(row.operands) and not (row.operands and row.operands[-1].startswith("*"))
        unknown = given.keys() - row.static.keys()
        if wrong or unknown:
            what = f"has no part `{min(unknown)}`" if unknown else f"takes {len(row.operands)} operands"
            raise self.refuse(node, f"`{name}` {what}")
        full = {**{k: v for k, v in row.static.items() if v is not ...}, **given}
        tree = syntax.call(name, *atoms, **full)
        if self.is_nested:
            return tree, self.checked(node, lambda: self.type_of(tree))
        return tree, self.checked(node, lambda: infer(self.builder, row, list(atoms), full))

    def checked(self, node: gast.AST, infer_: Any) -> Any:
        """A type, or the fault that there is none."""
        try:
            return infer_()
        except TypeFault as wrong:
            raise self.refuse(node, wrong.message, "L003", *wrong.help) from None
