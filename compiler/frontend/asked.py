"""The first steps of a function, all of which need the request: `specialise`, and the check of its views.

    Asked(request, {"x": Leaf("x")})    ->    specialise    ->    Specialised: the typed program, and its containers
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import field
from typing import Any

from ..records import dataclass
from ..request import Request
from .decoration import require_pure
from .specialise import specialise as specialising
from .specialise.built import Learned
from .specialise.objects.views import check_views
from .specialise.specialised import Specialised
from .specialise.values import Value


@dataclass(frozen=True, slots=True, eq=False)
class Asked:
    """A request, the types of the arguments, and how derivatives of other functions are made.

    `within` says what arguments such a function is specialised to, given the arguments of its derivative.  `learned`
    has what the walks through the function found out for the next one.
    """

    request: Request
    arguments: Mapping[str, Value]
    derive: Callable[..., Specialised]
    differentiate: Callable[..., Specialised]
    within: Callable[..., Any]
    is_entry: bool = True
    is_differentiated: bool = False  # whether a surrounding function takes its derivative
    learned: Learned = field(default_factory=Learned)
    along: tuple[str, ...] = ()  # the axes of meshes whose devices share values


def specialise(_: None, asked: Asked) -> Specialised:
    """The typed program of a function, and how its leaves relate to Python's containers."""
    request = asked.request
    return specialising.specialise(
        request.python, asked.arguments, mutates=request.mutates, freeze=request.freeze, frozen=request.frozen,
        is_entry=asked.is_entry, derive=asked.derive, differentiate=asked.differentiate,
        within=asked.within, judge=require_pure, learned=asked.learned, along=asked.along,
        is_differentiated=asked.is_differentiated or any(t.differentiates for t in request.transforms),
    )  # fmt: skip


def views(made: Specialised, _: Asked) -> Specialised:
    """Raise the faults of stores that another name would show."""
    main = made.program.main
    names = main.parameters[len(main.parameters) - len(made.hidden) :]
    outside = {name: hidden.place.name for name, hidden in zip(names, made.hidden, strict=True)}
    for function in made.program.functions.values():
        if function.is_judged:  # it is the derivative of a function whose own stores were already checked
            continue
        check_views(function, made.mutated, outside if function is main else {})
    return made
