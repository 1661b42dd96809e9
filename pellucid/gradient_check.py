"""Hold the derivatives of a function against differences of its values: `check_grads`.

    check_grads(loss, (weights, x))     ->     nothing, or an AssertionError that says which number is off
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np

from . import tree
from .forward_mode import jvp
from .pullback import vjp

MODES = ("fwd", "rev")
MOST = 64  # numbers of one leaf that are moved
STEPS = {2: 0.1, 4: 1e-2, 8: 1e-4}  # by the bytes of a number
TOLERANCES = {2: 0.1, 4: 2e-3, 8: 1e-5}


class Rules(NamedTuple):
    """How far apart derivatives and differences may be, and how far arguments are moved; None: by their dtypes."""

    atol: float | None
    rtol: float | None
    eps: float | None
    draw: np.random.Generator


def check_grads(
    f: Callable[..., Any],
    args: Iterable[Any],
    order: int = 2,
    modes: str | Sequence[str] = MODES,
    atol: float | None = None,
    rtol: float | None = None,
    eps: float | None = None,
) -> None:
    """Check the derivatives of a function against central differences, in random directions.

    f      a plain or a compiled function of any floats, with any results
    args   its arguments; those that are no floats stay as they are
    order  up to which order: the derivatives of the derivatives are checked too
    modes  "fwd" (`jvp`), "rev" (`vjp`) or both
    atol   how far a derivative may be from the difference; by default as the dtype allows (1e-5 for float64)
    rtol   the same, relative to the difference
    eps    how far the arguments are moved; by default as the dtype allows (1e-4 for float64)

    Of large arrays 64 elements are moved, drawn at random.  Differences mean nothing next to a kink or a jump: choose
    arguments away from them.

    Raises AssertionError where a derivative is off, naming the leaf and the element; what `jvp` and `vjp` raise.
    """
    chosen = (modes,) if isinstance(modes, str) else tuple(modes)
    if not set(chosen) <= set(MODES) or order < 1:
        raise ValueError(f"modes are {MODES} and order is 1 or more, not {modes!r} and {order!r}")

    def value(primals: Any) -> Any:
        return f(*primals)

    name, args = getattr(f, "__name__", "f"), tuple(args)
    if any(np.asarray(leaf).dtype.kind == "c" for leaf in tree.leaves(args)):
        message = "differences are taken along real numbers: check the function of the parts of its complex arguments"
        raise TypeError(message)
    _check(value, tuple(args), (), name, order, chosen, Rules(atol, rtol, eps, np.random.default_rng(0)))


def _check(
    g: Callable[..., Any], primals: Any, given: tuple[Any, ...], name: str, order: int, modes: Sequence[str],
    rules: Rules,
) -> None:  # fmt: skip
    """Check g(primals, *given) by its primals, then its derivatives."""
    for mode in modes:
        if mode == "fwd":
            direction = tree.map(lambda leaf: _random(leaf, rules), primals)
            _check_forward(g, primals, given, direction, name, rules)
            slope, more = pushed(g), direction
        else:
            more = tree.map(lambda leaf: _random(leaf, rules), g(primals, *given))
            _check_reverse(g, primals, given, more, name, rules)
            slope = pulled(g)
        if order > 1:
            _check(slope, primals, (*given, more), f"the derivative ({mode}) of {name}", order - 1, modes, rules)


def pushed(g: Callable[..., Any]) -> Callable[..., Any]:
    """The function of the primals and of what is given to `g`, and a tangent, that gives the tangent of the result."""

    def tangent(primals: Any, *given: Any) -> Any:
        return jvp(g, (primals, *given[:-1]), (given[-1], *[None] * (len(given) - 1)))[1]

    return tangent


def pulled(g: Callable[..., Any]) -> Callable[..., Any]:
    """The same with a cotangent of the result, that gives the cotangent of the primals."""

    def cotangent(primals: Any, *given: Any) -> Any:
        return vjp(g, primals, *given[:-1], argnums=0)[1](given[-1])[0]

    return cotangent


# --- one derivative ------------------------------------------------------------------------------------------------


def _check_forward(g: Any, primals: Any, given: Any, direction: Any, name: str, rules: Rules) -> None:
    found = pushed(g)(primals, *given, direction)
    step = rules.eps or STEPS[_bytes(primals)]

    def at(distance: float) -> Any:
        return g(_moved(primals, direction, distance), *given)

    def compare(path: tree.Path, got: Any, *values: Any) -> None:
        want = _difference([np.asarray(value, dtype=np.longdouble) for value in values], step)
        for place in np.ndindex(np.shape(want)):
            where = f"the tangent of the result{_words(path, place)}"
            _compare(np.asarray(got)[place], want[place], name, "fwd", where, _bytes((primals, got)), rules)

    is_none = lambda leaf: leaf is None  # noqa: E731
    values = [tree.map(_floats_only, at(distance)) for distance in _distances(step)]
    tree.map_with_path(
        lambda path, got, *of: None if got is None else compare(path, got, *of), found, *values, is_leaf=is_none
    )


def _check_reverse(g: Any, primals: Any, given: Any, weights: Any, name: str, rules: Rules) -> None:
    found = pulled(g)(primals, *given, weights)
    step = rules.eps or STEPS[_bytes(primals)]

    def weighted(distance: float, unit: Any) -> Any:
        values = tree.map(_floats_only, g(_moved(primals, unit, distance), *given))
        pairs = zip(tree.leaves(values), tree.leaves(weights), strict=True)
        return sum(np.sum(np.asarray(v, dtype=np.longdouble) * w) for v, w in pairs)

    def compare(path: tree.Path, leaf: Any, got: Any) -> None:
        places = list(np.ndindex(np.shape(leaf)))
        for k in sorted(rules.draw.permutation(len(places))[:MOST]):
            unit = _unit_at(primals, path, places[k])
            want = _difference([weighted(distance, unit) for distance in _distances(step)], step)
            where = f"the derivative by args{_words(path, places[k])}"
            _compare(np.asarray(got)[places[k]], want, name, "rev", where, _bytes((primals, weights)), rules)

    def at_leaf(path: tree.Path, leaf: Any, got: Any) -> None:
        if got is not None:
            compare(path, leaf, got)

    tree.map_with_path(at_leaf, primals, found)


def _compare(got: Any, want: Any, name: str, mode: str, where: str, width: int, rules: Rules) -> None:
    rtol = TOLERANCES[width] if rules.rtol is None else rules.rtol
    atol = TOLERANCES[width] if rules.atol is None else rules.atol
    if not abs(float(got) - float(want)) <= atol + rtol * abs(float(want)):
        raise AssertionError(f"{name} ({mode}): {where} is {float(got):.9g}, and differences give {float(want):.9g}")


# --- numbers -------------------------------------------------------------------------------------------------------


def _distances(step: float) -> tuple[float, ...]:
    return step, -step, step / 2, -step / 2


def _difference(values: Sequence[Any], step: float) -> Any:
    """The derivative at zero of a function with these values at +-step and +-step/2, but for terms of fourth order."""
    far, near = (values[0] - values[1]) / (2 * step), (values[2] - values[3]) / step
    return (4 * near - far) / 3


def _is_float(leaf: Any) -> bool:
    return np.asarray(leaf).dtype.kind == "f"


def _floats_only(leaf: Any) -> Any:
    return leaf if _is_float(leaf) else None


def _bytes(values: Any) -> int:
    """The bytes of the shortest floats among the leaves."""
    return min((np.asarray(leaf).dtype.itemsize for leaf in tree.leaves(values) if _is_float(leaf)), default=8)


def _random(leaf: Any, rules: Rules) -> Any:
    return _like(leaf, rules.draw.uniform(-1.0, 1.0, np.shape(leaf))) if _is_float(leaf) else None


def _unit_at(primals: Any, path: tree.Path, place: tuple[int, ...]) -> Any:
    """The direction of one element of one leaf."""

    def unit(other: tree.Path, leaf: Any) -> Any:
        if other != path:
            return None
        made = np.zeros(np.shape(leaf))
        made[place] = 1.0
        return _like(leaf, made)

    return tree.map_with_path(unit, primals)


def _like(leaf: Any, values: Any) -> Any:
    """The values in the dtype of a leaf; a float for a float."""
    return float(values) if type(leaf) is float else np.asarray(values).astype(np.asarray(leaf).dtype)[()]


def _moved(primals: Any, direction: Any, distance: float) -> Any:
    """The primals some way along a direction, which has None where they stay."""

    def move(path: tree.Path, leaf: Any, by: Any) -> Any:
        return leaf if by is None else _like(leaf, np.asarray(leaf) + distance * np.asarray(by))

    return tree.map_with_path(move, primals, direction)


def _words(path: tree.Path, place: tuple[int, ...]) -> str:
    return "".join(map(str, path)) + (f"[{', '.join(map(str, place))}]" if place else "")
