"""How ranges pass through operators of ints: the rules of the column `interval`.

    added(values, state, i, one)        ->    i + 1
    remainder(values, state, i, n)      ->    an unknown r, and 0 <= r < n from here on
    less(values, state, i, n)           ->    n - i - 1, which is never negative where `i < n` holds

A rule takes what evaluates expressions (`integers/range_values.py`), what is known at the statement, and the form of
each operand, the tree of a condition.  That of an operator gives the exact result, or None where nothing is known of
it; that of a comparison gives the forms that are never negative where it holds.
"""

from __future__ import annotations

from typing import Any, TypeAlias

# The classes of these names stand in `analysis/`, above the rows.
Form: TypeAlias = Any
Values: TypeAlias = Any
State: TypeAlias = Any


def added(values: Values, state: State, x: Form, y: Form) -> Form:
    return x + y


def subtracted(values: Values, state: State, x: Form, y: Form) -> Form:
    return x - y


def negated(values: Values, state: State, x: Form) -> Form:
    return -x


def unchanged(values: Values, state: State, x: Form) -> Form:
    return x


def multiplied(values: Values, state: State, x: Form, y: Form) -> Form:
    exact = x * y
    if exact is not None:
        return exact
    (a, b), (c, d) = values.unknowns.interval(x), values.unknowns.interval(y)
    corners = (a * c, a * d, b * c, b * d)
    return values.unknowns.fresh(min(corners), max(corners))


def divided(values: Values, state: State, x: Form, y: Form) -> Form | None:
    if y.terms or y.constant <= 0:
        return None
    low, high = values.unknowns.interval(x)
    quotient = values.unknowns.fresh(low // y.constant, high // y.constant)
    below = x - quotient.times(y.constant)
    values.learn(state, below, (-below).plus(y.constant - 1))
    return quotient


def remainder(values: Values, state: State, x: Form, y: Form) -> Form | None:
    if not values.proves(state, y.plus(-1)):
        return None
    rest = values.unknowns.fresh(0, max(0, values.unknowns.interval(y)[1] - 1))
    values.learn(state, (y - rest).plus(-1))
    if values.proves(state, x):
        values.learn(state, x - rest)
    return rest


def masked(values: Values, state: State, x: Form, y: Form) -> Form | None:
    """The bits that both have: no more than either that is not negative."""
    natural = [form for form in (x, y) if values.proves(state, form)]
    if not natural:
        return None
    rest = values.unknowns.fresh(0, min(values.unknowns.interval(form)[1] for form in natural))
    values.learn(state, *(form - rest for form in natural))
    return rest


def absolute(values: Values, state: State, x: Form) -> Form:
    return x if values.proves(state, x) else values.unknowns.choice("max", x, -x)


def greatest(values: Values, state: State, x: Form, y: Form) -> Form:
    return values.unknowns.choice("max", x, y)


def least(values: Values, state: State, x: Form, y: Form) -> Form:
    return values.unknowns.choice("min", x, y)


def chosen(values: Values, state: State, condition: Any, x: Form, y: Form) -> Form:
    return values.either(condition, x, y, state)


# --- comparisons: what is never negative where they hold ------------------------------------------------------------


def less(values: Values, state: State, x: Form, y: Form) -> tuple[Form, ...]:
    return ((y - x).plus(-1),)


def less_equal(values: Values, state: State, x: Form, y: Form) -> tuple[Form, ...]:
    return (y - x,)


def greater(values: Values, state: State, x: Form, y: Form) -> tuple[Form, ...]:
    return less(values, state, y, x)


def greater_equal(values: Values, state: State, x: Form, y: Form) -> tuple[Form, ...]:
    return less_equal(values, state, y, x)


def equal(values: Values, state: State, x: Form, y: Form) -> tuple[Form, ...]:
    return x - y, y - x


def not_equal(values: Values, state: State, x: Form, y: Form) -> tuple[Form, ...]:
    """Unequal and not below is above."""
    return tuple(apart.plus(-1) for apart in (x - y, y - x) if values.proves(state, apart))
