"""Parts of a driver that stay on the host: a function of NumPy arrays, called with copies of what it mentions."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import gast

from ... import syntax
from ...analysis.def_use import reads_of
from ...analysis.liveness import liveness
from ...analysis.memory.storage import storage_classes
from ...ops.forms import CHANGES_FIRST, FORMS
from ...program import Function
from ...types import ListOf
from .texts import HostText, Refused
from .trees import python
from .writing import like, own_names

if TYPE_CHECKING:
    from .driving import DriverWriter


def on_host(driver: DriverWriter, nodes: Sequence[gast.stmt], reason: str) -> list[gast.stmt]:
    """A call of a function that runs on the host, with copies of the arrays that it reads and changes."""
    names = dict.fromkeys(mentioned(nodes))
    assigned = own_names(nodes)
    live = driver.live.after(nodes[-1])
    results = [n for n in dict.fromkeys(n for s in syntax.walk(nodes) for n in syntax.names_bound(s)) if n in live]
    inside = _read_before([*nodes, syntax.return_(results)], driver.function)
    given = [n for n in names if n in driver.types and (n not in assigned or n in inside)]
    classes = storage_classes(driver.function)
    touched = {classes[n] for n in _changed(nodes) if n in classes}
    changes = [n for n in given if classes.get(n) in touched]
    if any(isinstance(driver.types[n], ListOf) for n in (*given, *results)):
        raise Refused(f"a list is used: {reason}")
    name = driver.names.fresh(f"{driver.function.name}_{len(driver.kernels) + 1}")
    parameters = tuple((n, driver.types[n]) for n in given)
    driver.kernels.append(HostText(name, parameters, tuple(changes), tuple(results), tuple(nodes), reason))
    before = driver.flushed(set(driver.starts) & set(given))
    arguments = [driver.fetched(syntax.name(n)) for n in given]
    call = gast.Call(syntax.name(name), arguments, [])
    made: list[gast.stmt] = [gast.Expr(call)]
    if results:
        targets = [syntax.target(n) for n in results]
        place = targets[0] if len(targets) == 1 else gast.Tuple(targets, gast.Store())
        made = [gast.Assign([place], call, None)]
        for result in results:
            if result in driver.cells:
                made += python("{t} = cuda.to_device({t})", t=result)
    return [*before, *(like(s, nodes[0]) for s in made)]


def mentioned(nodes: Iterable[gast.stmt]) -> list[str]:
    found: list[str] = []
    for node in syntax.walk(nodes):
        found += [*reads_of(node), *syntax.names_bound(node)]
        base = syntax.stored_base(node)
        if base is not None:
            found.append(base)
    return found


def _changed(nodes: Iterable[gast.stmt]) -> set[str]:
    """The arrays whose elements statements store."""
    found: set[str] = set()
    for node in syntax.walk(nodes):
        base = syntax.stored_base(node)
        if base is not None:
            found.add(base)
        for call in syntax.calls_in(node):
            operator = syntax.operator_of(call)
            if operator in CHANGES_FIRST:
                roles = FORMS[operator].operands
                found |= {a.id for a, r in zip(call.args, roles) if r in ("out", "inout") and isinstance(a, gast.Name)}
    return found


def _read_before(nodes: Sequence[gast.stmt], function: Function) -> set[str]:
    return set(liveness(function.with_(body=tuple(nodes))).at_entry)
