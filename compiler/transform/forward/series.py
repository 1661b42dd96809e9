"""The derivatives along a curve as users pass them in and get them back, and order by order.

    series of two primals: ((x_1, x_2), None)     <->     order 1: (x_1, None)     order 2: (x_2, None)

The result has the structure of the value; at each of its floats stands the list of the derivatives.
"""

from __future__ import annotations

from collections.abc import Sequence as Items

from ...frontend.specialise.values import (
    NONE,
    ListOut,
    OneOf,
    Optional,
    Out,
    Rows,
    Sequence,
    Value,
    is_none,
    parts,
    with_parts,
)
from ..derivatives import Wanted, fault

HELP = "write `jet(f, (x,), ((x_1, x_2),))`"


def orders_of(wanted: Wanted, given: Value, count: int) -> list[Sequence]:
    """The tuple of the derivatives of the primals of each order, the first, the second and so on."""
    if not isinstance(given, Sequence) or len(given.items) != count:
        fault(wanted.where, "G005", f"the series are a tuple with one for each of the {count} primals",
              ("None is the series of an argument that does not change", HELP))  # fmt: skip
    lengths = {len(terms.items) for terms in given.items if isinstance(terms, Sequence)}
    if any(not isinstance(terms, Sequence) and not is_none(terms) for terms in given.items):
        fault(wanted.where, "G005", "the series of a primal is a tuple of its derivatives, the first, the second and "
              "so on", ("it is a tuple also where it has one derivative", HELP))  # fmt: skip
    if len(lengths) > 1:
        fault(wanted.where, "G005", f"the series have different lengths: {', '.join(map(str, sorted(lengths)))}",
              ("give all of them to the same order, with zeros or None",))  # fmt: skip
    if not any(lengths):
        fault(wanted.where, "G005", "the series have no derivative of any primal",
              ("give at least the first derivative of one", HELP))  # fmt: skip
    return [
        Sequence(tuple(terms.items[k] if isinstance(terms, Sequence) else NONE for terms in given.items))
        for k in range(max(lengths))
    ]


def as_given(given: Value, orders: Items[Value]) -> Value:
    """The series of the primals, out of the tuples for each order."""
    made = []
    for place, (_, terms) in enumerate(parts(given)):
        found = tuple(parts(one)[place][1] for one in orders)
        made.append(NONE if is_none(terms) else with_parts(terms, found))
    return with_parts(given, tuple(made))


def lists_of(orders: Items[Value]) -> Value:
    """The structure of the derivatives of a result, a list of all orders at each leaf."""
    first = orders[0]
    if is_none(first):
        return NONE
    if isinstance(first, Out | ListOut | Rows | Optional | OneOf):
        return Sequence(tuple(orders), list)
    inside = [[part for _, part in parts(one)] for one in orders]
    return with_parts(first, tuple(map(lists_of, zip(*inside, strict=True)))) if parts(first) else first
