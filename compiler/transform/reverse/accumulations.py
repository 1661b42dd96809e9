"""Recognise stores that only add to what is there: their derivative adds nothing to the array's own.

    t = a[i]
    v = add(t, w)              w_bar += a_bar[i]           a_bar stays as it is: no zero, nothing added back
    a[i] = v

The three stand in one block, `t` and `v` are read nowhere else, and nothing in between stores into `a` or into an array
of its index, under this name or another.  Where the index is the whole array no load is needed: `v = add(a, w)`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

import gast

from ... import syntax
from ...analysis.memory import alias
from ...analysis.regions import Regions, changed_names
from ...dtypes import is_bool
from ...ops.schema import row_of
from ...program import Function
from ...records import dataclass
from ...types import Array, Type, dtype_of


@dataclass(frozen=True, slots=True)
class Accumulation:
    """`a[items] += sign * added`; `absorbed` are the load and the sum, which need no backward form of their own."""

    added: gast.expr
    sign: int
    absorbed: tuple[gast.stmt, ...]


def accumulations(regions: Regions) -> dict[int, Accumulation]:
    """The accumulating stores, by the identity of the store."""
    reads = Counter(name for s in regions.function.body for name in syntax.names_read(s))
    found: dict[int, Accumulation] = {}
    for block in regions.main.values():
        made = {n: k for k, s in enumerate(block) if isinstance(s, gast.Assign) for n in syntax.names_bound(s)}
        for position, statement in enumerate(block):
            match = _match(block, position, made, reads, regions.function)
            if match is not None:
                found[id(statement)] = match
    return found


def _match(
    block: Sequence[gast.stmt], position: int, made: Mapping[str, int], reads: Counter[str], function: Function
) -> Accumulation | None:
    statement, types = block[position], function.types
    match statement:
        case gast.Assign(
            targets=[gast.Subscript(value=gast.Name(id=base), slice=items)], value=gast.Name(id=total)
        ) if total in made and reads[total] == 1 and isinstance(types[base], Array):
            pass
        case _:
            return None
    summed = block[made[total]]
    row = row_of(syntax.operator_of(summed.value))
    if row is None or not row.is_sum or dtype_of(types[base]) != dtype_of(types[total]):
        return None
    sides = [(summed.value.args[0], summed.value.args[1], row.sign)]
    if row.sign > 0:
        sides.append((summed.value.args[1], summed.value.args[0], 1))
    for loaded, added, sign in sides:
        if not isinstance(loaded, gast.Name):
            continue
        load = block[made[loaded.id]] if loaded.id in made and reads[loaded.id] == 1 else None
        if loaded.id == base and _is_whole(items):
            absorbed: tuple[gast.stmt, ...] = (summed,)
            since = made[total]
        elif load is not None and _loads(load, base, items, types):
            absorbed, since = (load, summed), made[loaded.id]
        else:
            continue
        if types[loaded.id] != types[total] and _dims(types[loaded.id]) != _dims(types[total]):
            continue
        if not _changes(block[since + 1 : position], [base, *syntax.names_read(items)], function):
            return Accumulation(added, sign, absorbed)
    return None


def _is_whole(items: gast.Tuple) -> bool:
    parts = (getattr(item, part, item) for item in items.elts for part in ("lower", "upper", "step"))
    return all(part is None for part in parts)


def _changes(statements: Sequence[gast.stmt], names: Sequence[str], function: Function) -> bool:
    """Whether statements change elements that one of the names may show."""
    changed = set(changed_names(statements))
    return bool(changed) and any(alias.regions(function).may_share(c, name) for c in changed for name in names)


def _loads(statement: gast.stmt, base: str, items: gast.expr, types: Mapping[str, Type]) -> bool:
    """Whether a statement loads exactly these elements, each of them once."""
    match statement:
        case gast.Assign(value=gast.Subscript(value=gast.Name(id=source), slice=loaded)):
            named = [types[i.id] for i in items.elts if isinstance(i, gast.Name)]
            arrays = [type_ for type_ in named if isinstance(type_, Array)]
            once = not arrays or (len(arrays) == 1 and is_bool(arrays[0].dtype))
            return source == base and once and syntax.same(loaded, items)
    return False


def _dims(type_: Type) -> object:
    return type_.dims if isinstance(type_, Array) else ()
