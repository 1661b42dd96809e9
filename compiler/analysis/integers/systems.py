"""Whether ints can fulfil some equations and inequalities at once, and between which bounds one of them then lies.

    i - j - 1 >= 0,  j - k >= 0,  k - i = 0        none: i > j >= k = i
    2*i - 2*j - 1 = 0                              none: one side is even
    d - 1 >= 0,  i + d - j - 3 = 0,  i - j = 0     d is 3

What follows from facts is asked of `Prover`, which asks here where all facts are needed at once.  Equations give way
by substitution, inequalities by Fourier-Motzkin elimination, rounded to ints at every step.
Forgetting inequalities is always right, so it may give up anywhere: the answer "none" is certain, the other is not.
"""

from __future__ import annotations

from collections.abc import Iterable
from math import gcd

from .affine import Affine, combine

MOST = 48  # inequalities at a time; an unknown whose elimination would make more of them is dropped
Table = dict[tuple[tuple[int, int], ...], int]
Bounds = tuple[int | None, int | None]


def is_empty(zero: Iterable[Affine], natural: Iterable[Affine]) -> bool:
    """Whether no ints make all forms of `zero` zero and none of `natural` negative."""
    return bounds(None, zero, natural) is None


def bounds(asked: int | None, zero: Iterable[Affine], natural: Iterable[Affine]) -> Bounds | None:
    """The least and the greatest value of an unknown, each None where there is no end to it; None if there is none."""
    facts = _substituted(asked, list(zero), list(natural))
    if facts is None:
        return None
    table: Table = {}
    if not all(_add(table, fact) for fact in facts) or not _eliminated(asked, table):
        return None
    up, down = table.get(((asked, 1),)), table.get(((asked, -1),))
    return None if up is None else -up, down


def _substituted(asked: int | None, zero: list[Affine], natural: list[Affine]) -> list[Affine] | None:
    """The inequalities that are left once the equations are solved; None where one of them cannot be."""
    hard: list[Affine] = []
    while zero:
        form = _divided(zero.pop(), exactly=True)
        if form is None or (not form.terms and form.constant):
            return None
        unit = next(((u, f) for u, f in reversed(form.terms) if abs(f) == 1 and u != asked), None)
        if unit is None:
            hard.append(form)
            continue
        value = (form - Affine(0, (unit,))).times(-unit[1])
        zero = [f.with_value(unit[0], value) for f in (*zero, *hard)]
        natural = [f.with_value(unit[0], value) for f in natural]
        hard = []
    return [*natural, *hard, *(-f for f in hard)]


def _divided(form: Affine, exactly: bool) -> Affine | None:
    """The form divided by what its factors share; None for an equation whose constant they do not divide."""
    shared = gcd(*[f for _, f in form.terms]) if form.terms else 1
    if shared == 1:
        return form
    if exactly and form.constant % shared:
        return None
    return Affine(form.constant // shared, tuple([(u, f // shared) for u, f in form.terms]))


def _add(table: Table, form: Affine) -> bool:
    """Note `form >= 0`; False where that cannot be."""
    if not form.terms:
        return form.constant >= 0
    least = _divided(form, exactly=False)
    assert least is not None
    constant = table[least.terms] = min(least.constant, table.get(least.terms, least.constant))
    other = table.get(tuple([(u, -f) for u, f in least.terms]))
    return other is None or other + constant >= 0


def _eliminated(asked: int | None, table: Table) -> bool:
    """Take all unknowns out of the inequalities but the one asked for; False where they cannot hold together."""
    while True:
        counts: dict[int, list[int]] = {}
        for terms in table:
            for unknown, factor in terms:
                counts.setdefault(unknown, [0, 0])[factor > 0] += 1
        counts.pop(asked, None)
        if not counts:
            return True
        unknown = min(counts, key=lambda u: (counts[u][0] * counts[u][1] - sum(counts[u]), u))
        lows: list[tuple[Affine, int]] = []
        highs: list[tuple[Affine, int]] = []
        for terms, constant in list(table.items()):
            factor = next((f for u, f in terms if u == unknown), 0)
            if factor:
                del table[terms]
                (lows if factor > 0 else highs).append((Affine(constant, terms), abs(factor)))
        if len(lows) * len(highs) + len(table) > MOST:
            continue
        for low, a in lows:
            for high, b in highs:
                shared = gcd(a, b)
                if not _add(table, combine(low, b // shared, high, a // shared)):
                    return False
