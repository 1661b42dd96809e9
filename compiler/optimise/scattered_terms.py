"""What a nest adds to an array, element by element, at an index that moves with its loops.

for j in prange(n - 2):
    for k in range(m):                              array b, an addition of t[j, k] * c
        b[j + 1, k] = b[j + 1, k] + t[j, k] * c     moved by 1 along the first loop, by 0 along the second
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import gast

from .. import syntax
from ..lower.arithmetic import ONE, ZERO, plus, terms_of, text_of
from ..ops.schema import row_of
from ..records import dataclass
from .collapse import perfect_nest


@dataclass(frozen=True, slots=True, eq=False)
class Term:
    """What one nest adds: `operator` says whether it is taken away, `moves` how far the target is from each counter.

    `pattern` is the same for terms whose targets differ by their moves alone.
    """

    nest: gast.For
    loops: tuple[gast.For, ...]
    array: str
    operator: str
    value: gast.expr
    moves: tuple[int, ...]
    pattern: tuple[object, ...]

    @property
    def counters(self) -> list[str]:
        return [loop.target.id for loop in self.loops]


def term_of(statement: gast.stmt) -> Term | None:
    """The nest as a term; None for other statements."""
    loops = perfect_nest(statement)
    if not loops or len(loops[-1].body) != 1 or any(syntax.operator_of(loop.iter) == "lanes" for loop in loops):
        return None
    match loops[-1].body[0]:
        case gast.Assign(
            targets=[gast.Subscript(value=gast.Name(id=array), slice=gast.Tuple(elts=items)) as place],
            value=gast.Call(func=gast.Name(id=operator), args=[gast.Subscript() as before, value]),
        ) if _adds(operator) and text_of(before) == text_of(place) and array not in syntax.names_read(value):
            found = _place_of(items, [loop.target.id for loop in loops])
            if found is None:
                return None
            moves, pattern = found
            return Term(loops[0], tuple(loops), array, operator, value, moves, (array, *pattern))
    return None


def _adds(operator: str) -> bool:
    row = row_of(operator)
    return row is not None and row.is_sum


def _place_of(items: Sequence[gast.expr], counters: Sequence[str]) -> tuple[tuple[int, ...], tuple[object, ...]] | None:
    """How far each counter's item is from it, and the items without that; None where one has not an item of its own."""
    moves: dict[str, int] = {}
    pattern: list[object] = []
    for item in items:
        parts, constant = terms_of(item)
        read = [name for name in syntax.names_read(item) if name in counters]
        if not read:
            pattern.append(text_of(item))
        elif len(parts) == 1 and parts[0][1] == 1 and isinstance(parts[0][0], gast.Name) and read[0] not in moves:
            moves[read[0]] = constant
            pattern.append(counters.index(read[0]))
        else:
            return None
    return None if len(moves) < len(counters) else (tuple(moves[c] for c in counters), tuple(pattern))


# --- the same terms over other ranges ------------------------------------------------------------------------------

Bounds = tuple[gast.expr, gast.expr]


def stop_of(loop: gast.For) -> gast.expr:
    return loop.iter.args[1]


def nest_over(
    loops: Sequence[gast.For], bounds: Sequence[Bounds], body: Sequence[gast.stmt], kind: str = ""
) -> gast.For:
    """These loops with other bounds around another body; all of them of one kind, if one is given."""
    inner = list(body)
    for loop, (start, stop) in zip(reversed(loops), reversed(bounds)):
        operator = kind or str(syntax.operator_of(loop.iter))
        inner = [syntax.rebuild(loop, iter=syntax.call(operator, start, stop, ONE), body=inner)]
    made = inner[0]
    assert isinstance(made, gast.For)
    return made


def greatest(left: gast.expr, right: int) -> gast.expr:
    if isinstance(left, gast.Constant):
        return syntax.constant(max(left.value, right))
    return syntax.call("maximum", left, right)


def whole(loop: gast.For) -> Bounds:
    return ZERO, stop_of(loop)


def moved(node: gast.expr, counters: Mapping[str, gast.expr]) -> gast.expr:
    """The expression with sums in place of counters, its sums in their normal form."""
    match node:
        case gast.Name(id=name) if name in counters:
            return counters[name]
        case gast.Subscript(slice=gast.Tuple(elts=items) as index):
            inside = [_index(item, counters) for item in items]
            return syntax.rebuild(node, slice=syntax.rebuild(index, elts=inside))
        case gast.Call(args=args):
            return syntax.rebuild(node, args=[moved(part, counters) for part in args])
        case gast.BoolOp(values=values):
            return syntax.rebuild(node, values=[moved(part, counters) for part in values])
        case gast.IfExp():
            parts = {f: moved(getattr(node, f), counters) for f in ("test", "body", "orelse")}
            return syntax.rebuild(node, **parts)
    return node


def _index(item: gast.expr, counters: Mapping[str, gast.expr]) -> gast.expr:
    if not any(name in counters for name in syntax.names_read(item)):
        return item
    made = moved(item, counters)
    return plus(made, 0) if _adds(str(syntax.operator_of(made))) else made


Same = Callable[[gast.For, gast.For], bool]


def same_ranges(first: Term, second: Term, same: Same) -> bool:
    """Whether two terms are of one pattern, over the same ranges."""
    alike = len(first.loops) == len(second.loops) and first.pattern == second.pattern
    return alike and all(same(a, b) for a, b in zip(first.loops, second.loops, strict=True))
