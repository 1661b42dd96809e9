"""Store into the caller's own array what is written back to it anyway, where nothing can fail after the first store.

    # A: f64[n] -> A_1                            # A: f64[n] -> A
    A_1 = empty(n)                       ->
    for i in prange(n): A_1[i] = A[i] + 1.0       for i in prange(n): A[i] = A[i] + 1.0
    return A_1                                    return A

So is a result stored into the memory of an argument that is given away (`donate=`).
Every element of the argument must have been read when the new one at its index is stored, nothing may read it later,
and nothing that comes from the first store on may raise: a call that fails leaves arguments as they were.  As a signal
does not end such a call either, its work is bounded: a few operations for each element.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import gast

from .. import syntax
from ..analysis.failure import never_fails
from ..analysis.integers.values import Integers
from ..analysis.memory.meeting import Meeting
from ..analysis.memory.storage import storage_classes
from ..program import Function
from ..records import dataclass
from ..types import Array, Scalar
from .known import known
from .reuse import makes, may_take_place


def store_in_place(function: Function, changed: tuple[int, ...] | None = None) -> Function:
    """The function that stores into those of its arguments that it can; `changed` are its own if nothing is said."""
    numbers = function.changed if changed is None else changed
    for number, result in zip(numbers, _results(function)[-len(numbers) :] if numbers else (), strict=True):
        function = _stored(function, number, result)
    for number in function.donated:
        for result in _results(function)[: len(function.results) - len(function.changed)]:
            if number not in function.in_place:
                function = _stored(function, number, result)
    return function


def _stored(function: Function, number: int, result: str | None) -> Function:
    """The function that stores a result into the argument of this number, if it can."""
    found = None if result is None else _Change(function, function.parameters[number], result)
    if found is None or not found.is_possible():
        return function
    return function.with_(body=found.body(), in_place=(*function.in_place, number))


def _results(function: Function) -> list[str | None]:
    """The names that are returned; None for what is no name."""
    end = function.body[-1]
    assert isinstance(end, gast.Return) and isinstance(end.value, gast.Tuple)
    return [part.id if isinstance(part, gast.Name) else None for part in end.value.elts]


@dataclass(frozen=True, slots=True, eq=False)
class _Change:
    """A parameter, and the array that is written back to it."""

    function: Function
    parameter: str
    made: str

    def is_possible(self) -> bool:
        made, parameter, types = self.made, self.parameter, self.function.types
        if made in self.function.parameters:
            return False
        type_ = types.get(parameter)
        if not isinstance(type_, Array) or types[made] != type_ or type_.layout != "C":
            return False
        if _results(self.function).count(made) != 1 or parameter in _results(self.function):
            return False
        return self._is_alone() and self._is_made_once() and self._stores_safely(made)

    def _is_alone(self) -> bool:
        """Whether no other name shows the memory of either, but for parameters, which the call keeps apart."""
        classes = storage_classes(self.function)
        shown = [n for n, leader in classes.items() if leader in (classes[self.made], classes[self.parameter])]
        return set(shown) <= {self.made, *self.function.parameters}

    def _is_made_once(self) -> bool:
        bound = Counter(self.function.parameters)
        for statement in syntax.walk(self.function.body):
            bound.update(syntax.names_bound(statement))
        return bound[self.made] == bound[self.parameter] == 1 and any(map(self._makes_it, self.function.body))

    def _makes_it(self, statement: gast.stmt) -> bool:
        return makes(statement) and statement.targets[0].id == self.made

    def _stores_safely(self, made: str) -> bool:
        """Whether stores come last, each after what reads the element that was there."""
        function, facts = self.function, known(self.function)
        stores = self._ordered()[1]
        if not stores or any(self.parameter in facts.elements(s) for s in stores[1:]):
            return False
        if not all(map(self._is_bounded, stores)) or not all(never_fails(function, s) for s in stores):
            return False
        meeting = Meeting(Integers(function))
        is_nest = facts.is_plain_nest(stores[0], function.types)
        return is_nest and may_take_place(stores[0], {self.parameter}, {made}, facts, meeting)

    def _ordered(self) -> tuple[list[gast.stmt], list[gast.stmt]]:
        """The statements before the first store, and from there on; other arrays are allocated before it."""
        facts, body = known(self.function), self.function.body[:-1]
        first = next(k for k, s in enumerate(body) if self.made in facts.elements(s) and not self._makes_it(s))
        before, stores = list(body[:first]), list[gast.stmt]()
        for statement in body[first:]:
            bound = {name for s in syntax.walk(stores) for name in syntax.names_bound(s)}
            used = [*syntax.names_read(statement), *syntax.names_bound(statement)]
            (before if makes(statement) and bound.isdisjoint(used) else stores).append(statement)
        return before, stores

    def _is_bounded(self, statement: gast.stmt) -> bool:
        """Whether it computes a scalar, or stores by at most as many loops as there are axes."""
        match statement:
            case gast.Assign(targets=[gast.Subscript()]):
                return True
            case gast.Assign(targets=[gast.Name(id=name)]):
                return isinstance(self.function.types[name], Scalar)
        rank = len(self.function.types[self.parameter].dims)  # type: ignore[union-attr]
        is_nest = known(self.function).is_plain_nest(statement, self.function.types)
        return is_nest and _depth(statement) <= rank and _goes_over_elements(statement)

    def body(self) -> tuple[gast.stmt, ...]:
        """The statements that store into the parameter; an element is not copied to itself."""
        facts, names = known(self.function), {self.made: self.parameter}
        before, stores = self._ordered()
        kept = [s for s in (*before, *stores, self.function.body[-1]) if not self._makes_it(s)]
        stored = [facts.renamed(s, names) for s in kept]
        return tuple(s for s in stored if not (isinstance(s, gast.For) and _copies_to_itself(s)))


def _depth(statement: gast.stmt) -> int:
    """How many loops are in each other."""
    inside = max((_depth(s) for block in syntax.blocks_of(statement) for s in block), default=0)
    return inside + isinstance(statement, gast.For)


def _goes_over_elements(statement: gast.stmt) -> bool:
    """Whether loops have no more iterations than an array has elements, so that their variables are valid indices."""
    for loop in (s for s in syntax.walk([statement]) if isinstance(s, gast.For)):
        accesses = [node for s in loop.body for node in gast.walk(s) if isinstance(node, gast.Subscript)]
        if not any(loop.target.id in syntax.names_read(access.slice) for access in accesses):
            return False
    return True


def _copies_to_itself(nest: gast.For) -> bool:
    body: Sequence[gast.stmt] = nest.body
    match body:
        case [gast.For() as inner]:
            return _copies_to_itself(inner)
        case [gast.Assign(targets=[gast.Subscript() as place], value=gast.Subscript() as value)]:
            return syntax.same(place.value, value.value) and syntax.same(place.slice, value.slice)
    return False
