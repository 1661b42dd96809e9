"""The nesting of a function's blocks, and which value each read of a name means.

    u = zeros(n)                      u@1 in the body of the function
    for t in range(0, k, 1):          u@2 at the start of each iteration
        a = sum(u)                    reads u@2
        u[0] = a                      u@3
    b = sum(u)                        reads u@4, the last: its elements are still there when all is done

Takes functions in the strict form of `transform/reverse/settle`.  A name that is assigned once means one value.  A name
carried by a loop means `x` inside the loop (its value when the iteration starts) and `x@out` after it.  An array that
is stored into means another value after each store: these are numbered.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import field, replace

import gast

from .. import syntax
from ..diagnostics import InternalError
from ..program import Function
from ..records import dataclass
from ..types import Array, ListOf


@dataclass(frozen=True, slots=True, eq=False)
class Region:
    """One block: the body of the function, of a loop, or an arm of a branch."""

    kind: str
    statement: gast.stmt | None
    parent: Region | None
    block: Sequence[gast.stmt]

    @property
    def path(self) -> tuple[Region, ...]:
        """The regions from just inside the function's body to this one."""
        return () if self.parent is None else (*self.parent.path, self)

    @property
    def index(self) -> str:
        """The variable of a counted loop, nothing for other blocks."""
        return self.statement.target.id if isinstance(self.statement, gast.For) else ""

    @property
    def bounds(self) -> tuple[gast.expr, gast.expr, gast.expr]:
        """The start, stop and step of a counted loop."""
        if not isinstance(self.statement, gast.For):
            raise InternalError("reverse", self.kind, "only a counted loop has bounds")
        start, stop, step = self.statement.iter.args
        return start, stop, step

    @property
    def loops(self) -> tuple[Region, ...]:
        return tuple(region for region in self.path if region.kind == "loop")

    def contains(self, other: Region | None) -> bool:
        while other is not None and other is not self:
            other = other.parent
        return other is self


@dataclass(frozen=True, slots=True, eq=False)
class ForwardValue:
    """A value that the forward sweep has somewhere: `after` a statement of its region, or from its start on.

    `origin` is the assignment that computes it, None where it cannot be computed again from names.
    """

    key: str
    name: str
    region: Region
    after: gast.stmt | None
    origin: gast.stmt | None


@dataclass(slots=True)
class Regions:
    """Facts about one function, filled by `map_regions`.

    A name that a loop carries has the value `starts[name]` when an iteration starts, and `ends[name]` after the loop.
    """

    function: Function
    body: Region
    arms: dict[int, tuple[Region, Region]] = field(default_factory=dict)
    loops: dict[int, Region] = field(default_factory=dict)
    place: dict[int, Region] = field(default_factory=dict)
    order: dict[int, float] = field(default_factory=dict)
    home: dict[str, Region] = field(default_factory=dict)
    merges: dict[int, list[tuple[str, list[gast.expr | None]]]] = field(default_factory=dict)
    closing: dict[int, list[tuple[str, gast.expr]]] = field(default_factory=dict)
    main: dict[int, list[gast.stmt]] = field(default_factory=dict)
    stores: dict[str, list[gast.stmt]] = field(default_factory=dict)
    carried: dict[str, Region] = field(default_factory=dict)
    values: dict[str, ForwardValue] = field(default_factory=dict)
    reads: dict[int, dict[str, str]] = field(default_factory=dict)
    made: dict[int, dict[str, str]] = field(default_factory=dict)
    last: dict[str, str] = field(default_factory=dict)
    starts: dict[str, str] = field(default_factory=dict)
    ends: dict[str, str] = field(default_factory=dict)

    def copy(self) -> Regions:
        """The same facts, to which values may be added."""
        tables = ("order", "place", "values", "reads")
        return replace(self, **{table: dict(getattr(self, table)) for table in tables})

    def key(self, statement: gast.stmt, name: str) -> str:
        """The value that this statement reads under this name."""
        return self.reads[id(statement)].get(name, name)


def map_regions(function: Function) -> Regions:
    body = Region("body", None, None, function.body)
    regions = Regions(function, body)
    for parameter in function.parameters:
        regions.home[parameter] = body
    _Structure(regions).visit(body)
    regions.last = _Versions(regions).run()
    return regions


def stored_array(statement: gast.stmt) -> str | None:
    """The array that a statement changes: `a` in `a[i] = v` and in `add_at(a, i, v)`."""
    match statement:
        case gast.Expr(value=gast.Call(func=gast.Name(id="add_at"), args=[gast.Name(id=base), *_])):
            return base
    return syntax.stored_base(statement)


def changed_names(body: Sequence[gast.stmt]) -> Iterator[str]:
    for statement in syntax.walk(body):
        if (base := stored_array(statement)) is not None:
            yield base


class _Structure:
    """Finds regions, homes of names, merges and stores."""

    def __init__(self, regions: Regions) -> None:
        self.facts = regions

    def visit(self, region: Region) -> None:
        facts = self.facts
        closing = self.closing_copies(region)
        facts.main[id(region)] = list(region.block[: len(region.block) - closing])
        for statement in region.block:
            facts.place[id(statement)] = region
            facts.order[id(statement)] = len(facts.order)
            base = stored_array(statement)
            if base is not None and isinstance(facts.function.types[base], Array):
                facts.stores.setdefault(base, []).append(statement)
            match statement:
                case gast.If():
                    self.branch(statement, region)
                case gast.For() | gast.While():
                    self.loop(statement, region)
                case gast.Assign():
                    for name in syntax.names_bound(statement):
                        facts.home.setdefault(name, region)

    def closing_copies(self, region: Region) -> int:
        """How many copies at the end of a block are the merges of its branch or loop."""
        if region.statement is None:
            return 0
        wanted = {name for name, _ in self.facts.merges.get(id(region.statement), ())}
        wanted |= {name for name, _ in self.facts.closing.get(id(region.statement), ())}
        count = 0
        for statement in reversed(region.block):
            if not (isinstance(statement, gast.Assign) and isinstance(statement.targets[0], gast.Name)):
                break
            if statement.targets[0].id not in wanted:
                break
            count += 1
        return count

    def branch(self, statement: gast.If, region: Region) -> None:
        ends = [dict(_copies(body)) for body in (statement.body, statement.orelse)]
        raises = [ends_in_raise(body) for body in (statement.body, statement.orelse)]
        inside = {n for body in (statement.body, statement.orelse) for s in body for n in syntax.names_read(s)}
        names = [n for n in ends[0] | ends[1] if all(n in e or r for e, r in zip(ends, raises)) and n not in inside]
        merges = [(n, [e.get(n) for e in ends]) for n in names]
        self.facts.merges[id(statement)] = merges
        for name in names:
            self.facts.home[name] = region
        arms = (Region("then", statement, region, statement.body), Region("else", statement, region, statement.orelse))
        self.facts.arms[id(statement)] = arms
        for arm in arms:
            self.visit(arm)

    def loop(self, statement: gast.For | gast.While, region: Region) -> None:
        inner = Region("loop", statement, region, statement.body)
        self.facts.loops[id(statement)] = inner
        pairs = [(n, v) for n, v in _copies(statement.body) if n in self.facts.home]
        self.facts.closing[id(statement)] = pairs
        self.facts.carried.update((name, inner) for name, _ in pairs)
        if isinstance(statement, gast.For):
            self.facts.home[statement.target.id] = inner
        self.visit(inner)


def _copies(body: Sequence[gast.stmt]) -> list[tuple[str, gast.expr]]:
    """The copies that end a block, in order."""
    found: list[tuple[str, gast.expr]] = []
    for statement in reversed(body):
        match statement:
            case gast.Assign(targets=[gast.Name(id=name)], value=gast.Name() | gast.Constant() as value):
                found.append((name, value))
            case _:
                break
    return found[::-1]


def ends_in_raise(body: Sequence[gast.stmt]) -> bool:
    """Whether control never reaches the end of a block."""
    if not body:
        return False
    last = body[-1]
    if isinstance(last, gast.If):
        return ends_in_raise(last.body) and ends_in_raise(last.orelse)
    return isinstance(last, gast.Raise)


class _Versions:
    """Numbers the values of arrays that are stored into, and notes for each statement which values it reads."""

    def __init__(self, regions: Regions) -> None:
        self.facts = regions
        self.count: dict[str, int] = {}

    def run(self) -> dict[str, str]:
        now: dict[str, str] = {}
        for parameter in self.facts.function.parameters:
            self.define(parameter, self.facts.body, None, None, now)
        self.block(self.facts.body, now)
        return now

    def add(self, key: str, name: str, region: Region, after: gast.stmt | None, origin: gast.stmt | None) -> None:
        if key in self.facts.values:
            raise InternalError("reverse", key, "a name has two values outside of a merge")
        self.facts.values[key] = ForwardValue(key, name, region, after, origin)

    def define(self, name: str, region: Region, after, origin, now: dict[str, str], plain: str = "") -> str:
        """A new value of a name; an array that is stored into has its values numbered."""
        key = plain or name
        if name in self.facts.stores:
            self.count[name] = self.count.get(name, 0) + 1
            key, origin = f"{name}@{self.count[name]}", None
        if not isinstance(self.facts.function.types[name], ListOf):
            self.add(key, name, region, after, origin)
        now[name] = key
        return key

    def block(self, region: Region, now: dict[str, str]) -> None:
        for statement in self.facts.main[id(region)]:
            self.statement(statement, region, now)
        for statement in region.block[len(self.facts.main[id(region)]) :]:
            self.note(statement, statement.value, now)

    def note(self, statement: gast.stmt, node: gast.AST, now: dict[str, str]) -> None:
        reads = self.facts.reads.setdefault(id(statement), {})
        reads.update((name, now.get(name, name)) for name in syntax.names_read(node))

    def statement(self, statement: gast.stmt, region: Region, now: dict[str, str]) -> None:
        match statement:
            case gast.If():
                self.note(statement, statement.test, now)
                self.branch(statement, region, now)
            case gast.For():
                self.note(statement, statement.iter, now)
                self.loop(statement, region, now)
            case gast.While():
                self.loop(statement, region, now)
            case _:
                self.note(statement, statement, now)
                names = list(syntax.names_bound(statement))
                origin = statement if len(names) == 1 else None
                made = {n: self.define(n, region, statement, origin, now) for n in names}
                base = stored_array(statement)
                if base in self.facts.stores:
                    made[base] = self.define(base, region, statement, None, now)
                self.facts.made[id(statement)] = made

    def branch(self, statement: gast.If, region: Region, now: dict[str, str]) -> None:
        for arm in self.facts.arms[id(statement)]:
            self.block(arm, dict(now))
        self.after(statement, region, now, statement.body + statement.orelse)
        for name, _ in self.facts.merges[id(statement)]:
            self.define(name, region, statement, None, now)

    def loop(self, statement: gast.For | gast.While, region: Region, now: dict[str, str]) -> None:
        inner = self.facts.loops[id(statement)]
        inside = dict(now)
        for name in dict.fromkeys(changed_names(statement.body)):
            if name in now and name in self.facts.stores:
                self.define(name, inner, None, None, inside)
        closing = [name for name, _ in self.facts.closing[id(statement)]]
        for name in closing:
            # the assignment before the loop made the first value: the loop gives the name its own
            self.facts.values.pop(now[name], None)
            self.facts.starts[name] = self.define(name, inner, None, None, inside)
        if isinstance(statement, gast.For):
            self.define(statement.target.id, inner, None, None, inside)
        elif isinstance(statement, gast.While):
            self.note(statement, statement.test, inside)
        self.block(inner, inside)
        self.after(statement, region, now, statement.body)
        for name in closing:
            self.facts.ends[name] = self.define(name, region, statement, None, now, f"{name}@out")

    def after(self, statement: gast.stmt, region: Region, now: dict[str, str], body: Sequence[gast.stmt]) -> None:
        """Arrays that a compound statement may have stored into have a new value after it."""
        for name in dict.fromkeys(changed_names(body)):
            if name in now and name in self.facts.stores:
                self.define(name, region, statement, None, now)
