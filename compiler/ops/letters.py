"""Questions about the letters of einsum, asked while the specialiser walks through `np.einsum` and `np.tensordot`.

    einsum_letters("ij,jk", 2, 2)      ->  ("ij", "jk", "ik")
    product_subscripts(2, 2, 1)        ->  "ab,bd->ad"
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .schema import TypeFault
from .static import StaticFunction, axis_list

LETTERS = "abcdefghijklmnopqrstuvwxyz"


@StaticFunction
def product_subscripts(left: int, right: int, axes: Any) -> str:
    """The einsum of `np.tensordot` on arrays of these ranks: `axes` a count, or a pair of axes or tuples of axes."""
    if isinstance(axes, int | np.integer):
        pairs = (tuple(range(left - axes, left)), tuple(range(axes)))
    else:
        first, second = axes
        pairs = (tuple(axis_list(first, left)), tuple(axis_list(second, right)))
    if len(pairs[0]) != len(pairs[1]) or len(pairs[0]) > min(left, right) or min((*pairs[0], 0)) < 0:
        raise TypeFault("S003", f"shape-mismatch for sum: axes={axes} of arrays of {left} and {right} dimensions")
    a = LETTERS[:left]
    b = list(LETTERS[left : left + right])
    for k, j in zip(*pairs):
        b[j] = a[k]
    kept = [c for k, c in enumerate(a) if k not in pairs[0]] + [c for k, c in enumerate(b) if k not in pairs[1]]
    return f"{a},{''.join(b)}->{''.join(kept)}"


@StaticFunction
def einsum_letters(subscripts: object, *ranks: int) -> tuple[str, ...]:
    """The letters of every operand and then of the result, blanks and ellipses resolved, the result made explicit."""
    if not isinstance(subscripts, str):
        raise TypeFault("R001", "the subscripts of einsum must be a string that is known when the function is compiled")
    inputs, arrow, result = subscripts.replace(" ", "").partition("->")
    operands = inputs.split(",")
    if len(operands) != len(ranks):
        raise TypeFault("S002", f"einsum: `{subscripts}` names {len(operands)} operands, but {len(ranks)} were given")
    spare = [c for c in LETTERS.upper() if c not in subscripts]
    dots = max((r - len(o.replace("...", "")) for o, r in zip(operands, ranks) if "..." in o), default=0)
    full = [_dotted(o, r - len(o.replace("...", "")), spare[:dots]) for o, r in zip(operands, ranks)]
    for letters, rank_ in zip(full, ranks):
        if len(letters) != rank_ or not letters.isalpha() and letters:
            raise TypeFault("S002", f"einsum: `{letters}` does not name the axes of an array of {rank_} dimensions")
    if not arrow:
        once = sorted(c for c in set(inputs) - set(",.") if inputs.count(c) == 1)
        result = ("..." if dots else "") + "".join(once)
    result = _dotted(result, dots, spare[:dots])
    if not set(result) <= set("".join(full)) or len(set(result)) < len(result):
        message = f"einsum: the result of `{subscripts}` repeats a letter or names one that no operand has"
        raise TypeFault("S002", message)
    return (*full, result)


@StaticFunction
def of_numbers(*lists: object) -> str:
    """The subscripts that lists of the numbers of axes stand for: of every operand, and of the result if it has some.

    How many operands there are comes first.
    """
    count, *named = lists
    assert isinstance(count, int), count
    words = ["".join(map(_letter_of, axes)) for axes in named]  # type: ignore[call-overload]
    inputs = ",".join(words[:count])
    return f"{inputs}->{words[-1]}" if len(words) > count else inputs


def _letter_of(number: object) -> str:
    if number is Ellipsis:
        return "..."
    if not isinstance(number, int | np.integer) or not 0 <= number < 2 * len(LETTERS):
        raise TypeFault("R001", "the axes of einsum are ints from 0 to 51 that are known when the function is compiled")
    return (LETTERS.upper() + LETTERS)[number]


def _dotted(letters: str, count: int, spare: list[str]) -> str:
    """`...` as the last `count` of the spare letters."""
    return letters.replace("...", "".join(spare[len(spare) - count :])) if "..." in letters else letters


@StaticFunction
def first_repeated(letters: str) -> tuple[int, ...]:
    """The positions of the first letter that stands twice; nothing where none does."""
    for letter in letters:
        if letters.count(letter) > 1:
            first = letters.index(letter)
            return first, letters.index(letter, first + 1)
    return ()


@StaticFunction
def shared_places(subscripts: str) -> tuple[tuple[int, int], ...]:
    """Of the subscripts of a product, the pairs of positions that are summed over together."""
    left, right = subscripts.partition("->")[0].split(",")
    return tuple((left.index(c), k) for k, c in enumerate(right) if c in left)


@StaticFunction
def without(letters: str, dropped: tuple[int, ...]) -> str:
    """The letters but for those at these positions."""
    return "".join(c for k, c in enumerate(letters) if k not in dropped)


@StaticFunction
def lonely(letters: str, others: str) -> tuple[int, ...]:
    """The positions of the letters that occur once."""
    return tuple(k for k, c in enumerate(letters) if c not in others)


@StaticFunction
def order_in(letters: str, wanted: str) -> tuple[int, ...]:
    """The transposition that brings `letters` into the order of `wanted`."""
    return tuple(letters.index(c) for c in wanted)


@StaticFunction
def joined(left: str, right: str, needed: str) -> str:
    """The letters of both that are still needed, in order of appearance."""
    return "".join(c for c in dict.fromkeys(left + right) if c in needed)


@StaticFunction
def text(*parts: object) -> str:
    return "".join(map(str, parts))
