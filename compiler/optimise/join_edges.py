"""A nest over a whole array and one over a part of it become one nest, with a test of where an element lies.

    for i in prange(dim(v, 0)):                      for i in prange(dim(v, 0)):
        v[i] = u[i]                                      if 1 <= i and i < dim(v, 0) - 1:
    for i in prange(dim(v, 0) - 2):           ->             v[i] = 0.5 * (u[i - 1] + u[i + 1])
        v[i + 1] = 0.5 * (u[i] + u[i + 2])               else:
                                                             v[i] = u[i]

It is for targets on which a nest costs more than a test in each iteration, which a CPU's vectors do not like.  Holds
where all iterations are independent, nothing in them fails, and neither nest reads elements of what they store.  Takes
and gives functions of the loops stage; leaves nests that hold anything but scalars ahead of one store.
"""

from __future__ import annotations

from collections.abc import Sequence

import gast

from .. import syntax
from ..analysis.integers.nest_scope import NestScope
from ..analysis.liveness import liveness
from ..analysis.memory.accesses import elements_in
from ..analysis.memory.storage import classes_at_once
from ..lower.arithmetic import plus, terms_of
from ..program import Function
from ..records import dataclass
from ..renaming import placed
from ..types import Array, Extent
from .collapse import perfect_nest
from .effects import ReadCollector
from .in_blocks import in_blocks
from .independent import PARALLEL
from .known import known
from .scattered_terms import moved, stop_of


@dataclass(frozen=True, slots=True)
class _Nest:
    """Independent loops around scalars and one store: `array[items] = value`."""

    loops: Sequence[gast.For]
    array: str
    items: Sequence[gast.expr]

    @property
    def body(self) -> Sequence[gast.stmt]:
        return self.loops[-1].body

    @property
    def variables(self) -> list[str]:
        return [loop.target.id for loop in self.loops]

    @property
    def bound(self) -> set[str]:
        return {name for s in syntax.walk([self.loops[0]]) for name in syntax.names_bound(s)}

    @property
    def loaded(self) -> set[str]:
        """The arrays whose elements are read."""
        trees = [*self.items, *(s.value for s in self.body)]
        return {place.value.id for tree in trees for place in elements_in(tree)}


def join_edges(function: Function) -> Function:
    """The function with such nests as one; the same object where there are none."""
    if not any(_nest_of(s) for s in syntax.walk(function.body)):
        return function
    body = _Joiner(function).block(function.body, NestScope())
    return function if body is None else function.with_(body=tuple(body))


def _nest_of(node: gast.stmt) -> _Nest | None:
    loops = perfect_nest(node)
    if not loops or any(syntax.operator_of(loop.iter) != PARALLEL for loop in loops):
        return None
    *ahead, last = loops[-1].body
    match last:
        case gast.Assign(targets=[gast.Subscript(value=gast.Name(id=array), slice=gast.Tuple(elts=items))]):
            if all(isinstance(s, gast.Assign) and isinstance(s.targets[0], gast.Name) for s in ahead):
                return _Nest(loops, array, items)
    return None


class _Joiner:
    def __init__(self, function: Function) -> None:
        self.function, self.types = function, function.types
        self.reader = ReadCollector(function, known(function))
        self.integers, self.classes = self.reader.integers, classes_at_once(function)

    def block(self, body: Sequence[gast.stmt], scope: NestScope) -> list[gast.stmt] | None:
        """The statements with such nests as one; None where nothing changes."""
        made: list[gast.stmt] = []
        for statement in body:
            joined = self.joined(made[-1], statement, scope) if made else None
            if joined is None:
                made.append(in_blocks(statement, scope, self.integers, self.block))
            else:
                made[-1] = joined
        changes = len(made) != len(body) or any(new is not old for new, old in zip(made, body))
        return made if changes else None

    def joined(self, first: gast.stmt, second: gast.stmt, scope: NestScope) -> gast.stmt | None:
        """Two neighbours as one nest; None where that would be wrong."""
        whole, part = _nest_of(first), _nest_of(second)
        if whole is None or part is None or not self.is_whole(whole) or not self.are_apart(whole, part, scope):
            return None
        steps = self.steps(whole, part, scope)
        tests = [] if steps is None else self.tests(whole, part, steps)
        if not tests or steps is None:
            return None
        counters = {
            inner: plus(syntax.name(outer), -step) for inner, outer, step in zip(part.variables, whole.variables, steps)
        }
        inside = [*(_moved(s, counters) for s in part.body[:-1]), _store_at(part.body[-1], whole, counters)]
        test = tests[0] if len(tests) == 1 else gast.BoolOp(gast.And(), tests)
        body: list[gast.stmt] = placed([syntax.if_(test, inside, list(whole.body))], part.body[-1])
        for loop in reversed(whole.loops):
            body = [syntax.rebuild(loop, body=body)]
        return body[0]

    def is_whole(self, nest: _Nest) -> bool:
        """Whether a nest stores every element of its array, at its variables in their order."""
        type_ = self.types[nest.array]
        names = [item.id if isinstance(item, gast.Name) else "" for item in nest.items]
        if not isinstance(type_, Array) or names != nest.variables:
            return False
        return all(self.is_length(stop_of(loop), extent) for loop, extent in zip(nest.loops, type_.dims))

    def is_length(self, stop: gast.expr, extent: Extent) -> bool:
        match stop:
            case gast.Constant(value=value):
                return bool(value == extent)
            case gast.Call(func=gast.Name(id="dim"), args=[gast.Name(id=array)]):
                return bool(self.types[array].dims[syntax.static_of(stop)["axis"]] == extent)  # type: ignore[union-attr]
        return False

    def are_apart(self, whole: _Nest, part: _Nest, scope: NestScope) -> bool:
        """Whether the iterations of both nests may be taken together: they share what they store, and nothing else."""
        effects = [self.reader.of(nest.loops[0], scope) for nest in (whole, part)]
        if whole.array != part.array or any(found.fails or found.opaque for found in effects):
            return False
        own = self.classes[whole.array]
        if any(self.classes[name] == own for name in whole.loaded | part.loaded):
            return False
        bound = whole.bound | part.bound
        temporaries = part.bound - set(part.variables)
        is_private = bound.isdisjoint(liveness(self.function).after(part.loops[0]))
        return is_private and whole.bound.isdisjoint(effects[1].exposed) and temporaries.isdisjoint(whole.variables)

    def steps(self, whole: _Nest, part: _Nest, scope: NestScope) -> list[int] | None:
        """How far after the variables of its loops the part lies, by axis; None where it is no part."""
        type_, found = self.types[part.array], list[int]()
        if len(part.loops) != len(whole.loops) or len(part.items) != len(part.loops) or not isinstance(type_, Array):
            return None
        for loop in part.loops:
            scope = scope.inside(self.integers.loop(loop))
        for item, variable, extent in zip(part.items, part.variables, type_.dims):
            terms, step = terms_of(item)
            is_variable = len(terms) == 1 and terms[0][1] == 1 and isinstance(terms[0][0], gast.Name)
            if not is_variable or terms[0][0].id != variable or step < 0:
                return None
            if not self.integers.is_inside(item, extent, scope):
                return None
            found.append(step)
        return found

    def tests(self, whole: _Nest, part: _Nest, steps: Sequence[int]) -> list[gast.expr]:
        """What says that an element is of the part; nothing where that depends on the iteration, or holds of all."""
        type_, made = self.types[whole.array], list[gast.expr]()
        assert isinstance(type_, Array)
        for loop, variable, step, extent in zip(part.loops, whole.variables, steps, type_.dims):
            stop = stop_of(loop)
            if not (whole.bound | part.bound).isdisjoint(syntax.names_read(stop)):
                return []
            if step:
                made.append(syntax.call("less_equal", step, variable))
            if not self.is_length(end := plus(stop, step), extent):
                made.append(syntax.call("less", variable, end))
        return made


def _moved(node: gast.stmt, counters: dict[str, gast.expr]) -> gast.stmt:
    assert isinstance(node, gast.Assign)
    return syntax.rebuild(node, value=moved(node.value, counters))


def _store_at(node: gast.stmt, whole: _Nest, counters: dict[str, gast.expr]) -> gast.stmt:
    """The store of the part, at the variables of the whole nest."""
    place = whole.body[-1].targets[0]
    return syntax.rebuild(_moved(node, counters), targets=[syntax.rebuild(place)])
