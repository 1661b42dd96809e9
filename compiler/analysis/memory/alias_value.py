"""What an expression of the user's source may stand for: which objects it may be, or be a view of.

    x            (a parameter)      may be   argument x
    x[1:]                           may be   argument x, and is an array for sure
    x.copy()                        may be   something made at this allocation site
    (x, y + 1)                      a container made here; its elements: argument x, something made here

A `PointsTo` is an upper bound: an object that is not listed is certainly not reached.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from ...records import dataclass

DEEPEST = 3  # nesting of containers that is followed element by element

# scalar     a number, no object that could change       made   the result of arithmetic: a number or a new array
# array      an array for sure                           mask   the result of a comparison
# container  a tuple, list or dict made here             function   a function or a module
FORMS = ("unknown", "scalar", "made", "array", "mask", "container", "function")


@dataclass(frozen=True, slots=True)
class AliasOrigin:
    """An object: an argument, a global, a variable of an enclosing function, or what was made at one allocation site.

    `through` names the call whose result may, as far as is known, be (a view of) this object.
    """

    kind: str
    name: str
    line: int = 0
    column: int = 0
    through: str = ""


Origins = frozenset[AliasOrigin]


@dataclass(frozen=True, slots=True)
class PointsTo:
    """`itself`: objects it may be or view.  `inside`: objects its elements may be.  `elements`, `each`: where known.

    `is_view`: on some path it is a view of an array for sure, so that `+=` on it writes through.
    """

    itself: Origins = frozenset()
    inside: Origins = frozenset()
    form: str = "unknown"
    elements: tuple[PointsTo, ...] | None = None
    each: PointsTo | None = None
    is_view: bool = False

    @property
    def everything(self) -> Origins:
        return self.itself | self.inside

    @property
    def copies_as_index(self) -> bool:
        """Whether indexing with it gives a copy: an index array or a mask."""
        return self.form in ("array", "mask")


SCALAR = PointsTo(form="scalar")
FUNCTION = PointsTo(form="function")
NOTHING = PointsTo(form="made")


def outside(kind: str, name: str) -> PointsTo:
    """An object that was there before: an argument, a global, a variable of an enclosing function."""
    origin = frozenset({AliasOrigin(kind, name)})
    return PointsTo(origin, origin)


def made(form: str, what: str, line: int, column: int) -> PointsTo:
    """A new object without anything else's parts in it."""
    return PointsTo(frozenset({AliasOrigin("made", what, line, column)}), frozenset(), form)


def container(place: PointsTo, elements: Iterable[PointsTo], each: PointsTo | None = None) -> PointsTo:
    """A new tuple, list or dict: of these elements in order, or of any number of elements like `each`."""
    parts = tuple(elements)
    inside = frozenset[AliasOrigin]().union(*(part.everything for part in parts))
    if each is not None:
        inside |= each.everything
    if max((_depth(part) for part in (*parts, *([each] if each else []))), default=0) >= DEEPEST:
        return PointsTo(place.itself, inside, "container")
    return PointsTo(place.itself, inside, "container", None if each else parts, each)


def _depth(value: PointsTo) -> int:
    parts = value.elements or ((value.each,) if value.each else ())
    return 1 + max(map(_depth, parts), default=0) if parts else 0


def join(left: PointsTo, right: PointsTo) -> PointsTo:
    """What it may be when it is one or the other."""
    if left == right:
        return left
    elements = None
    if left.elements is not None and right.elements is not None and len(left.elements) == len(right.elements):
        elements = tuple(map(join, left.elements, right.elements))
    each = join(left.each, right.each) if left.each and right.each else None
    if elements is None and each is None and left.form == right.form == "container":
        both = [_items(left), _items(right)]  # of one known in order, of the other any: any of both
        each = None if None in both else join_all([*(both[0] or ()), *(both[1] or ())])
    form = left.form if left.form == right.form else "unknown"
    is_view = left.is_view or right.is_view
    return PointsTo(left.itself | right.itself, left.inside | right.inside, form, elements, each, is_view)


def _items(value: PointsTo) -> tuple[PointsTo, ...] | None:
    """What the items of a container may be; None where that is not known."""
    return (value.each,) if value.each is not None else value.elements


def join_all(values: Iterable[PointsTo]) -> PointsTo:
    first, *rest = list(values) or [NOTHING]
    for value in rest:
        first = join(first, value)
    return first


def element(base: PointsTo) -> PointsTo:
    """What any one element, row or item of it may be."""
    if base.each is not None:
        return base.each
    if base.elements:
        return join_all(base.elements)
    match base.form:
        case "scalar" | "mask" | "function":
            return SCALAR
        case "container":
            return PointsTo(base.inside, base.inside)
        case "array" | "made":
            return PointsTo(base.itself, frozenset(), "made")
        case _:
            return PointsTo(base.everything, base.inside)


def view(base: PointsTo) -> PointsTo:
    """A view of an array, whatever its shape."""
    if base.form in ("scalar", "function"):
        return base
    itself = base.inside if base.form == "container" else base.everything
    return PointsTo(itself, frozenset(), "unknown", is_view=True)


def with_part(base: PointsTo, part: PointsTo) -> PointsTo:
    """The container after something was put into it."""
    if base.form in ("array", "made", "mask", "scalar", "function"):
        return base  # an array copies what is stored into it
    known = _items(base)
    if base.form == "container" and known is not None:
        changed = container(PointsTo(base.itself), [], join_all([*known, part]))
        return replace(changed, inside=base.inside | changed.inside, is_view=base.is_view)
    return replace(base, inside=base.inside | part.everything, elements=None, each=None)


def with_part_in(base: PointsTo, part: PointsTo, targets: Origins) -> PointsTo:
    """The same after something was put into one of these objects: the container itself, or one inside it."""
    if not base.itself.isdisjoint(targets) or base.elements is None and base.each is None:
        return with_part(base, part)

    def changed(inner: PointsTo) -> PointsTo:
        return inner if inner.everything.isdisjoint(targets) else with_part_in(inner, part, targets)

    elements = None if base.elements is None else tuple(map(changed, base.elements))
    each = None if base.each is None else changed(base.each)
    return replace(base, inside=base.inside | part.everything, elements=elements, each=each)


def doubtful(parts: Iterable[PointsTo], through: str, place: PointsTo) -> PointsTo:
    """The result of a call that cannot be seen: something new, or a view of anything it was given."""
    reached = frozenset[AliasOrigin]().union(*(part.everything for part in parts))
    marked = frozenset(o if o.kind == "made" or o.through else replace(o, through=through) for o in reached)
    return PointsTo(place.itself | marked, marked)
