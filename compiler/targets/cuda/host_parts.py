"""Parts of a driver that stay on the host: a function of NumPy arrays, called with copies of what it mentions."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import gast

from ... import syntax
from ...analysis.liveness import liveness
from ...analysis.memory.storage import classes_at_once, storage_classes
from ...ops.forms import CHANGES_FIRST, FORMS
from ...program import Function
from ...types import Array
from .lists import holds_arrays
from .texts import HostText, Refused
from .trees import mentioned, python
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
    changes = _changed_of(driver, nodes, given)
    if _are_tangled(driver, nodes, given, changes):
        raise Refused(f"arrays that may share memory are changed: {reason}")
    if any(holds_arrays(driver.types[n]) for n in (*given, *results)):
        raise Refused(f"a list of arrays is used: {reason}")
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


def _changed_of(driver: DriverWriter, nodes: Sequence[gast.stmt], given: Sequence[str]) -> list[str]:
    """Which of its array arguments a part may change: where names are swapped, all that may be each other."""
    stored = _changed(nodes)
    arrays = [n for n in given if isinstance(driver.types[n], Array)]
    if not any(isinstance(driver.types.get(n), Array) for n in own_names(nodes)):
        return [n for n in arrays if n in stored]
    classes = storage_classes(driver.function)
    touched = {classes[n] for n in stored if n in classes}
    return [n for n in arrays if classes.get(n) in touched]


def _are_tangled(
    driver: DriverWriter, nodes: Sequence[gast.stmt], given: Sequence[str], changes: Sequence[str]
) -> bool:
    """Whether two arguments may alias and one is changed: the part gets a separate copy of each."""
    if len(nodes) == 1 and isinstance(nodes[0], gast.Assign) or len(nodes) == len(driver.function.body) - 1:
        return False  # it reads before it stores, or is all of the function, which makes what it changes itself
    classes = classes_at_once(driver.function)
    arrays = [n for n in given if isinstance(driver.types[n], Array)]
    return any(
        one != other and other in classes and classes[one] == classes[other] for one in changes for other in arrays
    )


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
