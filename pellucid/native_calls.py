"""Calls of a compiled function without Python: from what the general path found out to what native dispatch reads.

    arguments (f64[n], float), result (Out(0), Out(1))   ->   a plan: machine code, two leaves, LEAF 0, LEAF 1, TUPLE 2
"""

from __future__ import annotations

import dataclasses
import functools
import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from .compiler.frontend.specialise.functional import Partial
from .compiler.frontend.specialise.values import (
    ListOut,
    Mapping_,
    OneOf,
    Optional,
    Out,
    Record,
    Rows,
    Static,
    String,
    Value,
    leaves,
    parts,
)
from .compiler.frontend.specialise.values import Sequence as SequenceValue
from .compiler.request import BackwardHalf
from .flatten import OF_THE_RUN, Flattened, listed, listed_rows, pullback, record
from .runtime.dispatch import CallPlan, Constant, RecipeWords, tuple_maker
from .runtime.dispatch.calls import Calls, Parameter
from .runtime.dispatch.records import reading
from .runtime.foreign import is_foreign, is_stand_in
from .runtime.guards import Findings
from .runtime.structures import dict_like, list_like

if TYPE_CHECKING:
    from .entries import Compiled


class NativeCalls:
    """What native dispatch is told of one function."""

    def __init__(self, cls: type, parameters: Sequence[inspect.Parameter], static: Sequence[str]) -> None:
        known = [Parameter(p.name, p.kind, p.default, p.name in static) for p in parameters]
        self._calls = Calls(cls, known) if Calls.can_bind(known) else None
        self._plans: dict[int, tuple[Compiled, CallPlan | None]] = {}  # by the identity of the code, which is held

    def plan(self, flat: Flattened, compiled: Compiled, findings: Findings) -> CallPlan | None:
        """How calls like this one go to the machine code at once; None where they do not, as native code does not
        understand them."""
        if self._calls is None:
            return None
        self._calls.ask_quickly(compiled.guards)
        if id(compiled) not in self._plans:
            changed = [place for _, place in compiled.mutated]
            steps = recipe(compiled.result, len(compiled.executable.results) - len(changed))
            hidden = compiled.hidden
            may_go_on = needs_no_number(compiled.result)
            plan = compiled.executable.plan(steps, len(hidden), hidden.leaves, compiled.guards, may_go_on, changed)
            self._plans[id(compiled)] = compiled, plan
        plan = self._plans[id(compiled)][1]
        if plan is None or not plan.is_possible():
            return None
        plan.refresh(findings)
        return plan

    def learn(
        self, function: object, args: tuple[Any, ...], kwargs: Mapping[str, Any], flat: Flattened, plan: CallPlan
    ) -> None:
        """Let calls like this one run the plan."""
        if self._calls is not None:
            classes = [cls for value in flat.arguments.values() for cls in record_classes(value)]
            self._calls.learn(function, args, kwargs, plan, classes)

    @property
    def knows_calls(self) -> bool:
        return self._calls is not None and self._calls.knows_calls

    def forget(self, function: object) -> None:
        """Let no call run what was learned before this was made."""
        if self._calls is not None:
            self._calls.begin(function)


def needs_no_number(structure: Value) -> bool:
    """Whether a result can be put together before its numbers are known: which case, how long, which text."""
    if isinstance(structure, Optional | OneOf | String | Rows | ListOut):
        return False
    if isinstance(structure, SequenceValue) and structure.kind not in (tuple, list):
        return False
    if isinstance(structure, Record) and (structure.cls in OF_THE_RUN or is_foreign(structure.cls)):
        return False
    return all(needs_no_number(part) for _, part in parts(structure))


def with_own_containers(value: Any) -> Any:
    """The same value in lists, dicts and records that no other thread can change while it is looked at twice."""
    if type(value) is list:
        return [with_own_containers(part) for part in value]
    if type(value) is dict:
        return {key: with_own_containers(part) for key, part in value.items()}
    if isinstance(value, tuple):
        return tuple.__new__(type(value), map(with_own_containers, value))
    if dataclasses.is_dataclass(value) and not isinstance(value, type) and reading(type(value)) is not None:
        made = object.__new__(type(value))
        for field in dataclasses.fields(value):
            object.__setattr__(made, field.name, with_own_containers(getattr(value, field.name)))
        return made
    return value


def recipe(structure: Value, count: int) -> list[RecipeWords]:
    """How native dispatch rebuilds a result of `count` leaves: words for a stack of objects; none for a lone leaf.

        (Out(0), {"b": Out(1)})   ->   LEAF 0, LEAF 1, DICT ("b",), TUPLE 2
    """
    return [] if count == 1 and structure == Out(0) else list(_steps(structure))


def _steps(structure: Value) -> Iterator[RecipeWords]:
    match structure:
        case Out(index=index):
            yield "LEAF", 0, index
        case Static(value=value):
            yield "STATIC", 0, Constant(value)
        case Partial(function=Static(value=BackwardHalf() as half), args=(residuals,)):
            yield from _steps(residuals)
            yield "CALL", 1, lambda found: pullback(half, found)
        case Optional(absent=absent, inner=inner):
            yield from (*_steps(absent), *_steps(inner))
            yield "TUPLE", 2, 0
            yield "CALL", 1, lambda found: None if found[0] else found[1]
        case OneOf(flags=flags, cases=cases):
            yield from (step for part in (*flags, *cases) for step in _steps(part))
            yield "TUPLE", 2 * len(flags), 0
            yield "CALL", 1, lambda found: found[len(flags) + found.index(True)]
        case String(number=number, strings=strings):
            yield from _steps(number)
            yield "TUPLE", 1, 0
            yield "CALL", 1, lambda found: strings[found[0]]
        case Rows():
            places = [leaf.index for leaf in leaves(structure) if isinstance(leaf, Out)]
            yield from (("LEAF", 0, place) for place in places)
            yield "TUPLE", len(places), 0
            yield "CALL", 1, lambda found: listed_rows(structure, dict(zip(places, found)))  # type: ignore[arg-type]
        case ListOut(is_weak=is_weak):
            yield from (step for _, part in parts(structure) for step in _steps(part))
            yield "TUPLE", len(parts(structure)), 0
            yield "CALL", 1, lambda leaves: listed(is_weak, *leaves)
        case SequenceValue(items=items, kind=kind, like=like):
            yield from (step for item in items for step in _steps(item))
            yield "TUPLE" if kind is tuple else "LIST", len(items), 0
            if like is not None:
                yield "CALL", 1, functools.partial(list_like, like)
            if kind is set:
                yield "CALL", 1, set
        case Mapping_(items=items, like=like):
            yield from (step for _, item in items for step in _steps(item))
            yield "DICT", len(items), tuple(k for k, _ in items)
            if like is not None:
                yield "CALL", 1, functools.partial(dict_like, *like)
        case Record(cls=cls, items=items):
            yield from (step for _, item in items for step in _steps(item))
            yield "TUPLE", len(items), 0
            yield "CALL", 1, tuple_maker(cls) if issubclass(cls, tuple) else _maker(cls, tuple(k for k, _ in items))
        case _:
            raise TypeError(f"no result structure: {structure!r}")


def _maker(cls: type, names: tuple[str, ...]) -> Callable[[tuple[Any, ...]], Any]:
    return lambda values: record(cls, dict(zip(names, values)))


def record_classes(value: Value) -> Iterator[type]:
    """The classes of NamedTuples, dataclasses and objects of other libraries in a value."""
    if isinstance(value, Record):
        cls: Any = value.cls
        yield cls.python if is_stand_in(cls) else cls
    for _, part in parts(value):
        yield from record_classes(part)
