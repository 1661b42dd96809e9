"""What is known while one function is lowered, and the statements written so far.

`nodes` says what every array name of the typed function is; `realised` says which nodes have been put in memory.  Both
are restored at the end of a block, because what a branch computed is not there on the other path.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from functools import cached_property
from typing import TypeAlias

import gast

from .. import syntax
from ..analysis.failure import can_fail
from ..analysis.liveness import Liveness, liveness
from ..analysis.memory.alias import Aliases, Shared, alias
from ..builder import affine_result, type_of_constant
from ..diagnostics import InternalError, Span
from ..dtypes import INT_WORD
from ..names import RESERVED, Names
from ..ops.forms import LENGTHS, is_never_negative
from ..ops.schema import row_of
from ..program import Function, Program
from ..types import INT, Array, Dim, Extent, ListOf, Scalar, Type
from .arithmetic import text_of
from .facts import Facts, symbols_of
from .nodes import ONE_LONG, Apply, Fill, Length, Node, ScalarTree, Select, Stored

Factors: TypeAlias = tuple[int, tuple[str, ...]]

INDEX_NAMES = "ijkl"


class Lowering:
    """The state of one function's lowering; the rules write into it."""

    def __init__(self, function: Function, program: Program, calls: Mapping[str, Shared]) -> None:
        self.function, self.program, self.calls = function, program, calls
        self.types: dict[str, Type] = dict(function.types)
        self.written: set[str] = set()
        self.names = Names({*function.types, *function.parameters, *program.functions})
        self.reserved = {*function.types, *program.functions} | RESERVED
        self.symbols = Names(s for type_ in self.types.values() for s in symbols_of(type_))
        self.facts = Facts(function)
        self.body: list[gast.stmt] = []
        self.span: Span | None = None
        self.inlined: tuple[Span, ...] = ()
        self.statement: gast.stmt | None = None
        self.nodes: dict[str, Node] = {}
        self.realised: dict[Node, Stored] = {}
        self.equal: dict[str, str] = {}
        self.uses: Counter[Node] = Counter()
        self.sizes: dict[Node, int] = {}
        self.hints: dict[Node, str] = {}
        self.kept: set[Node] = set()
        self.reasons: dict[Node, str] = {}
        self.raising: list[Node] = []
        self.ranges: dict[str, tuple[int, Extent]] = {}
        self.extents: dict[str, Extent] = {}
        self.natural: set[str] = set()
        self.products: dict[str, Factors] = {}
        self.slices: dict[tuple[str, str], Extent] = {}
        self.counts: dict[Node, gast.Name] = {}
        self.views: dict[tuple[str, tuple[str, ...]], tuple[Stored, frozenset[str]]] = {}
        self.active: list[str] = []
        self.locals: dict[str, str] = {}
        self.origin: dict[str, str] = {}

    # --- what only some statements need

    @cached_property
    def aliases(self) -> Aliases:
        return alias(self.function, calls=self.calls)

    @property
    def live(self) -> Liveness:
        return liveness(self.function)

    # --- writing

    def emit(self, statement: gast.stmt) -> None:
        if getattr(statement, "span", None) is None:
            syntax.at(statement, self.span, self.inlined)
        self.body.append(statement)

    def assign(self, name: str, tree: gast.expr, type_: Type) -> str:
        self.types[name] = type_
        self.written.add(name)
        self.emit(syntax.assign(name, tree))
        return name

    def fresh(self, wish: str) -> str:
        """A new variable; it gets the wished name in the end, if that is not otherwise used in the output."""
        name = self.names.fresh(wish)
        self.locals[name] = wish
        return name

    def local(self, wish: str, type_: Scalar) -> str:
        """A new scalar."""
        name = self.fresh(wish)
        self.types[name] = type_
        return name

    def index_name(self) -> str:
        """The name of the next inner loop's variable: `i`, `j`, ... by depth, the same in nests side by side."""
        number = 0
        while True:
            letter = INDEX_NAMES[number % 4] + ("" if number < 4 else f"_{number // 4}")
            number += 1
            if letter in self.active or letter in self.reserved:
                continue
            self.names.take(letter)
            self.types[letter] = INT
            self.active.append(letter)
            return letter

    @contextmanager
    def capture(self) -> Iterator[list[gast.stmt]]:
        """Statements emitted inside go to the list that is given."""
        outer, self.body = self.body, []
        try:
            yield self.body
        finally:
            self.body = outer

    @contextmanager
    def block(self) -> Iterator[list[gast.stmt]]:
        """The same, and what becomes known inside is forgotten at the end."""
        tables = ("nodes", "realised", "equal", "ranges", "extents", "natural", "products", "slices", "views", "counts")
        known = {table: getattr(self, table).copy() for table in tables}
        with self.capture() as body:
            yield body
        for table in tables:
            setattr(self, table, known[table])

    def is_overwritten(self, name: str) -> bool:
        """Whether elements of the array, or of one that may ever share them, are overwritten anywhere."""
        return self._class_of(name) in self.facts.overwritten_classes

    def is_kin(self, left: str, right: str) -> bool:
        """Whether the language may let two arrays share elements; a new buffer belongs to whoever it is made for."""
        return self._typed_name(right) not in self.function.types or self._class_of(left) == self._class_of(right)

    def _class_of(self, name: str) -> str:
        return self.facts.sharing.root(self._typed_name(name))

    @contextmanager
    def at(self, node: Node) -> Iterator[None]:
        """Statements emitted inside belong to the line that the node comes from."""
        here = self.span, self.inlined
        if isinstance(node, Apply | Select) and node.span is not None:
            self.span, self.inlined = node.span, node.inlined
        try:
            yield
        finally:
            self.span, self.inlined = here

    # --- reading

    def resolve(self, node: Node) -> Node:
        return self.realised.get(node, node)

    def type_of(self, atom: gast.expr) -> Type:
        match atom:
            case gast.Name(id=id_):
                return self.function.types[id_]
            case gast.Constant(value=value):
                return type_of_constant(value)
        raise InternalError("loops", text_of(atom), "not an atom")

    def value(self, atom: gast.expr) -> ScalarTree:
        type_ = self.type_of(atom)
        if not isinstance(type_, Scalar):
            raise InternalError("loops", text_of(atom), "a scalar is needed here")
        return ScalarTree(atom, type_.dtype, type_.weak)

    def are_scalars(self, atoms: Iterable[gast.expr]) -> bool:
        """Whether none of them has axes, or is a node that has yet to be evaluated."""
        return all(type(a) is gast.Constant or a.id not in self.nodes for a in atoms)

    def node(self, atom: gast.expr) -> Node:
        """The node of an atom; a scalar's has no axes."""
        if isinstance(atom, gast.Name) and atom.id in self.nodes:
            return self.resolve(self.nodes[atom.id])
        return Fill(self.value(atom))

    def name_node(self, name: str, node: Node) -> None:
        """The typed name means this node from here on."""
        self.nodes[name] = node
        self.hints.setdefault(node, name)
        self.uses[node] += self.facts.reads[name]

    def stored(self, name: str, lengths: tuple[Length, ...] | None = None) -> Stored:
        """The node of an array variable."""
        type_ = self.types[name]
        if not isinstance(type_, Array):
            raise InternalError("loops", name, "not an array")
        trees = [syntax.constant(e) if isinstance(e, int) else syntax.call("dim", name, axis=k)
                 for k, e in enumerate(type_.dims)]  # fmt: skip
        own = tuple(ONE_LONG if e == 1 else Length(e, t) for e, t in zip(type_.dims, trees))
        if lengths is not None:
            own = tuple(
                old if self._outlives(old.tree) else replace(new, one_of=old.one_of) for old, new in zip(lengths, own)
            )
        return Stored(name, type_, own)

    def _outlives(self, tree: gast.expr) -> bool:
        """Whether this tree is a length for as long as the function runs."""
        match tree:
            case gast.Constant():
                return True
            case gast.Call(func=gast.Name(id="dim"), args=[gast.Name(id=name)]):
                return name in self.function.parameters and name not in self.facts.merged
            case gast.Call(args=args):
                return all(map(self._outlives, args))
        return False

    def can_fail(self, tree: gast.expr) -> bool:
        return can_fail(tree, self.types)

    def is_list(self, name: str) -> bool:
        return isinstance(self.function.types.get(name), ListOf)

    def may_share(self, left: str, right: str, statement: gast.stmt | None = None) -> bool:
        """Whether two array variables may share elements just before a statement, or the one that is lowered now."""
        statement = statement or self.statement
        left, right = self._typed_name(left), self._typed_name(right)
        return left == right or (statement is not None and self.aliases.may_share(statement, left, right))

    def _typed_name(self, name: str) -> str:
        """The name that alias analysis knows: a view's is what it is a view of, a new buffer shares with nothing."""
        while name not in self.function.types and name in self.origin:
            name = self.origin[name]
        return name

    # --- what is known of ints

    def know(self, name: str, tree: gast.expr) -> None:
        """Note what an int variable's value is, where it is a length or near a loop's variable."""
        if name in self.facts.merged or (type(tree) is gast.Call and not self._may_tell(tree)):
            return
        if self.is_natural(tree):
            self.natural.add(name)
        product = self.factors_of(tree)
        if product is not None:
            self.products[name] = product
        match tree:
            case gast.Constant(value=int() as value) if not isinstance(value, bool):
                self.extents[name] = value
            case gast.Call(func=gast.Name(id="cast"), args=[gast.Name() as same]):
                if self._is_whole(same.id) and syntax.static_of(tree)["dtype"] == INT_WORD:
                    self.know(name, same)
            case gast.Call(func=gast.Name(id="maximum"), args=[gast.Name() as same, gast.Constant(value=0)]):
                if self.is_natural(same):
                    self.know(name, same)
            case gast.Name(id=same):
                for table in (self.extents, self.ranges, self.products):
                    if same in table:
                        table[name] = table[same]  # type: ignore[assignment]
            case gast.Call(func=gast.Name(id="dim"), args=[gast.Name(id=array)]):
                self.extents[name] = self.function.types[array].dims[syntax.static_of(tree)["axis"]]  # type: ignore
            case gast.Call(func=gast.Name(id=operator), args=[left, right]):
                row = row_of(operator)
                if row is not None and row.is_sum:
                    known = affine_result(operator, self.extent_of(left), self.extent_of(right))
                    if known is not None:
                        self.extents[name] = known
                    self._know_range(name, row.sign, left, right)

    def _may_tell(self, call: gast.Call) -> bool:
        """Whether something may be known of a result: of most numbers nothing is, nor then of their sums."""
        operator = syntax.operator_of(call)
        row = row_of(operator)
        if row is None or not (row.is_polynomial or row.natural):
            return operator in LENGTHS
        tables = self.natural, self.products, self.extents, self.ranges
        known = (type(a) is not gast.Name or any(a.id in table for table in tables) for a in call.args)
        return (row.natural or all)(known)

    def _is_whole(self, name: str) -> bool:
        type_ = self.types.get(name)
        return isinstance(type_, Scalar) and type_.dtype == INT_WORD

    def _know_range(self, name: str, sign: int, left: gast.expr, right: gast.expr) -> None:
        if isinstance(left, gast.Constant) and sign > 0:
            left, right = right, left
        if not (isinstance(left, gast.Name) and left.id in self.ranges and isinstance(right, gast.Constant)):
            return
        if type(right.value) is not int:
            return
        low, high = self.ranges[left.id]
        by = sign * right.value
        self.ranges[name] = (low + by, _moved(high, by))

    def factors_of(self, tree: gast.expr) -> Factors | None:
        """A product of lengths as a number and names."""
        match tree:
            case gast.Name(id=name) if name in self.products:
                return self.products[name]
            case gast.Name() | gast.Constant() if (known := self.extent_of(tree)) is not None and self.is_natural(tree):
                return self.factors_of_extent(known)
            case gast.Call(func=gast.Name(id="multiply"), args=args):
                parts = [self.factors_of(a) for a in args]
                if all(part is not None for part in parts):
                    (one, first), (other, second) = parts  # type: ignore[misc]
                    return one * other, (*first, *second)
        return None

    def factors_of_extent(self, extent: Extent) -> Factors:
        return (extent, ()) if isinstance(extent, int) else (1, (str(self.canonical(extent)),))

    def is_natural(self, tree: gast.expr) -> bool:
        """Whether an int is known not to be negative."""
        match tree:
            case gast.Constant(value=value):
                return isinstance(value, int) and value >= 0
            case gast.Name(id=name):
                return name in self.natural or self.ranges.get(name, (-1, 0))[0] >= 0
            case gast.Call(func=gast.Name(id=operator), args=args):
                return is_never_negative(operator, map(self.is_natural, args))
        return False

    def extent_of(self, atom: gast.expr) -> Extent | None:
        match atom:
            case gast.Constant(value=int() as value):
                return value
            case gast.Name(id=id_):
                return self.extents.get(id_)
        return None

    def is_inside(self, atom: gast.expr, extent: Extent) -> bool:
        """Whether `0 <= atom < extent` is known."""
        if isinstance(atom, gast.Constant):
            return isinstance(extent, int) and 0 <= atom.value < extent
        if not (isinstance(atom, gast.Name) and atom.id in self.ranges):
            return False
        low, high = self.ranges[atom.id]
        return low >= 0 and self._at_most(high, extent)

    def _at_most(self, low: Extent, high: Extent) -> bool:
        if isinstance(low, int) and isinstance(high, int):
            return low <= high
        if isinstance(low, int) or isinstance(high, int):
            return False
        return self.canonical(low).terms == self.canonical(high).terms and low.constant <= high.constant

    def same(self, left: Extent, right: Extent) -> bool:
        """Whether two lengths are known to be equal here."""
        return left == right or (
            isinstance(left, Dim) and isinstance(right, Dim) and self.canonical(left) == self.canonical(right)
        )

    def canonical(self, extent: Dim) -> Dim:
        terms: Counter[str] = Counter()
        for symbol, factor in extent.terms:
            while symbol in self.equal:
                symbol = self.equal[symbol]
            terms[symbol] += factor
        return Dim(tuple(sorted(terms.items())), extent.constant)

    def make_equal(self, left: Extent, right: Extent) -> None:
        """From here on, as far as this block reaches, the two lengths are the same."""
        if not (isinstance(left, Dim) and isinstance(right, Dim)):
            return
        left, right = self.canonical(left), self.canonical(right)
        symbols = [_only_symbol(left), _only_symbol(right)]
        if all(symbols) and symbols[0] != symbols[1] and left.constant == right.constant:
            self.equal[str(symbols[1])] = str(symbols[0])

    def forget_lengths(self, name: str) -> None:
        """A merged name gets another array: what was found out about its lengths may not hold for the new one."""
        symbols = set(symbols_of(self.function.types[name]))
        self.equal = {a: b for a, b in self.equal.items() if a not in symbols and b not in symbols}


def _only_symbol(extent: Dim) -> str | None:
    return extent.terms[0][0] if len(extent.terms) == 1 and extent.terms[0][1] == 1 else None


def _moved(extent: Extent, by: int) -> Extent:
    return extent + by if isinstance(extent, int) else Dim(extent.terms, extent.constant + by)
