"""`vjp`, and what it gives beside the value: a container that pulls cotangents of the result back to the arguments.

    out, pullback = vjp(f, x)
    (x_bar,) = pullback(out_bar)     as often as wanted
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from .compiler.diagnostics import GradientError
from .compiler.dtypes import NUMPY_DTYPE, PYTHON_TYPE
from .compiler.frontend.specialise.derivatives.cotangents import CODE, HELP, Given, Misfit, matched
from .compiler.frontend.specialise.values import Sequence, Static, Value
from .compiler.frontend.specialise.world.taking_apart import from_python
from .compiler.request import BackwardHalf, Request, Vjp
from .compiler.types import Array as ArrayType
from .compiler.types import Scalar, Type, dtype_of
from .entries import Compiled
from .faults import gradient_fault
from .flatten import Flattened, type_of
from .forward_mode import kept
from .function import Function
from .own_frames import told_to_users
from .pickling import reduced
from .runtime.guards import Guards
from .transformations import transformed_inside


class Pullback(functools.partial):
    """Pulls cotangents of the result of a function back to its arguments: the second thing that `vjp` gives.

    `pullback(out_bar)` takes a cotangent of the structure, the shapes and the dtypes of the result, with None for what
    is no float, and gives a tuple of the cotangents of the arguments.  It may be called any number of times, passed to
    compiled functions and returned from them.  It holds the residuals: what the way backward needs of the way forward;
    arrays of the caller's among them are copies, which later changes do not reach.
    """

    __slots__ = ()
    func: PullbackFunction

    def source(self, stage: str) -> str:
        """The function that it calls, of the residuals and the cotangent, at a stage; see `Function.source`."""
        return self.func.source(stage)

    def explain(self) -> str:
        """What was decided for it; see `Function.explain`."""
        return self.func.explain()

    def __repr__(self) -> str:
        return f"<pullback of {self.func.__pellucid__.python.__qualname__}>"


class PullbackFunction(Function[..., Any]):
    """The compiled function of a `Pullback`, of the residuals and the cotangent of the result.

    It is made for the arguments of one call of `vjp` and for what the function read from outside then, and stays so.
    """

    def __init__(self, request: Request, judge: bool = False, world: Guards | None = None) -> None:
        super().__init__(request, judge)
        self.world = world
        self._own: Compiled | None = None

    def __reduce__(self) -> Any:
        return reduced(self, PullbackFunction)

    def _call(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        residuals, given = self._bind(args, kwargs).arguments.values()
        compiled = self.compiled()
        leaves = [np.asarray(part) if hasattr(part, "__array__") and np.ndim(part) else part for part in residuals]
        leaves += [as_leaf(type_, value) for type_, value in self._cotangents(given)]
        return self._finish(compiled.result, [], compiled.executable(leaves))

    def compiled(self) -> Compiled:
        """The machine code, made once."""
        if self._own is None:
            if self.world is not None and not self.world.hold():
                name = self.__pellucid__.python.__name__
                message = f"what `{name}` reads from outside has changed since its `vjp` was taken"
                raise self._fault("G004", message, ("take the `vjp` again",))
            self._own = self._compile(self._flatten((), {}))
        return self._own

    def _flatten(self, args: tuple, kwargs: dict[str, Any], texts: bool = False, seen: Any = None) -> Flattened:
        return Flattened({}, [], ())  # all types are known

    def _readable(self, flat: Flattened) -> Compiled:
        if not self.compiled().executable.sources:
            self._own = super()._readable(flat)
        return self.compiled()

    def _cotangents(self, given: Any) -> list[tuple[Type, Any]]:
        """The leaves of the cotangent, each with its type."""
        asked: Any = self.__pellucid__.transforms[-1]
        structure = from_python(given, lambda _: None)
        try:
            pairs: Any = list(matched(asked.cotangents, structure, OF_PYTHON, asked.spoken))
            return [(wanted, value.value) for wanted, value in pairs]
        except Misfit as wrong:
            raise self._fault(CODE, str(wrong), HELP) from None

    def _fault(self, code: str, message: str, help: tuple[str, ...]) -> GradientError:
        return gradient_fault(self.__pellucid__.python, code, message, help)


def _type_of(value: Value) -> Type | None:
    return type_of(value.value) if isinstance(value, Static) else None


def _as_list(value: Value) -> Value | None:
    return value if isinstance(value, Sequence) else None


def _array_of(items: Any, dtype: str) -> Value:
    values = [np.asarray(item.value) for item in items.items]
    if len({value.shape for value in values}) > 1:
        raise Misfit("`out` has arrays of one shape in a list, and its cotangent has arrays of several")
    return Static(np.array(values, NUMPY_DTYPE[dtype]))


def _packed(items: Any, element: ArrayType) -> tuple[Value, Value]:
    values = [np.asarray(item.value, NUMPY_DTYPE[element.dtype]) for item in items.items]
    shapes = np.array([value.shape for value in values], int).reshape(len(values), element.ndim)
    data = np.concatenate([np.empty(0, NUMPY_DTYPE[element.dtype]), *(value.ravel() for value in values)])
    return Static(data), Static(shapes)


OF_PYTHON = Given(_type_of, _as_list, _array_of, _packed)


def as_leaf(type_: Type, value: Any) -> Any:
    """What machine code takes for a value of about this type."""
    if isinstance(type_, Scalar):
        made = PYTHON_TYPE[type_.dtype] if type_.weak else NUMPY_DTYPE[type_.dtype].type
        return made(value)
    return np.asarray(value, NUMPY_DTYPE[dtype_of(type_)], order="C")


def pullback_of(half: BackwardHalf, residuals: Any) -> Pullback:
    """The container for these residuals; there is one function for all that one piece of machine code gives."""
    if half.function is None:
        half.function = PullbackFunction(half.request, world=half.world)
    return Pullback(half.function, residuals)


@told_to_users
def vjp(function: Callable[..., Any], *primals: Any, has_aux: bool = False, argnums: Any = None) -> tuple[Any, ...]:
    """The value of a function, and a function that pulls cotangents of the value back: (out, pullback).

    function  a plain or a compiled function; its result is any container of numbers and arrays
    primals   the arguments
    has_aux   the function returns (out, auxiliary), and the result is (out, pullback, auxiliary)
    argnums   the arguments that have cotangents, by number or name; all by default.  Those that are no floats have None

    `pullback(out_bar)` gives the tuple of the cotangents of the arguments; it is a `Pullback`, a container of what the
    way backward needs, and may be called many times.  The cost is that of the function, and of what it keeps.

    Raises GradientError as `grad` does, and G007 where a cotangent does not fit the result.
    """
    chosen = tuple(range(len(primals))) if argnums is None else argnums
    asked = Vjp(tuple(chosen) if isinstance(chosen, tuple | list) else (chosen,), has_aux)
    return halves_of(function, asked, primals)


def halves_of(function: Any, asked: Vjp, primals: tuple[Any, ...]) -> tuple[Any, ...]:
    """The value and the pullback of a function, for these arguments and for the world as it is now."""
    if isinstance(function, Pullback):
        return halves_of(function.func, asked.behind(len(function.args)), (*function.args, *primals))
    made: tuple[Any, ...] = kept(function, asked)(*primals)
    made[1].func.compiled()
    return made


def transposed(pullback: Pullback, out: Any) -> Any:
    """A pullback of any cotangent, and the pullback of that, which pushes tangents forward: it is linear."""
    return halves_of(pullback, Vjp((0,), spoken=TANGENTS), (out,))


def halves_of_linear(function: Callable[..., Any], *primals: Any) -> tuple[Any, ...]:
    """The same for a function that has to be linear in all of its arguments."""
    return halves_of(function, Vjp(tuple(range(len(primals))), is_linear=True), primals)


TANGENTS = ("tangent", "primals")


class Forward:
    """What is asked for inside a compiled function: the half that goes forward."""

    __pellucid_inside__ = staticmethod(transformed_inside)

    def __init__(self, transform: Callable[..., Vjp]) -> None:
        self.__pellucid_transform__ = transform


vjp.__pellucid_forward__ = Forward(Vjp)  # type: ignore[attr-defined]
transposed.__pellucid_forward__ = Forward(functools.partial(Vjp, spoken=TANGENTS))  # type: ignore[attr-defined]
halves_of_linear.__pellucid_forward__ = Forward(functools.partial(Vjp, is_linear=True))  # type: ignore[attr-defined]
