"""What all derivatives have in common: what they are taken by, whether that is possible, and what is returned of them.

    argnums=(0, "w") of f(x, *, w)     ->     the arguments `x` and `w`, their floats, and the structure of their slopes

The steps of each kind of derivative stand beside its passes, in `reverse` and `forward`.  The results are put together
as JAX does it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import field
from itertools import count
from typing import Any, NoReturn

import gast

from .. import syntax, types
from ..diagnostics import Diagnostic, GradientError, Label, Span
from ..frontend.specialise.specialised import Specialised
from ..frontend.specialise.values import (
    NONE,
    Leaf,
    ListOut,
    Mapping_,
    Out,
    Record,
    Rows,
    Static,
    Value,
    is_none,
    leaves,
    map_leaves,
    parts,
    with_parts,
)
from ..frontend.specialise.values import Sequence as SequenceValue
from ..frontend.specialise.world.taking_apart import known_parts
from ..program import Program, Unnumbered
from ..records import dataclass
from ..types import Type


@dataclass(frozen=True, slots=True)
class Wanted:
    """A transformation, and where the function that it is made of stands."""

    transform: Any
    where: Span
    apart: Unnumbered = Unnumbered()
    arguments: Mapping[str, Value] = field(default_factory=dict)  # of the new function
    is_entry: bool = False

    @property
    def places(self) -> tuple[int | str, ...]:
        argnums = self.transform.argnums
        return argnums if isinstance(argnums, tuple) else (argnums,)


def require_arguments(made: Specialised, wanted: Wanted) -> None:
    """Raise a GradientError where the arguments asked for are none, or none that a derivative is taken by."""
    check_argnums(made, wanted)
    check_holomorphic(made, wanted)
    for name, value in chosen_parts(made, wanted):
        if not wanted.transform.allow_int:
            check_differentiable(made, wanted.where, name, value)


def require_arguments_without_lists(made: Specialised, wanted: Wanted) -> None:
    """Raise a GradientError for what is made of a pullback whose cotangent has a list that grows."""
    if any(_has_list(value) for value in made.arguments.values()):
        name = made.program.main.origin.name
        message = f"`{name}` returns a list that grows: its pullback is called, not transformed"
        fault(wanted.where, "G002", message, ("return an array: `np.array(...)`",))


def _has_list(value: Value) -> bool:
    return isinstance(value, ListOut) or any(_has_list(part) for _, part in parts(value))


def check_argnums(made: Specialised, wanted: Wanted) -> None:
    """Raise a GradientError for a function that changes its arguments, and for positions that are not among them."""
    if made.mutated:
        help_ = ("return the new arrays instead",)
        fault(wanted.where, "G004", "a function that changes its arguments has no derivative", help_)
    chosen_parts(made, wanted)


def check_holomorphic(made: Specialised, wanted: Wanted) -> None:
    """Raise a GradientError where the derivative by a complex argument is asked for, and the argument is not."""
    for name, value in chosen_parts(made, wanted) if wanted.transform.holomorphic else ():
        given = [made.program.main.types[leaf.name] for leaf in leaves(value) if isinstance(leaf, Leaf)]
        if not given or not all(map(types.of_complex, given)):
            found = " and ".join(sorted(set(map(str, given)))) or "static"
            fault(wanted.where, "G001", f"holomorphic=True asks for the derivative by a complex argument, and `{name}` "
                  f"is {found}", ("leave out holomorphic=True: the function is one of real numbers",))  # fmt: skip


def require_real_results(made: Specialised, wanted: Wanted, results: Iterable[Type]) -> None:
    """Raise a GradientError where the derivative is that of real numbers and a result is not, or the other way round.

    Backwards, a complex result has a direction for each of its parts, of which a gradient gives one number.
    """
    holomorphic = wanted.transform.holomorphic
    for found in results:
        if types.of_complex(found) and not holomorphic:
            fault(wanted.where, "G002", f"the gradient is of a function that returns real numbers, and this one gives "
                  f"{found}", ("take a part of it: `z.real`, or `abs(z) ** 2`",
                  "for the derivative of an analytic function use holomorphic=True"))  # fmt: skip
        if holomorphic and not types.of_complex(found):
            fault(wanted.where, "G002", f"holomorphic=True asks for the derivative of a function that returns complex "
                  f"numbers, and this one returns {found}", ("leave out holomorphic=True",))  # fmt: skip


def with_value(wanted: Wanted, output: Value, auxiliary: Value | None, derivative: Value) -> Value:
    """The derivative with what was asked for beside it."""
    value = output if auxiliary is None else SequenceValue((output, auxiliary))
    if wanted.transform.with_value:
        return SequenceValue((value, derivative))
    return derivative if auxiliary is None else SequenceValue((derivative, auxiliary))


def chosen(made: Specialised, wanted: Wanted) -> list[Value]:
    """The arguments that the derivative is taken by."""
    return [value for _, value in chosen_parts(made, wanted)]


def chosen_parts(made: Specialised, wanted: Wanted) -> list[tuple[str, Value]]:
    """The same with what they are called.  Numbers count the arguments that the call gives by position, those
    taken by `*args` one by one; other parameters are asked for by their names."""
    numbered = [part for name, value in made.arguments.items() for part in _arguments_of(name, value, wanted.apart)]
    if any(not isinstance(p, str) and not -len(numbered) <= p < len(numbered) for p in wanted.places):
        told = ", ".join(f"`{name}`" for name, _ in numbered) or "none"
        fault(wanted.where, "T004", f"argnums={wanted.transform.argnums} names no argument: there are {told}")
    return [(p, made.arguments[p]) if isinstance(p, str) else numbered[p] for p in wanted.places]


def _arguments_of(name: str, value: Value, apart: Unnumbered) -> list[tuple[str, Value]]:
    """The arguments that a parameter takes by position."""
    if name in apart.by_name:
        return []
    if name not in apart.starred:
        return [(name, value)]
    items = value.items if isinstance(value, SequenceValue) else ()
    return [(f"{name}[{place}]", item) for place, item in enumerate(items)]


def floats_of(made: Specialised, values: Sequence[Value]) -> list[str]:
    """The leaves that have a derivative."""
    found = made.program.main.types
    parts = [leaf.name for value in values for leaf in leaves(value) if isinstance(leaf, Leaf)]
    return [name for name in parts if types.is_floating(found[name])]


def slopes_of(made: Specialised, values: Sequence[Value], first: int) -> tuple[Value, ...]:
    """The structures of cotangents of arguments, from this position among the results on: None for what is no float."""
    floats, places = {*floats_of(made, values)}, count(first)

    def slope(value: Value) -> Value:
        if isinstance(value, Leaf):
            return Out(next(places)) if value.name in floats else NONE
        inner = parts(value)
        if isinstance(value, Rows) and not all(getattr(leaf, "name", "") in floats for leaf in leaves(value)):
            return NONE  # a list of rows has a slope for every position in them, or none
        if not inner:
            return _nothing(value)
        known = known_parts(value)
        return with_parts(value, tuple(part if key in known else slope(part) for key, part in inner))

    return tuple(map(slope, values))


def _nothing(value: Value) -> Value:
    return NONE if isinstance(value, Static) else value


def keep_results(program: Program, result: Value) -> tuple[Program, Value]:
    """Return only what the result structure mentions, in the order it is mentioned."""
    main = program.main
    wanted = list(dict.fromkeys(leaf.index for leaf in leaves(result) if isinstance(leaf, Out)))
    closing = main.body[-1]
    kept = syntax.rebuild(closing, value=gast.Tuple([closing.value.elts[i] for i in wanted], gast.Load()))
    body = (*main.body[:-1], kept)
    changed = main.with_(body=body, results=tuple(main.results[i] for i in wanted))
    place = {index: position for position, index in enumerate(wanted)}
    renumbered = map_leaves(result, lambda part, _: Out(place[part.index]) if isinstance(part, Out) else part)
    return Program(program.entry, {**program.functions, program.entry: changed}), renumbered


def split(made: Specialised, wanted: Wanted) -> tuple[Value, Value | None]:
    """The result that is differentiated, and what is returned beside it."""
    if not wanted.transform.has_aux:
        return made.result, None
    if not isinstance(made.result, SequenceValue) or len(made.result.items) != 2:
        fault(wanted.where, "G002", "with has_aux=True the function returns a pair (value, auxiliary)")
    return made.result.items[0], made.result.items[1]


def leaves_with_slopes(value: Value) -> Iterator[Value]:
    known, inner = known_parts(value), parts(value)
    if not inner:
        yield from leaves(value)
    for key, part in inner:
        if key not in known:
            yield from leaves_with_slopes(part)


def check_differentiable(made: Specialised, where: Span, name: str, value: Value) -> None:
    """Raise a GradientError for an argument without a derivative: a leaf that has none, or a container of such leaves.

    Beside others in a container it has the slope None: a model may hold its activation function.
    """
    found_leaves = list(leaves_with_slopes(value))
    without = [leaf for leaf in found_leaves if not _has_derivative(made, leaf)]
    if not without or parts(value) and len(without) < len(found_leaves):
        return
    leaf = without[0]
    found = made.program.main.types[leaf.name] if isinstance(leaf, Leaf) else None
    what = f"is static ({leaf.value!r})" if isinstance(leaf, Static) else f"is {found}"
    fault(where, "G001", f"argument `{name}` {what}: only floats have a derivative",
          ("pass a float", "or choose other arguments with argnums="))  # fmt: skip


def _has_derivative(made: Specialised, leaf: Value) -> bool:
    if is_none(leaf) or isinstance(leaf, SequenceValue | Mapping_ | Record):
        return True  # its derivative is None as well, or a container
    return isinstance(leaf, Leaf) and types.is_floating(made.program.main.types[leaf.name])


def fault(
    where: Span, code: str, message: str, help: tuple[str, ...] = (), labels: tuple[Label, ...] = ()
) -> NoReturn:
    raise GradientError(Diagnostic(code, message, where, "differentiated here", labels, help))
