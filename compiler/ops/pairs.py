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
