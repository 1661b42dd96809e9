"""The runs of statements in a block that stay together in one loop over the examples.

    y = matmul(w, x)            all at once: it pays
    z = sum(y)              \\
    while z > 1.0:           |  one loop: what is next to a statement that stays in a loop is cheaper there, where its
        ...                  |  value is a number in a register
    r = sqrt(z)             /

Statements that may raise for some examples only stay in one loop, from the first to the last: of two examples that
raise, the error of the first one is raised, wherever in its program it does so.  So do those that have to do with one
ragged array.
"""

from __future__ import annotations

from collections.abc import Sequence

import gast

from ... import syntax
from ...analysis.made_names import temporaries_of
from ...ops.schema import OPERATORS
from ...records import dataclass
from ...types import ListOf
from .crossing import Divergent, crossing, first_crossing
from .judging import Judge, changed, in_order


@dataclass(frozen=True, slots=True)
class Run:
    """The positions of the first and the last statement; after `forced` all could be done for all examples at once."""

    first: int
    last: int
    forced: int


def groups(statements: Sequence[gast.stmt], judge: Judge, is_inner: bool) -> list[Run]:
    """The runs, in order; `is_inner` says that the block is that of a loop or branch."""
    single = [k for k, s in enumerate(statements) if judge.reason(s)]
    spans = [(k, k) for k in single]
    spans += [(failing[0], failing[-1]) for failing in in_order(statements, judge) if len(failing) > 1]
    spans += _ragged(statements, judge)
    joined = _joined(spans)
    last = closing(statements, judge, is_inner)
    wide = _joined([_widened(span, statements, judge, last) for span in joined])
    return [Run(a, b, max(end for start, end in joined if a <= start <= b)) for a, b in wide]


def _ragged(statements: Sequence[gast.stmt], judge: Judge) -> list[tuple[int, int]]:
    """For each array whose lengths differ, from where it is first mentioned to where it is last."""
    places: dict[str, list[int]] = {}
    for k, statement in enumerate(statements):
        for inner in syntax.walk([statement]):
            for name in (*syntax.names_read(inner), *changed(inner)):
                if judge.varying.is_ragged(name):
                    places.setdefault(name, []).append(k)
    for name, found in places.items():
        _require_one_side(name, statements, found, judge)
    return [(found[0], found[-1]) for found in places.values() if judge.reason(statements[found[0]])]


def _require_one_side(name: str, statements: Sequence[gast.stmt], found: list[int], judge: Judge) -> None:
    """Raise Divergent where a ragged array is on both sides of a statement that needs all examples."""
    for place in range(found[0], found[-1] + 1):
        is_around = judge.crosses(statements[place]) and found[0] < found[-1]
        if is_around or place in found and crossing(getattr(statements[place], "value", None), judge.axis_name):
            span, collective = first_crossing(statements[place], judge.axis_name or "")
            raise Divergent(span, collective, _difference(name, judge))


def _difference(name: str, judge: Judge) -> str:
    """In which way a ragged array differs between the examples."""
    if isinstance(judge.varying.types[name], ListOf):
        return "a list around it is one for each example, such as that of what a derivative needs of a `while`"
    spoken = "an array" if name in temporaries_of(judge.function) else f"`{name}`"
    return f"the length of {spoken} depends on the example"


def _joined(spans: list[tuple[int, int]]) -> list[tuple[int, int]]:
    made: list[tuple[int, int]] = []
    for first, last in sorted(spans):
        if made and first <= made[-1][1] + 1:
            made[-1] = made[-1][0], max(made[-1][1], last)
        else:
            made.append((first, last))
    return made


def closing(statements: Sequence[gast.stmt], judge: Judge, is_inner: bool) -> int:
    """Where the updates of merged names begin, or the return: no loop takes them in."""
    end = len(statements)
    while end and (isinstance(statements[end - 1], gast.Return) or is_inner and _is_update(statements[end - 1], judge)):
        end -= 1
    return end


def _is_update(statement: gast.stmt, judge: Judge) -> bool:
    is_assignment = isinstance(statement, gast.Assign) and isinstance(statement.targets[0], gast.Name)
    return is_assignment and not judge.merged.isdisjoint(syntax.names_bound(statement))


def _widened(
    span: tuple[int, int], statements: Sequence[gast.stmt], judge: Judge, end: int
) -> tuple[int, int]:
    """The run with what stands next to it and does not pay on its own; buffers that are results stay outside."""
    first, last = span
    while first and not judge.pays(statements[first - 1]):
        first -= 1
    while last + 1 < end and not judge.pays(statements[last + 1]):
        last += 1
    while first < span[0] and _is_outside(statements[first], statements[first : last + 1], judge):
        first += 1
    return first, last


def _is_outside(statement: gast.stmt, run: Sequence[gast.stmt], judge: Judge) -> bool:
    """Whether a statement before a run is the same for all examples, or makes a buffer that they store results in."""
    again = {n for s in syntax.walk(run[1:]) for n in syntax.names_bound(s)}
    if not again.isdisjoint(syntax.names_bound(statement)):
        return False
    if not judge.involves(statement):
        return True
    value = getattr(statement, "value", None)
    row = OPERATORS.get(syntax.operator_of(value) or "") if value is not None else None
    is_new = row is not None and (row.kind == "creation" or row.copies) and not judge.reason(statement)
    inside = list(syntax.walk(run))
    return is_new and any(judge.is_seen_outside(name, inside) for name in syntax.names_bound(statement))
