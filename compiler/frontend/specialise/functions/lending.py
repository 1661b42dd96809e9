"""Objects passed to a function compiled on its own: copied in, and copied out as the function left them.

    def visit(u, seen):                     def visit(u, seen):              # seen: i64[n], the items of a list
        seen.append(u)                          seen_1 = list of seen
        if u > 0:                               append(seen_1, u)
            visit(u - 1, seen)       ->         if u > 0:
                                                    t = visit(u - 1, array of seen_1)
                                                    seen_1 = list of t
                                                return array of seen_1

A function compiled on its own has objects of its own.  It gets what those of its caller hold, each object once however
many names it has, and returns what it changed: then the caller's objects hold that, under all their names.  Which
names are aliases is part of what it is compiled for; a list that grows crosses the call as arrays of its items.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Hashable, Iterator, Mapping
from dataclasses import field

import gast

from ....records import dataclass
from ....types import ListOf, Scalar
from ..frame import Anew, Frame
from ..functional import Closure
from ..kinds import built_strings, containers, forms, rows, tables
from ..kinds.string_numbers import is_string
from ..objects import pools, sites
from ..objects.heap import Owner
from ..objects.object_changes import absorb, change, name_of
from ..objects.objects_of_loops import new_token
from ..values import (
    NONE,
    UNDEFINED,
    Conflict,
    Leaf,
    Lent,
    Out,
    Ref,
    Rows,
    Sequence,
    Static,
    Typed,
    Undefined,
    Value,
    is_number,
    is_sequence,
    leaves,
    map_leaves,
)
from .environments import Environment, Hole, Passed

MOST_LENGTHS = 12  # lengths that a list of known length may have before it becomes one that grows


@dataclass(frozen=True, slots=True, eq=False)
class Loan:
    """What is copied in: arguments by name, after them what their objects hold, and the numbers of those.

    Local functions are holes of `environment` in them.
    """

    environment: Environment
    identity: tuple[Hashable, Hashable] = (None, None)
    values: dict[str, Value] = field(default_factory=dict)
    numbers: dict[int, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Returned:
    """What is copied out, over `Out` and `Lent`: first the objects copied in, then those that the function made.

    contents  what the objects hold that it changed or made, by their positions
    origins   the objects that one it made may be: positions of those copied in, and numbers of others that it made
    owners    who else sees an object that it made
    absorbed  the positions of those that a list that grows has a copy of
    """

    value: Value
    contents: tuple[tuple[int, Value], ...] = ()
    origins: tuple[tuple[int, tuple[int, ...], tuple[int, ...]], ...] = ()
    owners: tuple[tuple[int, Owner], ...] = ()
    absorbed: frozenset[int] = frozenset()


class Contents(Passed):
    """The key of what an object holds; its parameter is named after the path to the object."""

    identity: Hashable


# --- the call -------------------------------------------------------------------------------------------------------


def lend(
    frame: Frame, function: Hashable, bound: dict[str, Value], node: gast.AST, closure: Closure | None = None
) -> Loan:  # fmt: skip
    """Copy in: take arguments apart into values and what their objects hold; `closure` is the function, if local."""
    environment = Environment(frame, closure, given=bound)
    identity = (function, environment.identity)
    loan = Loan(environment, identity)

    def opened(value: Value, path: tuple[object, ...]) -> Value:
        def part(value: Value, path: tuple[object, ...]) -> Value:
            if not isinstance(value, Ref):
                return value
            if value.number not in loan.numbers:
                loan.numbers[value.number] = place = len(loan.numbers)
                key = Contents(f"object {place}")
                key.name, key.identity = "_".join(map(str, path)), identity
                loan.values[key] = NONE  # its key comes before those of the objects in it
                loan.values[key] = opened(_passed(frame, value, key, node), path)
            return Lent(loan.numbers[value.number])

        return map_leaves(environment.with_holes(value), part, path)

    for name, value in {**bound, **environment.passed, **pools.lent(frame)}.items():
        loan.values[name] = NONE
        loan.values[name] = opened(_ended(frame, (identity, name), value, node), (name,))
    return loan


def _ended(frame: Frame, place: tuple[Hashable, str], value: Value, node: gast.AST) -> Value:
    """A tuple or string that is passed on, of dynamic length where each call would have a longer one."""
    if is_string(value):
        if ("lent", *place) in frame.task.learned.forms:
            return built_strings.spelled(frame, value, node)
        frame.task.lent_strings.setdefault(place, set()).add(value)
    if not isinstance(value, Sequence) or value.kind is not tuple:
        return value
    if ("lent", *place) not in frame.task.learned.forms:
        _require_end(frame, ("lent", *place), value)
        return value
    known = frame.task.learned.forms["lent", *place][0]
    form = forms.join_forms(frame, known, forms.form_of(frame, value))
    return tables.rows_of(frame, value, form, node, frame.heap.contents) if isinstance(form, Rows) else value


def let_strings_vary(frame: Frame, identity: Hashable) -> None:
    """Start again where a function would be made for each of many strings: they are then chosen at run time."""
    met = frame.task.lent_strings
    many = [place for place, found in met.items() if place[0] == identity and len(found) > MOST_LENGTHS]
    for place in many:
        frame.task.learned.forms["lent", *place] = ()
        del met[place]
    if many:
        raise Anew


def _passed(frame: Frame, target: Ref, key: Contents, node: gast.AST) -> Value:
    """What an object holds, as it crosses the call."""
    known, held = frame.task.learned.forms.get(_site(key)), frame.held(target)
    if is_sequence(held, list):
        if known is None:
            _require_end(frame, _site(key), held)
        else:
            own = forms.form_of_items(frame, held)
            containers.let_grow(frame, target, known[0] if own is None else forms.join_forms(frame, own, *known), node)
        held = frame.held(target)
    if is_sequence(held, set) and any(map(is_number, held.items)):
        _let_be_asked(frame, target, held, node)
    return _across(frame, held, node, "take", "pass one array: `np.array(...)`")


def _let_be_asked(frame: Frame, target: Ref, held: Sequence, node: gast.AST) -> None:
    """Start again with a dynamic set: the function knows only the type of a number."""
    form = forms.form_of_items(frame, Sequence(held.items))
    if form is not None and not isinstance(form, Conflict):
        sites.learn(frame, target.number, (form,), node)


def _across(frame: Frame, held: Value, node: gast.AST, how: str, help_: str) -> Value:
    """What an object holds, with a list that grows as arrays of its items."""
    if not forms.grows(frame, held):
        return held
    for leaf in forms.lists_of(held):
        found = frame.type_of(leaf)
        if not isinstance(found, ListOf) or not isinstance(found.element, Scalar):
            message = f"a function that calls itself cannot {how} a list that grows, of arrays or lists"
            frame.fault("U018", message, node, "here", (help_,))
    return tables.arrays_of(frame, held, node)


def _require_end(frame: Frame, site: sites.Site, held: Sequence) -> None:
    """Make a list grow where calls pass longer and longer ones: an instance for each length would never end."""
    around = {lists[site] for lists in frame.task.lent if site in lists}
    form = forms.form_of_items(frame, held)
    if len(around - {len(held.items)}) < MOST_LENGTHS or form is None or isinstance(form, Conflict):
        return
    form = forms.with_room(frame, form) if held.kind is list else forms.as_rows(form, frame, tuple)
    if any(isinstance(leaf, Typed) for leaf in leaves(form)):
        frame.task.learned.forms[site] = (form,)
        raise Anew


@contextlib.contextmanager
def lent(frame: Frame, loan: Loan) -> Iterator[None]:
    """While a function is compiled, those that it calls know the lengths of the lists that were copied in."""
    lists = {
        _site(key) if isinstance(key, Contents) else ("lent", loan.identity, key): len(value.items)
        for key, value in loan.values.items()
        if is_sequence(value, list if isinstance(key, Contents) else tuple)
    }
    frame.task.lent.append(lists)
    try:
        yield
    finally:
        frame.task.lent.pop()


def _site(key: Contents) -> sites.Site:
    return "lent", key.identity, key.name


# --- inside the function --------------------------------------------------------------------------------------------


def enter(outer: Frame, inner: Frame, loan: Loan) -> dict[int, int]:
    """Give the function objects of its own with what was copied in; their numbers, with those of the caller."""
    heap = inner.heap
    held = {key: inner.variables.pop(key) for key in list(inner.variables) if isinstance(key, Contents)}
    names = list(loan.numbers)
    own = [heap.new(UNDEFINED, outer.heap.names[number]) for number in names]

    def here(value: Value) -> Value:
        return map_leaves(value, lambda part, _: own[part.place] if isinstance(part, Lent) else part)

    for number, (key, contents), theirs in zip(own, held.items(), names, strict=True):
        heap.contents[number.number] = here(contents)
        owner = outer.heap.owner_of(theirs)
        if owner is not None:
            heap.owners[number.number] = owner
        made_at = outer.heap.sites.get(theirs)
        if made_at is None and is_sequence(contents, list):
            made_at = _site(key), sites.WHOLE
        if made_at is not None:
            heap.sites[number.number] = made_at
    inner.variables = {key: here(value) for key, value in inner.variables.items()}
    lent = {ref.number: place for place, ref in enumerate(own)}
    heap.lent = frozenset(lent)
    pools.enter(inner)
    return lent


def given_back(
    frame: Frame, environment: Environment, value: Value, lent: Mapping[int, int], node: gast.AST,
    leaf: Callable[..., Value],
) -> Returned:  # fmt: skip
    """What the function returns, and what it left in objects; `leaf` makes what stands for a leaf.

    The functions of `environment` are holes in that.
    """
    heap, places = frame.heap, dict(lent)
    queue = [number for number in lent if number in heap.changes]

    def part(value: Value, path: tuple[object, ...]) -> Value:
        if not isinstance(value, Ref):
            return leaf(value, path)
        if value.number not in places:
            places[value.number] = len(places)
            queue.append(value.number)
        return Lent(places[value.number])

    def held(value: Value, path: tuple[object, ...]) -> Value:
        stays = isinstance(value, Static | Conflict | Undefined) and not is_number(value)
        return value if stays else part(value, path)

    result, contents = map_leaves(environment.left(value), part), []
    for number in queue:  # the queue grows while it is walked
        inside = _across(frame, heap.contents[number], node, "give back", "return one array: `np.array(...)`")
        contents.append((places[number], map_leaves(environment.left(inside), held)))
    absorbed = frozenset(place for number, place in places.items() if number in heap.absorbed)
    made = {place: heap.owner_of(number) for number, place in places.items() if number not in lent}
    owners = tuple((place, owner) for place, owner in made.items() if owner is not None)
    return Returned(result, tuple(contents), _origins(frame, places, lent), owners, absorbed)


def _origins(frame: Frame, places: dict[int, int], lent: Mapping[int, int]) -> tuple[tuple, ...]:
    """The objects that each returned object may be, where it may be another one."""
    found, others = [], dict[int, int]()
    for number, place in places.items():
        made_of = sorted(frame.heap.made_of(number))
        if number in lent or len(made_of) == 1:
            continue
        own = [others.setdefault(n, len(others)) for n in made_of if n not in lent]
        found.append((place, tuple(lent[n] for n in made_of if n in lent), tuple(own)))
    return tuple(found)


# --- after the call -------------------------------------------------------------------------------------------------


def take_back(frame: Frame, returned: Returned, loan: Loan, names: list[str], node: gast.AST) -> Value:
    """Copy out: let the caller's objects hold what the function left in them; the value that it returned."""
    refs = [Ref(number) for number in loan.numbers]
    more = [place for place, _ in returned.contents if place >= len(refs)]
    refs += [frame.new(UNDEFINED, "items") for _ in more]

    def here(value: Value) -> Value:
        def part(value: Value, _: tuple[object, ...]) -> Value:
            if isinstance(value, Lent):
                return refs[value.place]
            if isinstance(value, Static) and isinstance(value.value, Hole):
                return loan.environment.taken_back(value.value)
            return Leaf(names[value.index]) if isinstance(value, Out) else value

        made = map_leaves(value, part)
        if isinstance(made, Rows) and made.kind is list and not forms.is_unknown(made):
            return rows.growable(frame, made, node)
        return made

    changed = [refs[place] for place, _ in returned.contents if place < len(loan.numbers)]
    require_apart(frame, changed, list(loan.numbers), node)
    for place, contents in returned.contents:
        if place < len(loan.numbers):
            change(frame, refs[place], here(contents), node)
        else:
            frame.heap.contents[refs[place].number] = here(contents)
    tokens: dict[int, int] = {}
    for place, theirs, others in returned.origins:
        own = {tokens.setdefault(n, new_token()) for n in others}
        frame.heap.origins[refs[place].number] = frozenset({*(refs[k].number for k in theirs), *own})
    frame.heap.owners.update((refs[place].number, owner) for place, owner in returned.owners)
    for place in returned.absorbed:
        absorb(frame, refs[place].number)
    return here(returned.value)


def require_apart(frame: Frame, changed: list[Ref], lent: list[int], node: gast.AST) -> None:
    """Refuse to change an object that may be another argument as well: the function took them for two."""
    for target in changed:
        for other in lent:
            if other != target.number and frame.heap.may_be_one(other, target.number):
                first, second = name_of(frame, target.number), name_of(frame, other)
                message = f"this call changes `{first}` and sees `{second}`, which is the same object on some paths"
                frame.fault("R003", message, node, "called here", ("pass a copy of one of them",))
