"""Emit typed statements: name the value, infer its type, remember where the user wrote it.

    builder.call("multiply", "x", 2.0, hint="t")     appends   t = x * 2.0   and returns the name `t`
    builder.quote("out_bar * cos(x)", x=x, out_bar=g)  appends one statement per operator of the template

The builder knows the value of an int where it is an affine expression of lengths (`extents`), so that
`zeros(shape=(n - 1,))` gets the dimension `n - 1`.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from typing import Any, TypeAlias

import gast

from . import meanings, syntax, types
from .diagnostics import InternalError, Span
from .dtypes import INT_WORD
from .meanings import Meaning, Meanings
from .names import Names
from .ops import indexing, schema
from .ops.collectives import length_of_axis
from .parsing import parsed_expression
from .program import Reason
from .types import Array, Dim, Extent, ListOf, Scalar, Type

INFIX: dict[type, str] = {
    gast.Add: "add", gast.Sub: "subtract", gast.Mult: "multiply", gast.Div: "divide", gast.FloorDiv: "floor_divide",
    gast.Mod: "remainder", gast.Pow: "power", gast.MatMult: "matmul", gast.BitAnd: "bitwise_and",
    gast.BitOr: "bitwise_or", gast.BitXor: "bitwise_xor", gast.LShift: "left_shift", gast.RShift: "right_shift",
}  # fmt: skip
PREFIX: dict[type, str] = {gast.USub: "negative", gast.UAdd: "positive", gast.Invert: "invert", gast.Not: "logical_not"}
COMPARISONS: dict[type, str] = {
    gast.Eq: "equal", gast.NotEq: "not_equal", gast.Lt: "less", gast.LtE: "less_equal",
    gast.Gt: "greater", gast.GtE: "greater_equal",
}  # fmt: skip


Specialiser: TypeAlias = Callable[..., tuple[Any, ...]]


class Builder:
    """Appends statements to `body`; `names`, `types`, `extents`, `symbols` may be shared by builders of one function.

    `lengths` says for the lengths of arguments which axis of which argument has them.
    `may_unify` holds while every statement so far runs on every call: what an operator needs of the lengths of
    arguments then becomes a fact of their types, which is checked on entry.  `merged` holds the names that are assigned
    more than once: what is known of their value does not outlive a read.  `heap` is where the specialiser keeps what
    lists and dicts hold, `before_loop` the objects there that are older than the loop whose body is being walked.
    `specialiser` walks through functions in the language.  `loops` counts the loops whose bodies are being walked.
    `looped_over` has for each of them the lists that it iterates over, `puts` what was put into lists that grow, and
    `taken_over` the lists whose items a comprehension moves into a new one (`shared_items.py`).
    `protection` is what the specialiser knows of the `try` around, and `beside` the records of whoever builds, which
    are undone with the builder's own.
    `hidden` has the names of arrays from outside, which are parameters after the arguments.
    `singles` are the lengths of slices such as `1:2`, which have one element or, where the axis is too short, none.
    `first` are statements before all others, which fill `tables`: arrays of constants, each made once.
    `widened` has the names that hold what Python has in different types on different paths, with those: the float
    that an `acc = 0` and an `acc = 0.5` become, the np.float64 that the sum of a loop is, which begins with 0.0.
    `entered` has the names at the heads of loops that hold a known number of Python's, that with which the loop begins,
    until its body is seen to give others of Python's; with the heads that this follows from.  `relied` has those heads
    of which a type was decided by that.
    """

    def __init__(
        self, names: Names, table: dict[str, Type], extents: dict[str, Extent] | None = None,
        symbols: set[str] | None = None,
    ) -> None:  # fmt: skip
        self.names, self.types = names, table
        self.extents: dict[str, Extent] = {} if extents is None else extents
        # those of the types, unless another builder has them by now: there may be one of each for every loop
        self.symbols = {s for t in table.values() for s in types.symbols_of(t)} if symbols is None else symbols
        self.lengths: dict[Extent, tuple[str, int]] = {}
        self.may_unify = False
        self.arguments: list[str] = []
        self.hidden: dict[Any, str] = {}
        self.reasons: dict[tuple[str, int], Reason] = {}
        self.merged: set[str] = set()
        self.heap: Any = None
        self.before_loop: frozenset[int] = frozenset()
        self.loops = 0
        self.puts: list[tuple[int, str]] = []
        self.taken_over: dict[int, int] = {}
        self.looped_over: list[frozenset[int]] = []
        self.protection: Any = None
        self.beside: tuple[Any, ...] = ()
        self.singles: set[str] = set()
        self.widened: dict[str, Meanings] = {}
        self.entered: dict[str, tuple[complex, frozenset[str]]] = {}
        self.relied: set[str] = set()
        self.body: list[gast.stmt] = []
        self.first: list[gast.stmt] = []
        self.tables: dict[Any, Any] = {}
        self.span: Span | None = None
        self.inlined: tuple[Span, ...] = ()
        self.specialiser: Specialiser | None = None

    def append(self, statement: gast.stmt) -> None:
        """Append a statement; one inside a `try` may be dealt with there."""
        if self.protection is None or not self.protection.takes(statement):
            self.put(statement)

    def put(self, statement: gast.stmt) -> None:
        """Append a statement as it is."""
        if self.may_unify and may_raise_first(statement, self.types):
            self.may_unify = False
        if getattr(statement, "span", None) is None:
            syntax.at(statement, self.span, self.inlined)
        elif not getattr(statement, "inlined", ()):
            statement.inlined = self.inlined
        self.body.append(statement)

    def mark(self) -> tuple[list[gast.stmt], int]:
        """Where the program stands, for `since`."""
        return self.body, len(self.body)

    def since(self, mark: tuple[list[gast.stmt], int]) -> list[gast.stmt]:
        """What has been appended since then; inside a `try` also what stands after tests that came in between."""
        bodies = [*(() if self.protection is None else self.protection.outer_bodies()), self.body]
        first = next((k for k, body in enumerate(bodies) if body is mark[0]), len(bodies) - 1)
        return [*bodies[first][mark[1] :], *(statement for body in bodies[first + 1 :] for statement in body)]

    def whole(self) -> list[gast.stmt]:
        """Everything, with what comes before all else."""
        return [*self.first, *self.body]

    def type_of(self, atom: gast.expr | str) -> Type:
        if isinstance(atom, str):
            return self.types[atom]
        if type(atom) is gast.Name:
            return self.types[atom.id]
        if type(atom) is gast.Constant:
            return type_of_constant(atom.value)
        raise InternalError("builder", f"not an atom: {gast.dump(atom)}")

    def extent_of(self, atom: gast.expr | int) -> Extent:
        """The dimension that an array gets from this int; an opaque symbol where nothing better is known."""
        match atom:
            case int():
                return max(0, atom)
            case gast.Constant(value=value):
                return max(0, int(value))
            case gast.Name(id=id_):
                if id_ in self.merged:
                    return self.fresh_symbol(id_)
                if id_ not in self.extents:
                    self.extents[id_] = self.fresh_symbol(id_)
                return self.extents[id_]
        raise InternalError("builder", "an extent is an int or a name")

    def fresh_symbol(self, wish: str = "n") -> Dim:
        """A length of which nothing is known yet.  Symbols have a name space of their own, apart from the names."""
        symbol, number = wish, 1
        while symbol in self.symbols:
            symbol, number = f"{wish}_{number}", number + 1
        self.symbols.add(symbol)
        return types.symbol(symbol)

    def unify(self, left: Extent, right: Dim, operator: str = "") -> bool:
        """Take a length of an argument for another one, or for a number, where `operator` cannot do with two."""
        if right not in self.lengths or not (isinstance(left, int) or left in self.lengths):
            return False
        lengths = {right.terms[0][0]: left}
        for name in self.arguments:
            dims = getattr(self.types[name], "dims", ())
            for axis in (k for k, extent in enumerate(dims) if extent == right):
                self.reasons[name, axis] = Reason(self.span, self.inlined, operator)
        for name, type_ in self.types.items():
            self.types[name] = types.with_lengths(type_, lengths)
        for name, extent in self.extents.items():
            self.extents[name] = types.substitute(extent, lengths)
        self.lengths = {types.substitute(e, lengths): place for e, place in reversed(self.lengths.items())}
        return True

    def bind(self, value: gast.expr, type_: Type, hint: str = "t") -> gast.Name:
        """Append `fresh = value`; the name is new and has this type."""
        fresh = self.names.fresh(hint)
        self.types[fresh] = type_
        self.append(syntax.assign(fresh, value))
        if self.widened:
            source = value.value if type(value) is gast.Subscript else value
            self.widen(fresh, [self.widened.get(source.id, ())] if type(source) is gast.Name else ())
        return syntax.name(fresh)

    def meanings_of(self, atom: gast.expr | str) -> Meanings:
        """What Python has for it on one path or another."""
        if type(atom) is gast.Constant:
            return frozenset({meanings.known(type_of_constant(atom.value), atom.value)})
        name = atom if isinstance(atom, str) else atom.id
        return self.widened.get(name) or frozenset({Meaning(types.of_elements(self.types[name]))})

    def widen(self, name: str, sides: Iterable[Iterable[Meaning]]) -> None:
        """Say what Python has for a name on one path or another, if that differs from its type."""
        found, declared = meanings.united(sides), types.of_elements(self.types[name])
        self.widened.pop(name, None)
        if any(one.type != declared for one in found):
            self.widened[name] = found

    def call_all(self, operator: str, *parts: object, hints: Sequence[str], **static: object) -> tuple[gast.Name, ...]:
        """The same for an operator that has several results: `w, v = operator(parts, static)`."""
        row = schema.OPERATORS[operator]
        atoms = [syntax.atom(p) for p in parts]
        full = {**row.static, **static}
        found: Any = type_for(self, row, [self.type_of(a) for a in atoms], full)
        made = tuple(map(self.names.fresh, hints))
        self.types.update(zip(made, found, strict=True))
        self.append(syntax.assign(made, syntax.call(operator, *atoms, **full)))
        if self.widened:
            self.widen_results(made, row, atoms, full)
        return tuple(map(syntax.name, made))

    def widen_results(self, made: Sequence[str], row: schema.Operator, atoms: list[gast.expr], static: Any) -> None:
        """Say what Python has for the results of an operator."""
        found = [results for _, results in paths(self, row, atoms, static)]
        for name, sides in zip(made, zip(*found, strict=True), strict=False):
            self.widen(name, [sides])

    def call(self, operator: str, *parts: object, hint: str = "t", **static: object) -> gast.expr:
        """Append `hint = operator(parts, static)` and return its name.  Raises schema.TypeFault."""
        row = schema.OPERATORS[operator]
        atoms = [p if type(p) is gast.Name else syntax.atom(p) for p in parts]
        full = {**{k: v for k, v in row.static.items() if v is not ...}, **static} if row.static else static
        operands = [self.type_of(a) for a in atoms]
        if self.may_unify and (pairs := required_equal(row, operands)):
            for left, right in pairs:
                self.unify(left, right, as_written(row))
            operands = [self.type_of(a) for a in atoms]
        result = type_for(self, row, operands, full)
        made = self.bind(syntax.call(operator, *atoms, **full), result, hint)
        if self.widened and not isinstance(result, ListOf):
            self.widen_results([made.id], row, atoms, full)
        fact = self.extent_of_result(operator, atoms, full)
        if fact is not None:
            self.extents[made.id] = fact
        return made

    def extent_of_result(self, operator: str, atoms: list[gast.expr], static: dict) -> Extent | None:
        if operator == "axis_size":
            return length_of_axis(static["axis_name"])
        if operator == "dim":
            return self.type_of(atoms[0]).dims[static["axis"]]
        if operator == "maximum" and getattr(atoms[1], "value", None) == 0:
            return self.extents.get(getattr(atoms[0], "id", ""))  # a dimension is clamped at zero anyway
        if operator == "cast" and _is_whole(self.type_of(atoms[0])) and static["dtype"] == INT_WORD:
            return self.extents.get(getattr(atoms[0], "id", ""))
        if len(atoms) != 2 or not all(_is_whole(self.type_of(a)) for a in atoms):
            return None
        left, right = (
            a.value if isinstance(a, gast.Constant) else self.extents.get(a.id) for a in atoms
        )
        return affine_result(operator, left, right)

    def load(self, base: gast.expr | str, items: Sequence[gast.expr], hint: str = "t") -> gast.Name:
        """Append `hint = base[items]`."""
        base = syntax.atom(base)
        result = indexing.index_type(self, self.type_of(base), items)
        return self.bind(syntax.index(base.id, *items), result, hint)

    def expand(self, function: Any, atoms: Sequence[Any], static: Mapping[str, Any]) -> tuple[Any, ...]:
        """Append what a function in the language does with these operands, and return the atoms of its results."""
        if self.specialiser is None:
            raise InternalError("builder", function.__name__, "nothing is here to walk through functions")
        return self.specialiser(self, function, atoms, static)

    def quote(self, template: str, hint: str = "t", **bindings: gast.expr) -> gast.expr:
        """Append the statements of a template such as `out_bar * cos(x)` and return the atom of its value."""
        return self._emit(parse_template(template), bindings, hint)

    def _emit(self, node: gast.expr, bindings: dict[str, gast.expr], hint: str = "t") -> gast.expr:
        match node:
            case gast.Name(id=id_):
                return bindings[id_]
            case gast.Constant():
                return node
            case gast.BinOp(left=left, op=op, right=right):
                operator, parts = INFIX[type(op)], [left, right]
            case gast.UnaryOp(op=gast.USub(), operand=gast.Constant(value=value)):
                return syntax.constant(-value)
            case gast.UnaryOp(op=op, operand=operand):
                operator, parts = PREFIX[type(op)], [operand]
            case gast.Compare(left=left, ops=[op], comparators=[right]):
                operator, parts = COMPARISONS[type(op)], [left, right]
            case gast.Call(func=gast.Name(id=operator), args=parts):
                pass
            case _:
                raise InternalError("template", gast.dump(node))
        atoms = [self._emit(part, bindings) for part in parts]
        static = {k.arg: syntax.value_of(k.value) for k in getattr(node, "keywords", ())}
        static = {k: bindings[v.id] if isinstance(v, gast.Name) else v for k, v in static.items()}
        return self.call(operator, *atoms, hint=hint, **static)


def as_written(row: schema.Operator) -> str:
    """The operator between the names of its operands: `x + y`."""
    return re.sub(r"\{\w+\}", lambda place: place[0][1:-1], row.spelling)


def _is_whole(type_: Type) -> bool:
    return isinstance(type_, Scalar) and type_.dtype == INT_WORD


def infer(builder: Builder, row: schema.Operator, atoms: list[gast.expr], static: dict) -> Type:
    """The type of an operator on these atoms."""
    return type_for(builder, row, [builder.type_of(a) for a in atoms], static)


def type_for(builder: Builder, row: schema.Operator, operands: list[Type], static: dict) -> Type:
    """The type of an operator on operands of these types; shapes reach the rule as extents."""
    known = static
    if "shape" in known:
        shape = known["shape"]
        elements = shape.elts if isinstance(shape, gast.Tuple) else shape
        known = {**static, "shape": tuple(builder.extent_of(e) for e in elements)}
    return row.type_rule(tuple(operands), **known)


def paths(
    builder: Builder, row: schema.Operator, atoms: Sequence[gast.expr], static: dict
) -> Iterator[tuple[tuple[Meaning, ...], tuple[Meaning, ...]]]:
    """What the operands may be in Python, where some of them are several things, with what the results are then."""
    if not any(type(a) is gast.Name and a.id in builder.widened for a in atoms):
        return
    operands = [builder.type_of(a) for a in atoms]
    for given in itertools.product(*(sorted(builder.meanings_of(a), key=str) for a in atoms)):
        on_path = [
            replace(t, dtype=one.type.dtype) if isinstance(t, Array) else t if isinstance(t, ListOf) else one.type
            for t, one in zip(operands, given, strict=True)
        ]
        try:
            found: Any = type_for(builder, row, on_path, static)
        except schema.TypeFault:  # an operator that has no such operands fails on that path
            continue
        made = [types.of_elements(t) for t in (found if isinstance(found, tuple) else (found,))]
        function = row.meaning if row.precedence is not None and all(one.weak for one in made) else None
        yield given, tuple(meanings.result_in_python(function, given, one) for one in made)


def may_raise_first(statement: gast.stmt, table: dict[str, Type]) -> bool:
    """Whether a statement may raise something else than a mismatch of shapes, or need not run."""
    if not isinstance(statement, gast.Assign) or not isinstance(statement.targets[0], gast.Name):
        return True
    value = statement.value
    if isinstance(value, gast.Subscript):
        items = value.slice.elts if isinstance(value.slice, gast.Tuple) else [value.slice]
        return not all(isinstance(i, gast.Slice) or (isinstance(i, gast.Constant) and i.value is None) for i in items)
    row = schema.OPERATORS.get(syntax.operator_of(value) or "")
    if row is None:
        return not syntax.is_atom(value)
    # reductions of nothing and negative lengths raise the ValueError that a mismatch raises too
    operands = [type_of_constant(a.value) if isinstance(a, gast.Constant) else table[a.id] for a in value.args]
    return row.kind not in ("reduction", "creation") and row.raises(operands, syntax.static_of(value))


def required_equal(row: schema.Operator, operands: list[Type]) -> list[tuple[Dim, Dim]]:
    """The pairs of symbolic lengths that an operator needs to be equal."""
    if row.kind not in ("elementwise", "contraction"):
        return []
    arrays = [t for t in operands if isinstance(t, Array) and t.ndim]
    if len(arrays) < 2:
        return []
    pairs: list[tuple[Extent, Extent]] = []
    if row.kind == "elementwise":
        for other in arrays[1:]:
            pairs += zip(arrays[0].dims[::-1], other.dims[::-1], strict=False)
    elif row.name == "matmul" and len(arrays) == 2:
        pairs = [(arrays[0].dims[-1], arrays[1].dims[-2] if arrays[1].ndim > 1 else arrays[1].dims[0])]
    return [(a, b) for a, b in pairs if isinstance(a, Dim) and isinstance(b, Dim) and a != b]


def affine_result(operator: str, left: Extent | None, right: Extent | None) -> Extent | None:
    """The extent of a sum, difference or multiple of ints, where it stays affine and no clamp can bite before it."""
    match operator, left, right:
        case ("add", int(k), Dim() as d) | ("add", Dim() as d, int(k)) if types.is_plain(d):
            return types.shift(d, k)
        case "subtract", Dim() as d, int(k) if types.is_plain(d):
            return types.shift(d, -k)
        case "add", Dim(), Dim():
            return types.add(left, right)
        case ("multiply", int(k), Dim() as d) | ("multiply", Dim() as d, int(k)) if types.is_plain(d) and k > 0:
            return types.affine({s: c * k for s, c in d.terms}, d.constant * k)
        case "floor_divide", Dim(), 1:
            return left
    return None


def type_of_constant(value: object) -> Scalar:
    found = types.type_of_number(value)
    if found is None:
        raise InternalError("builder", f"a constant without a type: {value!r}")
    return found


@cache
def parse_template(text: str) -> gast.expr:
    return parsed_expression(text)
