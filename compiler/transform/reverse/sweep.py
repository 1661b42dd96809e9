"""The backward sweep of one function: its blocks from the last statement to the first.

    for i in range(a, b, 1):                       for i in range(b - 1, a - 1, -1):
        y = f(x)                        ->             x_bar_1 = x_bar + y_bar * ...
        s = y                                          s_bar = x_bar_1 ...
    if c:                                          if c:
        m = u                           ->             u_bar = m_bar ...
    while test:                                    while length(saved) > 0:     or as often as was counted
        ...                                            ...

What the statements read of the forward sweep they name by the keys of `analysis/regions`; `saves.py` then decides how
each value comes to be at hand, and puts the names in.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import gast

from ... import syntax
from ...analysis.regions import ForwardValue, Region
from ...names import Names
from ...ops.cotangents import as_type
from ...ops.forms import HANDED_ON
from ...records import dataclass
from ...types import INT, Array, ListOf, Scalar, Type, symbols_of
from . import loads, statements
from .cotangents import Cotangents
from .declared import array_type, leaf_type
from .lengths import Lengths
from .ownership import Ownership
from .reversed_range import reversed_range
from .sections import section
from .symbols import changed_axes
from .views import Views

if TYPE_CHECKING:
    from .calls import Derivative
    from .plan import Plan


@dataclass(frozen=True, slots=True, eq=False)
class Seeds:
    """Where a sweep begins: cotangents of values of the function, and those among them that are parameters.

    `boxes` are the parameters in which the cotangents of arrays among the function's parameters are passed in.
    """

    parameters: tuple[str, ...]
    cotangents: tuple[tuple[str, gast.expr], ...]
    boxes: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Backward:
    """The result of the second step: the sweep and its statements, in which keys stand for values of the forward one.

    `returned` are the cotangents of the parameters asked for.
    """

    sweep: Sweep
    seeds: Seeds
    returned: tuple[gast.expr, ...]


def backward(
    plan: Plan, derivative: Derivative, seeds: Callable[[Sweep], Seeds], parameters: Sequence[str]
) -> Backward:
    """Write a function backwards: from cotangents of its values, any number of them, to those of its parameters."""
    sweep = Sweep(plan, derivative)
    start = seeds(sweep)
    sweep.run(start)
    return Backward(sweep, start, tuple(sweep.returned(parameters)))


class Sweep:
    """Writes the backward sweep of one function: its statements, with keys for names, and where they come from."""

    def __init__(self, plan: Plan, derivative: Derivative) -> None:
        self.plan, self.derivative = plan, derivative
        self.program, self.function, self.lasting = plan.program, plan.function, plan.lasting
        self.active, self.indexed = plan.activity.names, plan.indexed
        self.regions = plan.regions.copy()  # lengths that are asked for on the way are values of their own
        self.absorbed = {id(s) for a in plan.accumulations.values() for s in a.absorbed}
        self.types: dict[str, Type] = dict(self.function.types)
        self.types.update((key, self.types[v.name]) for key, v in self.regions.values.items())
        self.names = Names({*self.function.types, *self.function.parameters, *self.program.functions})
        self.symbols = {s for type_ in self.function.types.values() for s in symbols_of(type_)}
        self.lengths = Lengths(self.regions, self.types, self.names, self.lasting)
        self._defined: dict[str, str] = {}
        for value in self.regions.values.values():
            self._defined.setdefault(value.name, value.key)
        self.merged: set[str] = set()
        self.merged_from: dict[str, list[gast.expr]] = {}
        self.base: dict[str, str] = {}
        self.escaped: set[str] = set()
        self.parts: set[str] = set()  # views of some elements: `copies` gives them their own where they need them
        self.mirror: dict[int, list[gast.stmt]] = {}
        self.index_of: dict[int, str] = {}
        self.mirrored: dict[int, Region] = {}  # by backward `while`, the loop that it goes back over
        self.lists_closed: dict[str, tuple[ForwardValue, tuple[gast.stmt, ...]]] = {}
        self.forward_calls: dict[int, gast.stmt] = {}
        self.views = Views(self.regions, self.types)
        self.root = Cotangents(self, self.regions.body, None)
        self.sections = {p: section(self, p, axes) for p, axes in derivative.sections_of(self.function.name)}
        self.views.sections = {parameter: found.place for parameter, found in self.sections.items()}
        self.views.natural |= {start for found in self.sections.values() for start in found.starts}
        self.active |= {found.whole for found in self.sections.values()}
        self.ownership = Ownership(self)
        self.indexed |= self.ownership.roots()

    # --- names and types

    def primal_type(self, name: str) -> Scalar | Array:
        """The type of a name's cotangent: that of the name, in C order."""
        type_ = leaf_type(self.types, name)
        return Array(type_.dtype, type_.dims) if isinstance(type_, Array) else type_

    def merge_name(self, name: str) -> str:
        made = self.names.fresh(self.root.hint(name))
        self.types[made] = self.primal_type(name)
        self.merged.add(made)
        return made

    def atom(self, statement: gast.stmt, node: gast.expr) -> gast.expr:
        """An operand as a statement reads it: a key in place of a name that has many values."""
        return self.atoms(statement, node)

    def atoms(self, statement: gast.stmt, node: gast.expr) -> gast.expr:
        return syntax.map_names(node, lambda name: self.regions.key(statement, name))

    def note_array(self, name: str, value: gast.expr) -> None:
        """Remember whose elements a new array of the backward sweep has: its own, or those of another."""
        self.base[name] = name
        match value:
            case gast.Subscript(value=gast.Name(id=source)) if isinstance(self.types[source], ListOf):
                self.base[name] = source
            case gast.Subscript(value=gast.Name(id=source), slice=items):
                if loads.is_plain_index(items, self.types):
                    self._note_view(name, source)
                    self.parts.add(name)
            case gast.Name(id=source):
                self._note_view(name, source)
            case gast.Call(func=gast.Name(id=operator), args=[gast.Name(id=source), *_]) if operator in HANDED_ON:
                if not getattr(self.types[source], "is_box", False):
                    self._note_view(name, source)

    def _note_view(self, name: str, source: str) -> None:
        self.base[name] = self.base.get(source, source)
        if source in self.parts:
            self.parts.add(name)

    # --- lengths

    def length(self, atom: gast.expr, axis: int) -> gast.expr | None:
        """A length without reading the array for it, where that is possible."""
        assert isinstance(atom, gast.Name)
        if atom.id in self.regions.values:
            return self.lengths.of(atom.id, axis)
        return self.lengths.fixed(array_type(self.types, atom.id).dims[axis], computed=False)

    def shape(self, name: str, frame: Cotangents) -> list[gast.expr]:
        """The shape of a name as it is where the frame stands."""
        key = self._key_at(name, frame)
        return [self.lengths.of(key, k) for k in range(array_type(self.types, name).ndim)]

    def _key_at(self, name: str, frame: Cotangents) -> str:
        """A value of the name that has the shape it has here: a carried one has another in its loop than after it."""
        loop = self.regions.carried.get(name)
        if loop is not None:
            return (self.regions.starts if loop.contains(frame.region) else self.regions.ends)[name]
        return self._defined[name]

    # --- blocks

    def run(self, seeds: Seeds) -> None:
        """Write the backward statements into `root`."""
        self.mirror[id(self.regions.body)] = self.root.builder.body
        self.root.builder.span = getattr(self.function.body[-1], "span", None)
        for name, box in seeds.boxes:
            self.ownership.enter(self.root, name, box)
        for name, value in seeds.cotangents:
            if isinstance(self.types[name], ListOf):
                self.root.bars[name] = value
            else:
                self.root.add(name, self.root.fitted(name, value))
        self.block(self.root)
        for name in self.sections:
            loads.add_section(self, self.root, name)
        for name, box in reversed(seeds.boxes):
            self.ownership.leave(self.root, name, box)

    def returned(self, parameters: Sequence[str]) -> list[gast.expr]:
        """The cotangents of parameters as results: whole, and each array with elements of its own."""
        made: list[gast.expr] = []
        owners: set[str] = set()
        build = self.root.builder
        for parameter in parameters:
            bar = self.root.full(parameter, self.root.bars.get(parameter))
            if isinstance(bar, gast.Name) and isinstance(self.types[bar.id], Array):
                sharing = self.owners(bar.id)
                if sharing & owners or any(owner not in self.base for owner in sharing):
                    bar = build.call("copy", bar, hint=self.root.hint(parameter))
                    sharing = {bar.id}
                owners |= sharing
            elif isinstance(bar, gast.Name) and bar.id in self.regions.values:
                bar = build.bind(bar, self.types[bar.id], self.root.hint(parameter))
            made.append(bar)
        return made

    def owners(self, name: str, seen: frozenset[str] = frozenset()) -> set[str]:
        """The arrays whose elements a name may have; those not made in the backward sweep are not in `base`."""
        if name in seen:
            return set()
        if name in self.merged_from:
            sources = [s.id for s in self.merged_from[name] if isinstance(s, gast.Name)]
            return {owner for source in sources for owner in self.owners(source, seen | {name})}
        base = self.base.get(name, name)
        return {base} if base == name else self.owners(base, seen | {name})

    def block(self, frame: Cotangents) -> None:
        for statement in reversed(self.regions.main[id(frame.region)]):
            self.ownership.hand_over(frame, statement)
            match statement:
                case gast.If():
                    self.branch(frame, statement)
                case gast.For() | gast.While():
                    self.loop(frame, statement)
                case _ if id(statement) not in self.absorbed:
                    statements.backward(self, frame, statement)
            self.ownership.take_back(frame, statement)
        self.ownership.close(frame)

    # --- branches

    def branch(self, frame: Cotangents, statement: gast.If) -> None:
        merges = [(name, ends) for name, ends in self.regions.merges[id(statement)] if name in frame.bars]
        frames = [self._arm(frame, statement, side, merges) for side in (0, 1)]
        touched = dict.fromkeys(name for arm in frames for name in arm.bars if not arm.owns(name))
        ends = {name: self._merge(frame, frames, name, statement) for name in touched}
        # all copies last: what makes one value does not come after another's copy
        for side, arm in enumerate(frames):
            arm.builder.body += [syntax.assign(made, values[side], arm.builder.span) for made, values in ends.values()]
        for name, _ in merges:
            del frame.bars[name]
        frame.bars.update((name, syntax.name(made)) for name, (made, _) in ends.items())
        if any(arm.builder.body for arm in frames):
            frame.builder.span = getattr(statement, "span", None)
            test = self.atom(statement, statement.test)
            made = syntax.if_(test, [], [], frame.builder.span)
            made.body, made.orelse = (arm.builder.body for arm in frames)
            frame.builder.append(made)
            for arm in frames:
                self.mirror[id(arm.region)] = arm.builder.body

    def _arm(self, frame: Cotangents, statement: gast.If, side: int, merges) -> Cotangents:
        frame.builder.span = getattr(statement, "span", None)
        arm = Cotangents(self, self.regions.arms[id(statement)][side], frame)
        for name, ends in merges:
            source = ends[side]
            if isinstance(source, gast.Name) and source.id in self.active:
                arm.add(source.id, arm.fitted(source.id, frame.bars[name]))
        self.block(arm)
        return arm

    def _merge(
        self, frame: Cotangents, arms: list[Cotangents], name: str, statement: gast.If
    ) -> tuple[str, list[gast.expr]]:
        """The name of one cotangent after both arms, and what each arm gives for it."""
        before = frame.current(name)
        values = [arm.bars.get(name, before) for arm in arms]
        given = [None if v is None else frame.builder.type_of(v) for v in values]
        scalars = all(t is None or isinstance(t, Scalar) for t in given)
        primal = self.primal_type(name)
        made = self.merge_name(name)
        if scalars and isinstance(primal, Array):
            primal = Scalar(primal.dtype)
            self.types[made] = primal
        wholes: list[gast.expr] = []
        for arm, value in zip(arms, values):
            arm.builder.span = getattr(statement, "span", None)
            if isinstance(primal, Scalar):
                wholes.append(as_type(arm.builder, value or syntax.constant(0.0), primal, arm.hint(name)))
            else:
                wholes.append(arm.full(name, value))
        self.merged_from[made] = wholes
        return made, wholes

    # --- loops

    def loop(self, frame: Cotangents, statement: gast.For | gast.While) -> None:
        region = self.regions.loops[id(statement)]
        frame.builder.span = getattr(statement, "span", None)
        frame.builder.inlined = getattr(statement, "inlined", ())
        inner = Cotangents(self, region, frame)
        closing = [(name, value) for name, value in self.regions.closing[id(statement)] if name in self.active]
        starts = {name: self._carried_name(name, source) for name, source in closing}
        for name, source in closing:
            if isinstance(source, gast.Name) and source.id in self.active:
                inner.add(source.id, inner.fitted(source.id, syntax.name(starts[name])))
        self.block(inner)
        inner.builder.span = getattr(statement, "span", None)
        ends = [(starts[name], inner.full(name, inner.bars.get(name))) for name, _ in closing]
        ends += [(made, inner.full(name, inner.bars[name])) for name, made in inner.carried.items()]
        inner.builder.body += self._parallel(inner, ends)
        self._begin(frame, inner, starts)
        self.mirror[id(region)] = inner.builder.body
        if inner.builder.body:
            self._append_loop(frame, statement, region, inner.builder.body)

    def _carried_name(self, name: str, source: gast.expr) -> str:
        """The loop-carried cotangent of such a name: one array for each iteration, as long as what the iteration gives.

        Where that differs from what it is given no other length is known to be the cotangent's.
        """
        made = self.merge_name(name)
        type_, axes = self.types[made], changed_axes(self.types, name, source)
        if isinstance(type_, Array) and any(axes):
            dims = (self.root.builder.fresh_symbol(made) if a else d for a, d in zip(axes, type_.dims, strict=True))
            self.types[made] = Array(type_.dtype, tuple(dims))
        return made

    def _begin(self, frame: Cotangents, inner: Cotangents, starts: dict[str, str]) -> None:
        """Give every cotangent that the backward loop carries its value before the loop."""
        for name, made in (*starts.items(), *inner.carried.items()):
            value = frame.full(name, frame.current(name))
            self.merged_from.setdefault(made, []).append(value)
            frame.builder.append(syntax.assign(made, value))
            frame.bars[name] = syntax.name(made)

    def _parallel(self, frame: Cotangents, pairs: list[tuple[str, gast.expr]]) -> list[gast.stmt]:
        """Copies that end the body, as if all at once."""
        pairs = [(made, v) for made, v in pairs if not (isinstance(v, gast.Name) and v.id == made)]
        targets = [made for made, _ in pairs]
        copies: list[gast.stmt] = []
        result: list[tuple[str, gast.expr]] = []
        for position, (made, value) in enumerate(pairs):
            self.merged_from.setdefault(made, []).append(value)
            if isinstance(value, gast.Name) and value.id in targets[:position]:
                held = self.names.fresh(value.id)
                self.types[held] = self.types[value.id]
                copies.append(syntax.assign(held, value, frame.builder.span))
                value = syntax.name(held)
            result.append((made, value))
        return copies + [syntax.assign(made, value, frame.builder.span) for made, value in result]

    def _append_loop(self, frame: Cotangents, statement, region: Region, body: list[gast.stmt]) -> None:
        frame.builder.span = getattr(statement, "span", None)
        if isinstance(statement, gast.While):
            # how often it runs is decided with the saves: `saves.py` puts the test in
            made: gast.While | gast.For = syntax.while_(syntax.constant(False), [], frame.builder.span)
            made.body = body
            self.mirrored[id(made)] = region
            frame.builder.append(made)
            return
        index = self.names.fresh(region.index)
        self.types[index] = INT
        self.index_of[id(region)] = index
        start, stop, step = reversed_range(self, frame, statement)
        made = syntax.for_range(index, start, stop, step, [], frame.builder.span)
        made.body = body
        frame.builder.append(made)

    # --- calls

    def of_call(self, frame: Cotangents, statement: gast.stmt) -> None:
        from .calls import backward_call

        backward_call(self, frame, statement)
