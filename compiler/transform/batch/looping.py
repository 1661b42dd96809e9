"""Statements that stay in a loop over the examples: what they read is loaded, what others read of them is stored.

    while e > tol:           e = empty(shape=(batch,))
        ...            ->    for b in range(0, batch, 1):
    y = e                        x_1 = x[b]
                                 while ...
                                 e[b] = e_1

Reads and stores of elements of an array of all examples go straight to it: `a[i]` is `a[b, i]`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import gast

from ... import syntax
from ...analysis.def_use import reads_of
from ...ops.batching import emit, stacked
from ...ops.forms import CHANGES_FIRST
from ...types import INT, Array, Dim, Extent, ListOf, Scalar, Type, rank, with_lengths
from .collecting import MISFIT, Collected
from .expected import expected_lengths
from .judging import changed
from .varying import items_of

if TYPE_CHECKING:
    from .distribute import Distributor


class Computed(Exception):
    """Names that are the same for all examples are computed in a loop over them, and read after it."""

    def __init__(self, names: frozenset[str]) -> None:
        super().__init__()
        self.names = names


class ExampleLoop:
    """One loop over the examples, around a run of statements of one block."""

    def __init__(self, taken: Distributor, run: Sequence[gast.stmt]) -> None:
        self.taken, self.run = taken, run
        self.builder, self.varying = taken.builder, taken.varying
        self.inside = list(syntax.walk(run))
        self.bound = {n for s in self.inside for n in syntax.names_bound(s)}
        self.outputs = self._outputs()
        self.entering = self._entering()
        self.index = self.builder.names.fresh("b")
        self.builder.types[self.index] = INT
        self.inner = {name: self._own(name) for name in dict.fromkeys([*self.outputs, *self.entering])}
        self.stored = {n for s in self.inside for n in changed(s)} | self._changed_by_calls()
        self.worked_on = {n for n in self.stored if self._is_outer(n) and not self._stored_in_place(n)}
        self.inner |= {name: self._own(name) for name in sorted(self.worked_on)}
        self.views: dict[str, str] = {}
        self.before: list[gast.stmt] = []

    def _outputs(self) -> list[str]:
        """What the run binds and others read."""
        own = {id(s) for s in self.inside}
        counters = {s.target.id for s in self.inside if isinstance(s, gast.For)}
        rest = {n for s in syntax.walk(self.taken.function.body) if id(s) not in own for n in reads_of(s)}
        order = dict.fromkeys(n for s in self.inside for n in syntax.names_bound(s))
        return [n for n in order if n in rest and n not in counters]

    def _entering(self) -> list[str]:
        """What the run binds and has a value before it: what a loop in it carries.

        The run may be the start of a loop that is not in it: what that binds comes later, and is no value before.
        """
        own, later = {id(s) for s in self.inside}, self._later()
        defined = self.taken.definitions
        order = dict.fromkeys(n for s in self.inside for n in syntax.names_bound(s) if not isinstance(s, gast.For))
        return [n for n in order if any(id(d) not in own and id(d) not in later for d in defined[n])]

    def _later(self) -> set[int]:
        """The statements after the run, by identity."""
        order = [id(s) for s in syntax.walk(self.taken.function.body)]
        return set(order[order.index(id(self.inside[-1])) + 1 :])

    def _changed_by_calls(self) -> set[str]:
        calls = [c for s in self.inside for c in syntax.calls_in(s) if syntax.operator_of(c) in CHANGES_FIRST]
        return {c.args[0].id for c in calls}

    def _is_outer(self, name: str) -> bool:
        """Whether a name holds the values of all examples here."""
        held = self.varying.types.get(name)
        return name in self.varying.names and name not in self.bound and not isinstance(held, ListOf)

    def _stored_in_place(self, name: str) -> bool:
        """Whether all that is done to the elements of an array can be done with one more index."""
        for statement in self.inside:
            if syntax.stored_base(statement) == name and not self._takes_index(items_of(statement.targets[0].slice)):
                return False
            for call in syntax.calls_in(statement):
                if syntax.operator_of(call) in CHANGES_FIRST and call.args[0].id == name:
                    if not self._takes_index(items_of(call.args[1])):
                        return False
        return True

    def _takes_index(self, items: Sequence[gast.expr]) -> bool:
        """Whether `a[b, items]` is `a[b][items]`: with index arrays, only where they come first and are neighbours."""
        return not any(isinstance(self.varying.types.get(getattr(i, "id", "")), Array) for i in items)

    def _own(self, name: str) -> str:
        """A name for the value of one example, where the array of all has the user's."""
        made = self.builder.names.fresh(name)
        self.builder.types[made] = self.varying.types[name]
        return made

    # --- the loop

    def write(self) -> None:
        """Append the buffers of what is read outside, and the loop."""
        builder, examples = self.builder, self.taken.examples
        self._require_varying()
        results = [name for name in self.outputs if name in self.varying.names]
        made = {name: self._expected(name) for name in results if name not in self.entering}
        collected = [Collected(self, name) for name, type_ in made.items() if self._is_open(type_)]
        for one in collected:
            del made[one.name]
            results.remove(one.name)
        buffers = [*made]
        shapes = {name: self._shape(type_) for name, type_ in made.items()}
        for name in buffers:
            type_ = stacked(made[name], examples.extent, "C")
            atom = emit(builder, "empty", [], type_, shape=syntax.tuple_(shapes[name]), dtype=type_.dtype)
            self.taken.bind(name, atom, is_merged=False)
        for one in collected:
            one.start()
        outside, builder.body = builder.body, []
        for name in [*self.entering, *sorted(self.worked_on)]:
            self._enter(name)
        body = [made for statement in self.run for made in self.statement(statement)]
        start, builder.body = builder.body, []
        for name in [*results, *sorted(self.worked_on)]:
            self._require_expected(name, made.get(name), shapes.get(name, []))
            self._store(name, self.inner[name])
        for one in collected:
            one.take()
        for update in (update for one in collected for update in one.updates):
            builder.append(update)
        end, builder.body = builder.body, outside
        builder.append(syntax.for_range(self.index, 0, examples.count, 1, [*start, *body, *end]))
        for one in collected:
            one.finish()
        self._settle_lengths(made)

    def _require_varying(self) -> None:
        """What is read after the loop, or changed in it, has a value for each example; lengths are asked for again."""
        shared = {*self.outputs, *(self.stored - self.bound)} - self.varying.names - self.lengths.keys()
        if shared:
            raise Computed(frozenset(shared))

    @property
    def lengths(self) -> dict[str, Extent]:
        """The names that the run gives to lengths of its arrays."""
        found: dict[str, Extent] = {}
        for statement in self.run:
            match statement:
                case gast.Assign(
                    targets=[gast.Name(id=name)],
                    value=gast.Call(func=gast.Name(id="dim"), args=[gast.Name(id=array)]) as call,
                ):
                    found[name] = self.varying.types[array].dims[syntax.static_of(call)["axis"]]
        return found

    def _enter(self, name: str) -> None:
        """Give an own name the value that the example comes with."""
        if name not in self.varying.names:
            self.builder.append(syntax.assign(self.inner[name], syntax.name(name)))
            return
        made = syntax.name(self._loaded(name))
        is_array = isinstance(self.varying.types[name], Array)
        self.builder.append(syntax.assign(self.inner[name], syntax.call("copy", made) if is_array else made))

    def _expected(self, name: str) -> Type:
        """The type that a result has in one example, with the lengths that all paths give it."""
        type_ = self.varying.types[name]
        if not isinstance(type_, Array) or self.taken.lengths.knows(type_):
            return type_
        found = expected_lengths(name, self.varying.types, self.taken.definitions)
        knows = self.taken.lengths.knows_length
        dims = (d if knows(d) else next(filter(knows, f), d) for d, f in zip(type_.dims, found, strict=True))
        return replace(type_, dims=tuple(dims))

    def _is_open(self, type_: Type) -> bool:
        """Whether nothing tells the lengths of a result before it is there."""
        return isinstance(type_, Array) and not self.taken.lengths.knows(type_)

    def _require_expected(self, name: str, made: Type | None, shape: list[gast.expr]) -> None:
        """Hold an example to the lengths that are expected of it."""
        type_, builder = self.varying.types[name], self.builder
        if not isinstance(type_, Array) or not isinstance(made, Array):
            return
        for axis, (own, extent) in enumerate(zip(type_.dims, made.dims)):
            if own != extent:
                found = builder.call("dim", self.inner[name], axis=axis, hint="n")
                fault = syntax.raise_("ValueError", MISFIT, found, shape[axis + 1], span=builder.span)
                builder.append(syntax.if_(builder.call("not_equal", found, shape[axis + 1]), [fault]))

    def _settle_lengths(self, made: dict[str, Type]) -> None:
        """From here on the lengths are those expected."""
        known: dict[str, Extent] = {}
        for name, type_ in made.items():
            own = self.varying.types[name]
            for extent, other in zip(getattr(own, "dims", ()), getattr(type_, "dims", ())):
                if extent != other and isinstance(extent, Dim) and len(extent.terms) == 1:
                    known[extent.terms[0][0]] = other
        if known:
            later = [n for n in self.varying.types if n not in self.bound or n in made]
            self.varying.types.update({n: with_lengths(self.varying.types[n], known) for n in later})
            self.builder.types.update({n: with_lengths(self.builder.types[n], known) for n in made})

    def _shape(self, type_: Type) -> list[gast.expr]:
        own = [self.taken.lengths.atom(extent) for extent in (type_.dims if isinstance(type_, Array) else ())]
        return [self.taken.examples.count, *own]

    def _store(self, name: str, own: str) -> None:
        items = [syntax.name(self.index), *(syntax.slice_() for _ in range(rank(self.varying.types[name])))]
        self.builder.append(syntax.store(name, items, own))

    # --- statements of one example

    def statement(self, statement: gast.stmt) -> list[gast.stmt]:
        """The statement on the values of one example, after the views that it needs of arrays that change."""
        self.before = []
        made: gast.stmt = statement
        match statement:
            case gast.For(iter=bounds, body=body):
                made = syntax.rebuild(statement, iter=self.expression(bounds))
                return [*self._taken(), syntax.rebuild(made, body=self._block(body))]
            case gast.While(test=test, body=body):
                made = syntax.rebuild(statement, test=self.expression(test))
                return [*self._taken(), syntax.rebuild(made, body=self._block(body))]
            case gast.If(test=test, body=body, orelse=orelse):
                made = syntax.rebuild(statement, test=self.expression(test))
                before = self._taken()
                return [*before, syntax.rebuild(made, body=self._block(body), orelse=self._block(orelse))]
            case gast.Assign(targets=[place], value=value):
                made = syntax.rebuild(statement, value=self.expression(value), targets=[self._place(place)])
            case gast.Expr(value=value):
                made = syntax.rebuild(statement, value=self.expression(value))
            case gast.Raise(exc=gast.Call(args=values) as error):
                exc = syntax.rebuild(error, args=[self.expression(v) for v in values])
                made = syntax.rebuild(statement, exc=exc)
        return [*self._taken(), made]

    def _block(self, statements: Sequence[gast.stmt]) -> list[gast.stmt]:
        return [made for statement in statements for made in self.statement(statement)]

    def _taken(self) -> list[gast.stmt]:
        before, self.before = self.before, []
        return before

    def _place(self, place: Any) -> Any:
        match place:
            case gast.Name(id=name):
                return syntax.rebuild(place, id=self.inner.get(name, name))
            case gast.Tuple(elts=parts):
                return syntax.rebuild(place, elts=[self._place(p) for p in parts])
        return self._element(place)

    def _element(self, node: gast.Subscript) -> gast.Subscript:
        base, items = node.value.id, [self.expression(i) for i in items_of(node.slice)]
        if base in self.inner or not self._is_outer(base):
            return syntax.rebuild(node, value=syntax.name(self.inner.get(base, base)), slice=syntax.tuple_(items))
        if self._takes_index(items_of(node.slice)):
            return syntax.rebuild(node, slice=syntax.tuple_([syntax.name(self.index), *items]))
        return syntax.rebuild(node, value=syntax.name(self._whole(base)), slice=syntax.tuple_(items))

    def expression(self, node: Any) -> Any:
        """An expression on the values of one example."""
        match node:
            case gast.Name(id=name):
                return syntax.name(self.value_of(name))
            case gast.Subscript(value=gast.Name()):
                return self._element(node)
            case gast.Call():
                if syntax.operator_of(node) == "add_at":
                    return self._added(node)
                keywords = [syntax.rebuild(k, value=self.expression(k.value)) for k in node.keywords]
                return syntax.rebuild(node, args=[self.expression(a) for a in node.args], keywords=keywords)
            case gast.Tuple(elts=parts):
                return syntax.rebuild(node, elts=[self.expression(p) for p in parts])
            case gast.BoolOp(values=values):
                return syntax.rebuild(node, values=[self.expression(v) for v in values])
            case gast.Slice(lower=lower, upper=upper, step=step):
                bounds = (None if p is None else self.expression(p) for p in (lower, upper, step))
                return syntax.rebuild(node, **dict(zip(("lower", "upper", "step"), bounds)))
        return node

    def _added(self, call: gast.Call) -> gast.Call:
        base, items, value = call.args
        own = [self.expression(i) for i in items_of(items)]
        if self._is_outer(base.id) and base.id not in self.inner:
            own = [syntax.name(self.index), *own]
        array = syntax.name(self.inner.get(base.id, base.id))
        return syntax.rebuild(call, args=[array, syntax.tuple_(own), self.expression(value)])

    def value_of(self, name: str) -> str:
        """The name of the value of one example."""
        if name in self.inner:
            return self.inner[name]
        return self._whole(name) if self._is_outer(name) else name

    def _whole(self, name: str) -> str:
        """All of what an example has of a name: loaded once, or each time where it changes meanwhile."""
        if name in self.inner:
            return self.inner[name]
        if name in self.stored:
            kept, self.builder.body = self.builder.body, []
            made = self._loaded(name)
            self.before += self.builder.body
            self.builder.body = kept
            return made
        if name not in self.views:
            self.views[name] = self._loaded(name)
        return self.views[name]

    def _loaded(self, name: str) -> str:
        """Append `own = name[b]`; a Python number is one again."""
        type_: Type = self.varying.types[name]
        items = [syntax.name(self.index), *(syntax.slice_() for _ in range(rank(type_)))]
        value = syntax.index(name, *items)
        if isinstance(type_, Array):
            held = Array(type_.dtype, type_.dims, self.builder.types[name].layout)
            return self.builder.bind(value, held, name).id
        strong = self.builder.bind(value, Scalar(type_.dtype), name)
        if not (isinstance(type_, Scalar) and type_.weak):
            return strong.id
        return self.builder.bind(syntax.call("cast", strong, dtype=type_.dtype, weak=True), type_, name).id
