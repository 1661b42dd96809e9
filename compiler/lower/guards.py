"""Lengths that must agree are compared once, ahead of the loop that relies on it.

    x + y    of f64[n] and f64[m]    ->    if not_equal(dim(x, axis=0), dim(y, axis=0)):
                                               raise ValueError("operands could not be broadcast together ...")

Inside the block that follows, `n` and `m` count as the same length.
"""

from __future__ import annotations

from collections.abc import Sequence

import gast

from .. import syntax
from ..types import Dim
from .arithmetic import ONE
from .lowering import Lowering
from .nest import flush
from .nodes import ONE_LONG, Length, Node

ONLY_KNOWN_ONES = ": a dimension has length 1 at run time; Pellucid broadcasts only a dimension known to be 1"

Pair = tuple[Length, Length]


def shape_text(lengths: Sequence[Length]) -> tuple[str, list[gast.expr]]:
    """NumPy's words for a shape, `({},4)`, and the values for its placeholders."""
    parts, values = [], []
    for length in lengths:
        if isinstance(length.extent, int):
            parts.append(str(length.extent))
        else:
            parts.append("{}")
            values.append(length.clamped)
    return f"({','.join(parts)}{',' if len(parts) == 1 else ''})", values


def shape_texts(shapes: Sequence[Sequence[Length]]) -> tuple[str, list[gast.expr]]:
    texts = [shape_text(shape) for shape in shapes]
    return " ".join(text for text, _ in texts), [value for _, values in texts for value in values]


def raise_if(low: Lowering, test: gast.expr, exception: str, message: str, values: Sequence[gast.expr] = ()) -> None:
    flush(low)
    raised = syntax.at(syntax.raise_(exception, message, *values), low.span, low.inlined)
    low.emit(syntax.if_(test, [raised]))


def any_of(tests: Sequence[gast.expr]) -> gast.expr:
    return tests[0] if len(tests) == 1 else gast.BoolOp(gast.Or(), list(tests))


def differing(low: Lowering, pairs: Sequence[Pair]) -> list[Pair]:
    """The pairs of lengths that are not known to be equal."""
    found: dict[tuple[str, str], Pair] = {}
    for left, right in pairs:
        if not low.same(left.extent, right.extent):
            found.setdefault((str(left.extent), str(right.extent)), (left, right))
    return list(found.values())


def require_equal(
    low: Lowering, pairs: Sequence[Pair], exception: str, message: str, values: Sequence[gast.expr] = (),
    hint: str = "", stretched: int = 2,
) -> None:  # fmt: skip
    """Raise unless the lengths of every pair agree; `hint` says more where one of them is 1 at run time.

    Of a pair the first ones that are `stretched` by a broadcast: both, or the value that is stored.
    """
    unequal = differing(low, pairs)
    if not unequal:
        return
    flush(low)
    raised: gast.stmt = syntax.at(syntax.raise_(exception, message, *values), low.span, low.inlined)
    body = [raised]
    lengths = [n for pair in unequal for n in pair[:stretched] if isinstance(n.extent, Dim)]
    ones = [syntax.call("equal", n.clamped, ONE) for n in lengths]
    if hint and ones:
        told = syntax.at(syntax.raise_(exception, message + hint, *values), low.span, low.inlined)
        body = [syntax.at(syntax.if_(any_of(ones), [told]), low.span, low.inlined), raised]
    tests = [syntax.call("not_equal", left.clamped, right.clamped) for left, right in unequal]
    low.emit(syntax.if_(any_of(tests), body))
    for left, right in unequal:
        low.make_equal(left.extent, right.extent)


def broadcast(low: Lowering, operands: Sequence[Node]) -> tuple[Length, ...]:
    """The lengths of an elementwise result, guarded where the operands may disagree."""
    shapes = [node.lengths for node in operands]
    with_axes = [shape for shape in shapes if shape]
    if all(_is_alike(with_axes[0], shape) for shape in with_axes):
        return with_axes[0] if with_axes else ()
    words, values = shape_texts(shapes if len(operands) < 3 else [*shapes])
    message = f"operands could not be broadcast together with shapes {words}"
    return joined(low, shapes, "ValueError", message, values)


def _is_alike(first: Sequence[Length], other: Sequence[Length]) -> bool:
    """Whether two shapes have the same lengths by their types, none of them one that broadcasts."""
    if len(first) != len(other) or any(length.is_single for length in first):
        return False
    return first is other or all(a is b or a.extent == b.extent and not b.is_single for a, b in zip(first, other))


def joined(
    low: Lowering, shapes: Sequence[Sequence[Length]], exception: str, message: str, values: Sequence[gast.expr]
) -> tuple[Length, ...]:
    """The broadcast shape: of every axis a static length, or else the first that is not 1."""
    rank = max(map(len, shapes), default=0)
    result, pairs, single = [], [], []
    for axis in range(-rank, 0):
        lengths = [s[axis] for s in shapes if len(s) >= -axis and not s[axis].is_one]
        several = [n for n in lengths if not n.is_single] or lengths
        chosen = next((n for n in several if isinstance(n.extent, int)), several[0] if several else ONE_LONG)
        result.append(chosen)
        others = [n for n in lengths if n is not chosen]
        pairs += [(chosen, n) if several[0] is chosen else (n, chosen) for n in others if not n.is_single]
        single += [_is_unfit(n, chosen) for n in others if n.is_single and not _fits_anyway(low, n, chosen)]
    require_equal(low, pairs, exception, message, values, ONLY_KNOWN_ONES)
    if single:
        raise_if(low, any_of(single), exception, message, values)
    return tuple(result)


def _fits_anyway(low: Lowering, one: Length, other: Length) -> bool:
    """`x[:1]` beside all of `x`: both are empty, or it has an element."""
    return low.same(one.extent, other.extent) or (one.one_of is not None and low.same(one.one_of, other.extent))


def _is_unfit(one: Length, other: Length) -> gast.expr:
    """At most one element broadcasts if it is there."""
    tests = [syntax.call("not_equal", one.clamped, ONE), syntax.call("not_equal", one.clamped, other.clamped)]
    return gast.BoolOp(gast.And(), tests)
