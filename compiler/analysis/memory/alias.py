"""Which names may share array elements, and where that can be seen.

    y = x[1:]          after it x and y share elements
    x[0] = 5.0         a conflict if y is read later: in the language y is a value, in CPython it would change

Flow-sensitive over structured code, loops to a fixpoint, so that buffers that swap names (`u, v = v, u`) stay apart.
A `Link` remembers the statement that made two names share, and for a direct view which elements it shows, so that rows
that are provably different do not conflict.  A name linked to itself may not be stored into: it shows one element twice
(`broadcast_to`), or is read-only in NumPy.  A statement that makes new elements where NumPy gives a view says by
`shows` of what; only `as_numpy` heeds that.  A list linked to itself may hold an array twice.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import gast

from ... import syntax
from ...ops import schema
from ...ops.forms import CHANGES_FIRST, FORMS, SHOWS, VIEWS
from ...program import Function, remembered
from ...records import dataclass
from ...types import Array, ListOf, Type
from ..liveness import Liveness, liveness
from .items import lists_of_items
from .links import NO_LINKS, Link, Links, Pair
from .parts import Parts

CALLER = ""  # stands for whoever holds the arguments: no name of a program
READ_ONLY = frozenset(row.name for row in schema.OPERATORS.values() if row.shares == "read-only")


@dataclass(frozen=True, slots=True, eq=False)
class Aliases:
    """The links that may hold before each statement; joined where one statement object occurs several times."""

    links: Mapping[int, Links]

    def before(self, statement: gast.stmt) -> Links:
        return self.links.get(id(statement), NO_LINKS)

    def may_share(self, statement: gast.stmt, left: str, right: str) -> bool:
        """Whether two names may share elements just before a statement."""
        return left == right or self.before(statement).between(left, right) is not None


@dataclass(frozen=True, slots=True, eq=False)
class AliasConflict:
    """`store` overwrites elements of `stored` that `other` may show; `use` reads `other` next (None: the caller)."""

    store: gast.stmt
    stored: str
    other: str
    origin: gast.stmt | None
    use: gast.stmt | None


@dataclass(frozen=True, slots=True)
class Shared:
    """Of a function: the parameters, by number, that each result may show; and the pairs of results that may share."""

    arguments: tuple[frozenset[int], ...]
    results: frozenset[tuple[int, int]]


NOTHING: Mapping[str, Shared] = {}


def pair(left: str, right: str) -> Pair:
    return (left, right) if left <= right else (right, left)


def alias(function: Function, as_numpy: bool = False, calls: Mapping[str, Shared] = NOTHING) -> Aliases:
    """The aliases of a function; `calls` say what results share of the functions of which it is known."""
    return _aliases(function, Parts(function), as_numpy, calls=calls)


def _aliases(
    function: Function, parts: Parts, as_numpy: bool, live: Liveness | None = None,
    calls: Mapping[str, Shared] = NOTHING,
) -> Aliases:  # fmt: skip
    walker = _Walker(function, parts, as_numpy, live, calls)
    walker.block(function.body, NO_LINKS)
    return Aliases(walker.links)


def shared_with_caller(function: Function, held: Iterable[str]) -> Aliases:
    """The aliases of a function whose caller holds the parameters `held`: what shares with them shares with CALLER."""
    walker = _Walker(function, Parts(function), as_numpy=False)
    walker.block(function.body, NO_LINKS.with_({pair(CALLER, name): Link(None) for name in held}))
    return Aliases(walker.links)


@remembered
def conflicts_as_numpy(function: Function) -> list[AliasConflict]:
    """The stores that would be seen through another name, as NumPy's functions share."""
    return conflicts(function, as_numpy=True)


def conflicts(
    function: Function, as_numpy: bool = False, calls: Mapping[str, Shared] = NOTHING
) -> list[AliasConflict]:
    """The stores that would be seen through another name, in program order; as NumPy's functions share, or as ours."""
    if not any(map(stored_names, syntax.walk(function.body))):
        return []
    parts = Parts(function)
    live = liveness(function)
    aliases = _aliases(function, parts, as_numpy, live, calls)
    found = []
    for statement in dict.fromkeys(syntax.walk(function.body)):
        handed = boxes_handed(statement, function.types)
        for stored in (*stored_names(statement), *handed):
            after, masks = live.after(statement), masks_of(statement, function.types)
            partners = aliases.before(statement).partners(stored)
            for other, link in sorted(partners.items(), key=lambda item: pair(stored, item[0])):
                is_list = _is_list(function.types.get(stored)) and stored not in handed
                if is_list and (link.by_items or not _is_list(function.types.get(other))):
                    continue  # a list that gets another element leaves the arrays in it alone
                owned = other in function.parameters and not _is_list(function.types.get(other))
                if not (owned or other == stored or other in after or other in masks):
                    continue
                if link.part is not None and link.owner == stored and parts.are_apart(link.part, statement):
                    continue
                found.append(AliasConflict(statement, stored, other, link.origin, live.next_use(statement, other)))
            if stored in function.parameters and not _is_list(function.types.get(stored)):
                found.append(AliasConflict(statement, stored, stored, None, None))
    return found


def stored_names(statement: gast.stmt) -> tuple[str, ...]:
    """The arrays and lists whose elements a statement overwrites itself."""
    if type(statement) is gast.Assign:
        place = statement.targets[0]
        if type(place) is gast.Subscript:
            return (place.value.id,)
        if syntax.operator_of(statement.value) not in CHANGES_FIRST:
            return ()
    match statement:
        case gast.Expr(value=call) | gast.Assign(value=call) if syntax.operator_of(call) in CHANGES_FIRST:
            return (call.args[0].id,)
    return ()


def boxes_handed(statement: gast.stmt, types: Mapping[str, Type]) -> tuple[str, ...]:
    """The boxes among the arguments of a function, which stores into what is in them."""
    value = statement.value if isinstance(statement, gast.Assign | gast.Expr) else None
    if type(value) is not gast.Call or value.func.id in schema.OPERATORS or value.func.id in FORMS:
        return ()
    return tuple(a.id for a in value.args if isinstance(a, gast.Name) and _is_box(types.get(a.id)))


def masks_of(statement: gast.stmt, types: Mapping[str, Type]) -> Sequence[str]:
    """The masks of a store: NumPy reads one as it goes along, so that it sees what the store changes."""
    if type(statement) is gast.Assign and type(place := statement.targets[0]) is gast.Subscript:
        items = place.slice.elts if isinstance(place.slice, gast.Tuple) else [place.slice]
        return [i.id for i in items if type(i) is gast.Name and getattr(types.get(i.id), "dtype", "") == "bool"]
    return ()


def shown_by(value: gast.expr, types: Mapping[str, Type]) -> tuple[str, ...]:
    """The names whose elements the value of a right-hand side may show."""
    if (operator := syntax.operator_of(value)) in schema.OPERATORS and operator not in VIEWS:
        return ()
    match value:
        case gast.Name(id=id_):
            return (id_,) if isinstance(types.get(id_), Array | ListOf) else ()
        case gast.Subscript(value=gast.Name(id=base), slice=items):
            return (base,) if _is_view(types.get(base), items, types) else ()
        case gast.Call(func=gast.Name(id=operator), args=arguments):
            names = tuple(a.id for a in arguments if isinstance(a, gast.Name))
            if operator not in SHOWS and (operator in schema.OPERATORS or operator in FORMS):
                return ()
            return tuple(n for n in names if isinstance(types.get(n), Array | ListOf))
        case gast.IfExp(body=body, orelse=orelse):
            return (*shown_by(body, types), *shown_by(orelse, types))
    return ()


def _is_view(base: Type | None, items: gast.expr, types: Mapping[str, Type]) -> bool:
    if isinstance(base, ListOf):
        return isinstance(base.element, Array)
    elements = items.elts if isinstance(items, gast.Tuple) else [items]
    arrays = any(isinstance(e, gast.Name) and isinstance(types.get(e.id), Array) for e in elements)
    slices = any(isinstance(e, gast.Slice) or (isinstance(e, gast.Constant) and e.value is None) for e in elements)
    return slices and not arrays or not arrays and isinstance(base, Array) and len(elements) < base.ndim


def _is_list(type_: Type | None) -> bool:
    return isinstance(type_, ListOf)


def _is_box(type_: Type | None) -> bool:
    return isinstance(type_, ListOf) and type_.is_box


class _Walker:
    """Follows the paths of a function; with `live` it forgets names that nothing reads again where paths meet."""

    def __init__(
        self, function: Function, parts: Parts, as_numpy: bool, live: Liveness | None = None,
        calls: Mapping[str, Shared] = NOTHING,
    ) -> None:  # fmt: skip
        self.types, self.parts, self.as_numpy = function.types, parts, as_numpy
        self.calls = calls
        self.live, self.owned = live, frozenset(function.parameters)
        self.links: dict[int, Links] = {}
        self.reasons: dict[tuple[int, bool], Link] = {}  # one object for each, so that equal links are found at once
        arrays = {name for name, type_ in function.types.items() if isinstance(type_, Array | ListOf)}
        self.tracked = arrays | {name for view in _views(function) for name in syntax.names_read(view.slice)}
        self.tracked |= {base for name in self.tracked for base in parts.bases(name)}
        self.items = lists_of_items(function)
    def link(self, origin: gast.stmt, by_items: bool = False) -> Link:
        key = id(origin), by_items
        if key not in self.reasons:
            self.reasons[key] = Link(origin, by_items=by_items)
        return self.reasons[key]

    def block(self, statements: Iterable[gast.stmt], state: Links) -> Links:
        for statement in statements:
            known = self.links.get(id(statement))
            self.links[id(statement)] = state if known is None else known.join(state)
            state = self.after(statement, state)
        return state

    def after(self, statement: gast.stmt, state: Links) -> Links:
        match statement:
            case gast.Assign(targets=[gast.Name(id=name)], value=value):
                return self.bind(statement, name, value, state)
            case gast.Assign(targets=[gast.Tuple(elts=places)], value=value):
                return self.bind_results(statement, [p.id for p in places], value, state)
            case gast.Assign(targets=[gast.Subscript(value=gast.Name(id=list_))], value=value) if _is_list(
                self.types.get(list_)
            ):
                return self.share(statement, list_, shown_by(value, self.types), state)
            case gast.Expr(value=gast.Call(func=gast.Name(id="append"), args=[gast.Name(id=list_), value])):
                return self.share(statement, list_, shown_by(value, self.types), state)
            case gast.If(body=body, orelse=orelse):
                return self.needed(self.block(body, state).join(self.block(orelse, state)), statement)
            case gast.For(target=gast.Name(id=variable), body=body):
                return self.loop(body, state, variable)
            case gast.While(body=body):
                return self.loop(body, state, None)
        return state

    def loop(self, body: Sequence[gast.stmt], state: Links, variable: str | None) -> Links:
        if not body:
            return state
        state = self.needed(state, body[-1])
        while True:
            start = state if variable is None else state.recount(variable)
            following = state.join(self.needed(self.block(body, start), body[-1]))
            if following.says_as_much(state):
                return following
            state = following

    def needed(self, state: Links, statement: gast.stmt) -> Links:
        """The links of names that are read after a statement, or belong to the caller."""
        return state if self.live is None else state.of_names(self.live.after(statement) | self.owned)

    def bind(self, statement: gast.stmt, name: str, value: gast.expr, state: Links) -> Links:
        """The name shows what its new value shows, and nothing of what it showed before."""
        if name not in self.tracked:
            return state
        sources = self.shown_by_results(value)[0] if self.says_what_shares(value) else shown_by(value, self.types)
        if type(value) is gast.Call and sources and _is_box(self.types.get(sources[0])):
            return self.take(statement, name, sources[0], state)
        if self.as_numpy:
            sources = (*sources, *getattr(statement, "shows", ()))
            if getattr(statement, "puts_back", False):
                return self.take_item(statement, name, value.args[0].id, state)
        shown = self.partners(statement, sources, state) if sources else {}
        if len(sources) == 1 and isinstance(value, gast.Subscript) and isinstance(self.types.get(sources[0]), Array):
            shown[sources[0]] = Link(statement, sources[0], self.parts.of(value))
        if name in state.of or name in state.counted:
            state = state.forget(name)
        made = {pair(name, other): link for other, link in shown.items() if other != name}
        locked = syntax.operator_of(value) in READ_ONLY or self.as_numpy and getattr(statement, "locked", False)
        if locked or any((link := state.between(s, s)) is not None and not link.by_items for s in sources):
            made[name, name] = self.link(statement)
        return state.with_(made) if made else state

    def take(self, statement: gast.stmt, name: str, box: str, state: Links) -> Links:
        """What is taken out of a box shows what it showed before, and the box nothing any more."""
        shown = [other for other in state.partners(box) if other not in (box, name)]
        return state.forget(name).forget(box).with_({pair(name, other): self.link(statement) for other in shown})

    def take_item(self, statement: gast.stmt, name: str, item: str, state: Links) -> Links:
        """A copy of an item of a list shows what the item shows; but for the list, unless that has the array twice."""
        list_ = self.items.get(item, "")
        shown = [other for other in (*state.partners(item), item) if other not in (list_, name)]
        shown += [name] if state.between(list_, list_) is not None else []
        return state.forget(name).with_({pair(name, other): self.link(statement) for other in shown})

    def bind_results(self, statement: gast.stmt, names: list[str], value: gast.expr, state: Links) -> Links:
        """The results of a call may show its arguments, and one another; but for those that it stores back at once."""
        if self.says_what_shares(value):
            return self.bind_known_results(statement, names, value, state)
        shown = self.partners(statement, shown_by(value, self.types), state)
        for name in names:
            state = state.forget(name)
        own = names[: len(names) - len(getattr(statement, "changes", ()))] if self.as_numpy else names
        arrays = [n for n in own if isinstance(self.types.get(n), Array | ListOf)]
        made: dict[Pair, Link] = {}
        for position, name in enumerate(arrays):
            for other in (*(s for s in shown if s not in names), *arrays[:position]):
                made[pair(name, other)] = self.link(statement)
        return state.with_(made)

    def says_what_shares(self, value: gast.expr) -> bool:
        """Whether a value is that of a call of which it is known what the results share."""
        return bool(self.calls) and syntax.operator_of(value) in self.calls

    def shown_by_results(self, value: gast.Call) -> list[tuple[str, ...]]:
        """The arguments that each result of such a call may show."""
        arrays = [isinstance(self.types.get(getattr(a, "id", "")), Array) for a in value.args]
        return [
            tuple(value.args[k].id for k in sorted(shown) if arrays[k]) for shown in self.calls[value.func.id].arguments
        ]

    def bind_known_results(self, statement: gast.stmt, names: list[str], value: gast.Call, state: Links) -> Links:
        shared = self.calls[value.func.id].results
        shown = [self.partners(statement, sources, state).keys() - names for sources in self.shown_by_results(value)]
        for name in names:
            state = state.forget(name)
        made: dict[Pair, Link] = {}
        for k, name in enumerate(names):
            others = [n for j, n in enumerate(names[:k]) if (j, k) in shared or not shown[j].isdisjoint(shown[k])]
            for other in (*shown[k], *others):
                made[pair(name, other)] = self.link(statement)
        return state.with_(made) if made else state

    def share(self, statement: gast.stmt, list_: str, sources: Sequence[str], state: Links) -> Links:
        """A list shows what its new element shows, besides what it showed before."""
        known, shown = state.partners(list_), self.partners(statement, sources, state)
        has_it = self.as_numpy and list_ in shown and not getattr(statement, "is_put_back", False)
        links = [other for other in shown if other not in known and (other != list_ or has_it)]
        return state.with_({pair(list_, other): self.link(statement, by_items=True) for other in links})

    def partners(self, statement: gast.stmt, sources: Sequence[str], state: Links) -> dict[str, Link]:
        """Everything that shares with the sources, the sources included."""
        found = {source: self.link(statement) for source in sources}
        for source in sources:
            for other, link in state.partners(source).items():
                by_items = link.by_items and (other not in found or found[other].by_items)
                if other not in found or not by_items:
                    found[other] = self.link(statement, by_items)
        return found


def _views(function: Function) -> Iterable[gast.Subscript]:
    assigned = (s.value for s in syntax.walk(function.body) if isinstance(s, gast.Assign))
    return (value for value in assigned if isinstance(value, gast.Subscript))


@dataclass(frozen=True, slots=True, eq=False)
class AliasClasses:
    """Classes of names that may share elements anywhere in the function: coarse, and cheap to ask."""

    of: Mapping[str, str]

    def root(self, name: str) -> str:
        """One name for the class of a name."""
        return self.of.get(name, name)

    def may_share(self, left: str, right: str) -> bool:
        return left == right or self.of.get(left, left) == self.of.get(right, right)


@remembered
def regions(function: Function) -> AliasClasses:
    """Names that flow into one another by aliases, views, lists and calls, without regard to order."""
    parent: dict[str, str] = {}

    def root(name: str) -> str:
        while (above := parent.get(name, name)) != name:
            parent[name] = name = parent.get(above, above)
        return name

    for statement in syntax.walk(function.body):
        group = _sharing(statement, function.types)
        for other in group[1:]:
            parent[root(other)] = root(group[0])
    return AliasClasses({name: root(name) for name in parent})


def _sharing(statement: gast.stmt, types: Mapping[str, Type]) -> Sequence[str]:
    """The names that a statement lets share elements."""
    if type(statement) is gast.Assign and type(statement.targets[0]) is gast.Name:
        shown = shown_by(statement.value, types)
        return (statement.targets[0].id, *shown) if shown else ()
    match statement:
        case gast.Assign(targets=[gast.Tuple(elts=places)], value=value):
            is_row = syntax.operator_of(value) in schema.OPERATORS  # its results are arrays of their own
            return () if is_row else (*(p.id for p in places), *shown_by(value, types))
        case gast.Assign(targets=[gast.Subscript(value=gast.Name(id=name))], value=gast.Name(id=element)):
            return (name, element) if _is_list(types.get(name)) else ()
        case gast.Expr(value=gast.Call(func=gast.Name(id="append"), args=[gast.Name(id=name), value])):
            return (name, *shown_by(value, types))
    return ()
