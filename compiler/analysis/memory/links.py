"""The links between names at one point of a function: which share elements, and why.

    y = x[1:]          ->     {x: {y: link}, y: {x: link}}

Never changed: what a statement makes of them shares what it leaves as it was, so that a long function with many names
costs no more for each of its statements.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from collections.abc import Set as AbstractSet

import gast

from ...records import dataclass
from .parts import ShownPart

Pair = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Link:
    """Why two names share: made by `origin`, or before the first statement (None); if `part` is there, the second
    shows that part of `owner`.  Two lists with `by_items` are two lists for sure, that may hold the same arrays.
    """

    origin: gast.stmt | None
    owner: str | None = None
    part: ShownPart | None = None
    by_items: bool = False

    def without_part(self) -> Link:
        return self if self.part is None else Link(self.origin, by_items=self.by_items)


@dataclass(frozen=True, slots=True, eq=False)
class Links:
    """All links at a point: those of a name by the other one, and by the names that their parts are counted from.

    `counted` may still name links that have gone, or have lost their parts.
    """

    of: Mapping[str, Mapping[str, Link]]
    counted: Mapping[str, frozenset[Pair]]

    def between(self, left: str, right: str) -> Link | None:
        return self.of.get(left, {}).get(right)

    def partners(self, name: str) -> Mapping[str, Link]:
        """The names that share with one, itself among them where it may not be stored into."""
        return self.of.get(name, {})

    def pairs(self) -> Iterator[Pair]:
        for name, partners in self.of.items():
            yield from ((name, other) for other in partners if name <= other)

    def with_(self, made: Mapping[Pair, Link]) -> Links:
        """With these links, in place of those that there are."""
        of, counted, own = dict(self.of), dict(self.counted), set[str]()
        for (left, right), link in made.items():
            for name, other in ((left, right), (right, left)):
                if name not in own:
                    of[name] = dict(of.get(name, ()))
                    own.add(name)
                of[name][other] = link  # type: ignore[index]  # its own copy
            for name in link.part.names if link.part is not None else ():
                counted[name] = counted.get(name, frozenset()) | {(left, right)}
        return Links(of, counted)

    def forget(self, name: str) -> Links:
        """Once a name has a new value: its links go, and parts that were counted from it are unknown."""
        kept = self.recount(name) if name in self.counted else self
        if name not in kept.of:
            return kept
        of = dict(kept.of)
        for other in of.pop(name):
            if other != name:
                of[other] = {n: link for n, link in of[other].items() if n != name}
        return Links(of, kept.counted)

    def of_names(self, names: AbstractSet[str]) -> Links:
        """The links between these names alone."""
        if self.of.keys() <= names:
            return self
        left = {name: partners for name, partners in self.of.items() if name in names}
        return Links(
            {name: {n: link for n, link in partners.items() if n in names} for name, partners in left.items()},
            self.counted,
        )

    def recount(self, name: str) -> Links:
        """Once an int has a new value: which parts were counted from it is unknown."""
        if name not in self.counted:
            return self
        stale = {pair: link.without_part() for pair in self.counted[name] if (link := self.between(*pair)) is not None}
        kept = self.with_(stale)
        return Links(kept.of, {n: pairs for n, pairs in kept.counted.items() if n != name})

    def join(self, other: Links) -> Links:
        """What may hold on either path; of two reasons the first, its part only where both agree."""
        if self is other or not other.of:
            return self
        if not self.of:
            return other
        if self.of == other.of:  # the usual case: from the second pass over a loop on the table is the same
            return self
        changed: dict[Pair, Link] = {}
        for name, theirs in other.of.items():
            mine = self.of.get(name, {})
            if mine is not theirs and mine != theirs:
                for partner, link in theirs.items():
                    joined = _joined(mine.get(partner), link)
                    if joined is not mine.get(partner):
                        changed[(name, partner) if name <= partner else (partner, name)] = joined
        return self.with_(changed)

    def says_as_much(self, other: Links) -> bool:
        """Whether there are as many links, and each of them says what it says there."""
        if self.of.keys() != other.of.keys():
            return False
        for name, mine in self.of.items():
            theirs = other.of[name]
            if mine is theirs or mine == theirs:
                continue
            if mine.keys() != theirs.keys() or not all(_says_as_much(mine[n], theirs[n]) for n in mine):
                return False
        return True


NO_LINKS = Links({}, {})


def _joined(mine: Link | None, link: Link) -> Link:
    if mine is None:
        return link
    if mine is link or (mine.owner, mine.part, mine.by_items) == (link.owner, link.part, link.by_items):
        return mine
    return Link(mine.origin, by_items=mine.by_items and link.by_items)


def _says_as_much(left: Link, right: Link) -> bool:
    return left.part is right.part and left.by_items == right.by_items
