"""What one iteration of a loop makes of the loop-carried names, as trees over what they hold when it begins.

    t = greater(v, best)
    if t:                              best     v if greater(v, best) else best
        best = v                 ->    place    i if greater(v, best) else place
        place = i

What is about these names alone leaves the iteration, and the trees stand for it.  Where all of a branch that they do
not decide depends on the branch alone, `close` writes it there: it takes the trees of names that have changed and
whether nothing is after them, and gives statements for those that it knows.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from collections.abc import Set as AbstractSet

import gast

from ... import syntax
from ...analysis.def_use import reads_of
from ...analysis.expression_types import type_of
from ...ops.schema import row_of
from ...renaming import replace_reads
from ...types import Scalar, Type
from .trees import with_name

Trees = dict[str, gast.expr]
Close = Callable[[Trees, bool], tuple[list[gast.stmt], set[str]]]


class Unclear(Exception):
    """Something is loop-carried that is no fold."""


class Turn:
    """Walks through an iteration; `states` are the loop-carried names, and `sums` those that it accumulates."""

    def __init__(
        self, states: AbstractSet[str], sums: AbstractSet[str], types: Mapping[str, Type], close: Close
    ) -> None:
        self.states, self.sums, self.types, self.close = states, sums, types, close
        self.trees: Trees = {}
        self.settled: set[str] = set()  # states for which a statement has been written
        self.fixed: set[str] = set()  # names that trees mention: they keep their values
        self.path: list[tuple[gast.expr, bool]] = []  # the outcomes, on this path, of tests that the states decide

    def walked(self, body: Sequence[gast.stmt]) -> list[gast.stmt]:
        """The statements that are left.  Raises Unclear."""
        made = self.block(body)
        return made + self.closed({}, must=True)

    def block(self, body: Sequence[gast.stmt]) -> list[gast.stmt]:
        return [made for node in body for made in self.statement(node)]

    # --- statements

    def statement(self, node: gast.stmt) -> list[gast.stmt]:
        match node:
            case gast.Assign(targets=[gast.Name(id=name)], value=value):
                return self.assigned(node, name, self.told(value))
            case gast.If():
                return self.branch(node)
            case gast.For() | gast.While():
                inner = syntax.walk([node])
                bound = {n for s in inner for n in syntax.names_bound(s)}
                mentioned = bound.union(*(reads_of(s) for s in inner))
                if mentioned & (self.states | self.trees.keys()) or bound & self.fixed:
                    raise Unclear
                return [node]
        if self.decides(*reads_of(node)) or not self.settled.isdisjoint(reads_of(node)):
            raise Unclear
        return [replace_reads(node, self.trees)]

    def assigned(self, node: gast.stmt, name: str, value: gast.expr) -> list[gast.stmt]:
        is_of_states = self.depends(value)
        if name in self.settled or name in self.sums and is_of_states:
            raise Unclear
        if name in self.states or name in self.trees or is_of_states:
            self.tree(name, value)
            return []
        if name in self.fixed:
            raise Unclear
        return [syntax.rebuild(node, value=value)]

    def tree(self, name: str, value: gast.expr) -> None:
        self.trees[name] = value
        self.fixed |= set(syntax.names_read(value)) - self.states

    def told(self, value: gast.expr) -> gast.expr:
        """An expression over what there was when the iteration began."""
        if not self.settled.isdisjoint(syntax.names_read(value)):
            raise Unclear
        made: gast.expr = syntax.map_names(value, lambda name: self.trees.get(name, name))
        return made

    def depends(self, tree: gast.AST) -> bool:
        return not self.states.isdisjoint(syntax.names_read(tree))

    def decides(self, *names: str) -> bool:
        """Whether names hold what the states decide."""
        return any(n in self.states or n in self.trees and self.depends(self.trees[n]) for n in names)

    # --- branches

    def branch(self, node: gast.If) -> list[gast.stmt]:
        test = self.told(node.test)
        if self.depends(test):
            self.chosen(node, test)
            return []
        before, settled = self.trees, self.settled
        ways: list[tuple[list[gast.stmt], Trees, set[str]]] = []
        for block in (node.body, node.orelse):
            self.trees, self.settled = dict(before), set(settled)
            made = self.block(block)
            made += self.closed(before)
            ways.append((made, self.trees, self.settled))
        self.settled = ways[0][2] | ways[1][2]
        self.trees = {}
        made = [*ways[0][0], *ways[1][0]]
        if self.joined(test, ways[0][1], ways[1][1]) and any(
            not set(syntax.names_bound(s)).isdisjoint(syntax.names_read(test)) for s in syntax.walk(made)
        ):
            raise Unclear
        if not made:
            return []
        body = ways[0][0] or [gast.Pass()]
        return [syntax.rebuild(node, test=test, body=body, orelse=ways[1][0])]

    def chosen(self, node: gast.If, test: gast.expr) -> None:
        """A branch that the states decide: what it assigns becomes trees."""
        known = self.truth(test)
        if known is not None:
            return self.only_trees(node.body if known else node.orelse)
        before = self.trees
        ways: list[Trees] = []
        for block, truth in ((node.body, True), (node.orelse, False)):
            self.trees = dict(before)
            self.path.append((test, truth))
            self.only_trees(block)
            self.path.pop()
            ways.append(self.trees)
        self.trees = {}
        self.joined(test, *ways)

    def only_trees(self, body: Sequence[gast.stmt]) -> None:
        for node in body:
            match node:
                case gast.Assign(targets=[gast.Name(id=name)], value=value) if name not in self.sums | self.settled:
                    self.tree(name, self.told(value))
                case gast.If(test=test):
                    self.chosen(node, self.told(test))
                case gast.Pass():
                    pass
                case _:
                    raise Unclear

    def joined(self, test: gast.expr, first: Trees, second: Trees) -> bool:
        """The trees after a branch; whether any of them depends on the test."""
        depends = False
        for name in dict.fromkeys((*first, *second)):
            one, other = (way.get(name, syntax.name(name)) for way in (first, second))
            if not syntax.same(one, other):
                one, depends = gast.IfExp(test, one, other), True
            if not (isinstance(one, gast.Name) and one.id == name):
                self.tree(name, one)
        return depends

    def closed(self, before: Trees, must: bool = False) -> list[gast.stmt]:
        """The statements for states that have changed since; `must` says that there is nothing after them."""
        changed = {
            name: tree for name, tree in self.trees.items()
            if name in self.states and name not in before
        }  # fmt: skip
        made, known = self.close(changed, must) if changed else ([], set())
        if must and known != changed.keys():
            raise Unclear
        for name in known:
            del self.trees[name]
        self.settled |= known
        return made

    # --- what is known of tests

    def truth(self, test: gast.expr) -> bool | None:
        """The truth of a test on this path, where it is known."""
        if isinstance(test, gast.Constant):
            return bool(test.value)
        if isinstance(test, gast.Call) and syntax.operator_of(test) == "cast":
            return self.truth(test.args[0])
        for known, truth in self.path:
            if syntax.same(known, test):
                return truth
        match test:
            case gast.Call(func=gast.Name(id="not_equal"), args=[first, second]):
                ways = [self.with_constants(part) for part in (first, second)]
                return False if syntax.same(*map(self.without_casts, ways)) else None
        return None

    def with_constants(self, tree: gast.expr) -> gast.expr:
        """The tree with constants for names that are known to be equal to them: comparisons cannot distinguish them."""
        for test, truth in self.path:
            match test:
                case gast.Call(func=gast.Name(id="equal"), args=[gast.Name(id=name), gast.Constant() as value]):
                    if truth and self.is_comparison_of(tree, name):
                        tree = with_name(tree, name, value)
        return tree

    def without_casts(self, tree: gast.expr) -> gast.expr:
        """A tree without casts that keep the dtype: comparisons of numbers of one dtype are the same for Python's."""
        if not isinstance(tree, gast.Call):
            return tree
        if syntax.operator_of(tree) == "cast":
            has = type_of(tree.args[0], self.types)
            keeps = isinstance(has, Scalar) and has.dtype == syntax.static_of(tree)["dtype"]
            return self.without_casts(tree.args[0]) if keeps else tree
        return syntax.rebuild(tree, args=[self.without_casts(argument) for argument in tree.args])

    def is_comparison_of(self, tree: gast.expr, name: str) -> bool:
        """Whether a tree compares a name with what has its dtype."""
        row = row_of(syntax.operator_of(tree))
        if not isinstance(tree, gast.Call) or row is None or not row.is_comparison:
            return False
        of_name = self.types.get(name)
        types_ = [type_of(argument, self.types) for argument in tree.args if not isinstance(argument, gast.Constant)]
        return isinstance(of_name, Scalar) and all(isinstance(t, Scalar) and t.dtype == of_name.dtype for t in types_)

