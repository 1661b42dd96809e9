"""What is known of a function before its backward form is written: the first of three steps.

    plan(function)       what carries a derivative, which value each read means, which stores only add
    backward(plan)       the statements backwards, which name what they read of the forward sweep by keys    (sweep.py)
    save(backward)       what is kept and what is recomputed; names in place of the keys                 (saves.py)

Each step gives a record that the next one takes.  Functions that call themselves are planned and written one by one;
what they pass each other is the business of `calls.py`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import gast

from ... import syntax
from ...analysis.activity import Activity
from ...analysis.memory.overwriting import Overwriting
from ...analysis.regions import Regions, map_regions
from ...analysis.selections import Masks, masks
from ...ops.schema import OPERATORS
from ...program import Function, Program
from ...records import dataclass
from ...types import Array, ListOf
from . import loads
from .accumulations import Accumulation, accumulations
from .refuse import refuse
from .views import with_owners


@dataclass(frozen=True, slots=True, eq=False)
class Plan:
    """One function: facts that the backward sweep goes by.

    lasting         whether the names of its body are still there in the backward sweep: not so in a recursive function
    accumulations   the stores that only add to what is there, by identity
    indexed         the arrays whose cotangents are stored into
    firsts          the stores into elements that nothing was stored into before, in arrays made of constants: nothing
                    reads again the cotangents of what they overwrite
    masks           where a cotangent is held to the condition under which its value is taken
    """

    program: Program
    function: Function
    activity: Activity
    lasting: bool
    regions: Regions
    accumulations: Mapping[int, Accumulation]
    indexed: frozenset[str]
    firsts: frozenset[int]
    masks: Masks


def plan(program: Program, function: Function, activity: Activity, lasting: bool = True) -> Plan:
    """The plan of a function in SSA form (`settle`); raises G004 for what has no derivative here."""
    if not lasting:
        _refuse_changed_arguments(function, activity)
    regions = map_regions(function)
    indexed = frozenset(_indexed(function, activity, regions))
    firsts = frozenset(_firsts(activity, regions))
    held = masks(regions, activity.names)
    return Plan(program, function, activity, lasting, regions, accumulations(regions), indexed, firsts, held)


def _refuse_changed_arguments(function: Function, activity: Activity) -> None:
    arrays = {p for p in activity.parameters if not isinstance(function.types[p], ListOf)}
    for statement in syntax.walk(function.body):
        if syntax.stored_base(statement) in arrays:
            raise refuse(statement, "G004", "a recursive function that changes its argument has no derivative here")


def _indexed(function: Function, activity: Activity, regions: Regions) -> set[str]:
    """Arrays that are stored into or loaded from, element by element or in part."""
    found = {name for name in regions.stores if name in activity.names}
    for statement in syntax.walk(function.body):
        match statement:
            case gast.Assign(
                targets=[gast.Name(id=name)], value=gast.Subscript(value=gast.Name(id=base), slice=items)
            ) if name in activity.names and not loads.is_rearrangement(items):
                if isinstance(function.types[base], Array):
                    found.add(base)
    return with_owners(found, function) & activity.names


def _firsts(activity: Activity, regions: Regions) -> Iterator[int]:
    overwriting = Overwriting(regions)
    for base, stores in regions.stores.items():
        if base in activity.names and _starts_constant(base, activity, regions):
            for store in stores:
                if not any(overwriting.may_overwrite(other, store) for other in stores):
                    yield id(store)


def _starts_constant(base: str, activity: Activity, regions: Regions) -> bool:
    """Whether an array is assigned once, and then depends on nothing that has a cotangent."""
    assigned = [s for s in syntax.walk(regions.function.body) if base in syntax.names_bound(s)]
    if base in regions.function.parameters or len(assigned) != 1:
        return False
    value = assigned[0].value if isinstance(assigned[0], gast.Assign) else None
    if value is None or syntax.operator_of(value) not in OPERATORS:
        return False
    return activity.names.isdisjoint(syntax.names_read(value))
