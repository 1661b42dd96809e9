"""The derivatives of all orders of the result of one operator, whose operands have theirs along a curve: Taylor mode.

    y = sin(x)     ->     y_dot  = x_dot * c                       with c = cos(x), c_dot = -(x_dot * sin(x))
                          y_dot2 = x_dot2 * c + x_dot * c_dot

The first is the tangent that the row gives (`tangents.py`), a few statements; the others are the derivatives of those
statements, made when they are asked for.  What is linear is its own derivative, and a product has Leibniz's rule: that
keeps the cost of order k to about k^2 products, where forward mode applied k times takes 2^k.

Source: A. Griewank and A. Walther, Evaluating Derivatives (2008), chapter 13.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from math import comb, factorial, prod
from typing import TYPE_CHECKING, TypeAlias

import gast

from .. import syntax
from ..types import is_floating
from .cotangents import Atom
from .schema import EACH, OPERATORS, TOGETHER, Operator, TypeFault
from .tangents import fitted, tangent, tangents_of_results, together

if TYPE_CHECKING:
    from ..builder import Builder


class Terms:
    """A value and its derivatives: `at(k)` is that of order k, None where it is zero."""

    def at(self, order: int) -> Atom | None:
        raise NotImplementedError


class Given(Terms):
    """Derivatives that are there."""

    def __init__(self, terms: Sequence[Atom | None]) -> None:
        self.terms = terms

    def at(self, order: int) -> Atom | None:
        return self.terms[order]


class Constant(Terms):
    """What is the same along the curve."""

    def __init__(self, value: Atom | None) -> None:
        self.value = value

    def at(self, order: int) -> Atom | None:
        return None if order else self.value


class Derived(Terms):
    """The derivatives of the first derivative of something."""

    def __init__(self, of: Terms) -> None:
        self.of = of

    def at(self, order: int) -> Atom | None:
        return self.of.at(order + 1)


class Made(Terms):
    """The derivatives of a result, each made when it is asked for first."""

    def __init__(self, value: Atom, make: Callable[[int], Atom | None]) -> None:
        self.make = make
        self.terms: list[Atom | None] = [value]

    def at(self, order: int) -> Atom | None:
        while len(self.terms) <= order:
            self.terms.append(self.make(len(self.terms)))
        return self.terms[order]


Sources: TypeAlias = "list[Terms | None]"


class Curve:
    """What is known along the curve of the names that one statement reads, and of those made of them."""

    def __init__(self, builder: Builder) -> None:
        self.builder = builder
        self.known: dict[str, Terms] = {}
        self.calls: dict[str, dict[str, Terms]] = {}  # what was followed, by operator and operands

    def give(self, name: gast.Name, terms: Sequence[Atom | None]) -> None:
        self.known[name.id] = Given(terms)

    def of(self, atom: Atom) -> Terms | None:
        """What is known of an atom; None for one that is the same along the curve."""
        return self.known.get(atom.id) if isinstance(atom, gast.Name) else None

    def follow(self, statement: gast.Assign) -> Mapping[str, Terms]:
        """The derivatives of what a statement assigns; nothing for what stays the same along the curve."""
        names, value = list(syntax.names_bound(statement)), statement.value
        if not any(name in self.known for name in syntax.names_read(value)):
            return {}
        made: dict[str, Terms] = {}
        match value:
            case gast.Name():
                made = {names[0]: self.known[value.id]}
            case gast.Subscript(value=gast.Name(id=base)) if base in self.known:
                made = {names[0]: self._of_load(names[0], value)}
            case gast.Call(func=gast.Name(id=operator)) if operator in OPERATORS:
                made = self._of_call(names, OPERATORS[operator], value)
        self.known.update(made)
        return made

    def _of_load(self, name: str, value: gast.Subscript) -> Terms:
        source, items = self.known[value.value.id], value.slice.elts

        def make(order: int) -> Atom | None:
            base = source.at(order)
            return None if base is None else self.builder.load(base, items)

        return Made(syntax.name(name), make)

    def _of_call(self, names: Sequence[str], row: Operator, node: gast.Call) -> dict[str, Terms]:
        rules = row.partials if row.kind == "elementwise" else row.vjp
        many = bool(row.operands) and row.operands[0].startswith("*")
        smooth = [bool(rules) and rules[0 if many else k] is not None for k in range(len(node.args))]
        sources = [self.of(atom) if is_smooth else None for atom, is_smooth in zip(node.args, smooth)]
        if all(source is None for source in sources):
            return {}
        key = gast.dump(node)
        if key in self.calls:  # the cosine whose derivative is a sine that is there
            return dict(zip(names, self.calls[key].values()))
        if row.results > 1:
            made = self._of_several(names, row, node, sources)
        else:
            result = _Result(self, row, node, sources, syntax.name(names[0]))
            made = {names[0]: Made(result.out, result.derivative)}
        self.calls[key] = made
        return made

    def _of_several(self, names: Sequence[str], row: Operator, node: gast.Call, sources: Sources) -> dict[str, Terms]:
        outs = [syntax.name(name) for name in names]
        slopes: list[Terms | None] = []
        static = syntax.static_of(node)
        made: dict[str, Terms] = {}

        def rule() -> list[Atom | None]:
            return tangents_of_results(self.builder, row, node.args, dots, static, outs)

        def make(place: int) -> Callable[[int], Atom | None]:
            return lambda order: at(place, order)

        dots: list[Atom | None] = []

        def at(place: int, order: int) -> Atom | None:
            if not slopes:
                dots.extend(self.slopes(sources))
                slopes.extend(self.first(rule))
            slope = slopes[place]
            return None if slope is None else slope.at(order - 1)

        for place, out in enumerate(outs):
            if is_floating(self.builder.type_of(out)):
                made[out.id] = Made(out, make(place))
        return made

    def slopes(self, sources: Sources) -> list[Atom | None]:
        """The first derivatives of operands, under names by which the next ones are known."""
        return [None if source is None else self._slope(source) for source in sources]

    def _slope(self, source: Terms) -> Atom:
        atom = source.at(1)
        if not isinstance(atom, gast.Name) or atom.id in self.known and not _are_same(self.known[atom.id], source):
            atom = self.builder.bind(atom, self.builder.type_of(atom))  # type: ignore[arg-type]
        self.known.setdefault(atom.id, Derived(source))
        return atom

    def first(self, rule: Callable[[], Sequence[Atom | None]]) -> list[Terms | None]:
        """The first derivatives that a rule emits, with what follows from its statements."""
        begin = len(self.builder.body)
        found = rule()
        for statement in self.builder.body[begin:]:
            self._note(statement)
        return [None if atom is None else self.of(atom) or Constant(atom) for atom in found]

    def _note(self, statement: gast.stmt) -> None:
        if isinstance(statement, gast.Assign) and not isinstance(statement.targets[0], gast.Subscript):
            self.follow(statement)
        elif any(name in self.known for inner in syntax.walk([statement]) for name in syntax.names_read(inner)):
            raise TypeFault("G003", "a derivative that is computed in a loop has no further ones in Taylor mode",
                            "nest `jvp` for the derivatives of higher order")  # fmt: skip


def _are_same(known: Terms, source: Terms) -> bool:
    return isinstance(known, Derived) and known.of is source


class _Result:
    """The one result of a call."""

    def __init__(self, curve: Curve, row: Operator, node: gast.Call, sources: Sources, out: gast.Name) -> None:
        self.curve, self.row, self.sources, self.out = curve, row, sources, out
        self.builder, self.operands, self.static = curve.builder, node.args, syntax.static_of(node)
        self.slope: Terms | None = None
        self.is_walked = False

    def derivative(self, order: int) -> Atom | None:
        value = self._value(order)
        return None if value is None else fitted(self.builder, value, self.out, "t")

    def _value(self, order: int) -> Atom | None:
        row = self.row
        if row.linear == TOGETHER:
            dots = [None if source is None else source.at(order) for source in self.sources]
            return together(self.builder, row, self.operands, dots, self.static, "t")
        if row.linear == EACH or row.is_product:
            return self._leibniz(order)
        if row.undoes:
            return self._quotient(order)
        if row.series is not None:
            terms = [[source.at(k) for k in range(1, order + 1)] for source in self.sources if source is not None]
            return row.series(self.builder, self.operands, terms, self.static)
        if not self.is_walked:
            self.is_walked = True
            dots = self.curve.slopes(self.sources)
            (self.slope,) = self.curve.first(lambda: [
                tangent(self.builder, row, self.operands, dots, self.static, self.out, "t")
            ])  # fmt: skip
        return None if self.slope is None else self.slope.at(order - 1)

    def _term(self, orders: Sequence[int]) -> Atom | None:
        """The operator of these derivatives of the operands, None where one is zero."""
        parts = [self.operands[k] if source is None else source.at(order)
                 for k, (source, order) in enumerate(zip(self.sources, orders, strict=True))]  # fmt: skip
        if any(part is None for part in parts):
            return None
        return self.builder.call(self.row.name, *parts, **self.static)

    def _leibniz(self, order: int) -> Atom | None:
        """The sum over all ways to share the order among the operands."""
        total: Atom | None = None
        for orders in shares(order, [source is not None for source in self.sources]):
            weight = factorial(order) // prod(map(factorial, orders))
            total = self._added(total, self._term(orders), weight)
        return total

    def _added(self, total: Atom | None, term: Atom | None, weight: int) -> Atom | None:
        if term is None:
            return total
        if weight != 1:
            term = self.builder.call("multiply", float(weight), term)
        return term if total is None else self.builder.call("add", total, term)

    def _quotient(self, order: int) -> Atom | None:
        """Of out * y = x, solved for the highest derivative of out."""
        (above, below), build = self.sources, self.builder
        left = None if above is None else above.at(order)
        taken: Atom | None = None
        for k in range(order if below is not None else 0):
            mine, its = self.curve.known[self.out.id].at(k), below.at(order - k)  # type: ignore[union-attr]
            if mine is not None and its is not None:
                taken = self._added(taken, build.call(self.row.undoes, mine, its), comb(order, k))
        if taken is not None:
            left = build.call("negative", taken) if left is None else build.call("subtract", left, taken)
        return None if left is None else build.call(self.row.name, left, self.operands[1])


def shares(order: int, takes: Sequence[bool]) -> Iterator[tuple[int, ...]]:
    """All ways to share an order among those that take some, most to the first."""
    if not any(takes):
        if order == 0:
            yield (0,) * len(takes)
        return
    most = order if takes[0] else 0
    for mine in range(most, -1, -1):
        for others in shares(order - mine, takes[1:]):
            yield (mine, *others)
