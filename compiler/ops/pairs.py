"""Questions about the pairs (source, destination) of examples that `lax.ppermute` is given.

    pairs_of([(0, 1), (1, 0)])  ->  ((0, 1), (1, 0))        largest_of(((0, 1), (1, 0)))  ->  1
"""

from __future__ import annotations

from .schema import TypeFault
from .static import StaticFunction


@StaticFunction
def pairs_of(perm: object) -> tuple[tuple[int, int], ...]:
    """Pairs (source, destination) of numbers that are known, each at most once on either side."""
    pairs = perm if isinstance(perm, tuple) else None
    known = pairs is not None and all(isinstance(p, tuple) and len(p) == 2 and all(map(_counts, p)) for p in pairs)
    if not known:
        raise TypeFault("R001", "`perm` has pairs (source, destination) of numbers from 0 on that are known when the"
                        " function is compiled")  # fmt: skip
    for side, word in ((0, "source"), (1, "destination")):
        numbers = [pair[side] for pair in pairs]  # type: ignore[union-attr]
        if len({*numbers}) < len(numbers):
            raise TypeFault("T001", f"`perm` names an example twice as {word}")
    return pairs  # type: ignore[return-value]


def _counts(number: object) -> bool:
    return isinstance(number, int) and not isinstance(number, bool) and number >= 0


@StaticFunction
def largest_of(pairs: tuple[tuple[int, int], ...]) -> int:
    return max((number for pair in pairs for number in pair), default=-1)


# --- groups of examples ----------------------------------------------------------------------------------------------


@StaticFunction
def groups_of(groups: object) -> tuple[tuple[int, ...], ...]:
    """For each example the numbers of the examples in its group, in order: of equally many in each."""
    known = isinstance(groups, tuple) and all(isinstance(g, tuple) and all(map(_counts, g)) for g in groups)
    if not known or not groups:
        raise TypeFault("R001", "`axis_index_groups` has lists of numbers from 0 on that are known when the function is"
                        " compiled")  # fmt: skip
    if len({len(group) for group in groups}) > 1:  # type: ignore[attr-defined]
        raise TypeFault("T001", f"`axis_index_groups` has groups of different sizes: {groups}")
    of_each = {number: group for group in groups for number in group}  # type: ignore[attr-defined]
    total = sum(map(len, groups))  # type: ignore[call-overload]
    if sorted(of_each) != list(range(total)):
        raise TypeFault("T001", f"`axis_index_groups` has every number from 0 to {total - 1} once, not {groups}")
    return tuple(of_each[number] for number in range(total))


@StaticFunction
def places_in(groups: tuple[tuple[int, ...], ...]) -> tuple[int, ...]:
    """Where each example stands in its group."""
    return tuple(group.index(number) for number, group in enumerate(groups))


@StaticFunction
def sources_of(pairs: tuple[tuple[int, int], ...], count: int) -> tuple[int, ...]:
    """The example whose value each gets; -1 where it is sent nothing."""
    back = {place: source for source, place in pairs}
    return tuple(back.get(number, -1) for number in range(count))
