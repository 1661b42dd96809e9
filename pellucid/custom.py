"""Derivatives that the user gives: `custom_vjp`, `custom_jvp`, and `checkpoint`, which makes values again.

    @custom_vjp                                     grad(loss)     calls `forward` on its way there
    def softplus(x): return np.log1p(np.exp(x))                    and `backward` on its way back
    softplus.defvjp(forward, backward)

The conventions are JAX's.  In plain Python the function is called as it stands.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Sequence
from types import FunctionType, MethodType
from typing import Any, Generic, ParamSpec, TypeVar

import numpy as np

from .compiler.request import Request
from .own_frames import told_to_users
from .runtime import amounts
from .runtime.given_rules import RULE, GivenRule, rule_of, written_out
from .runtime.parts import checkpointed

Given = ParamSpec("Given")
Result = TypeVar("Result")


class Ruled(Generic[Given, Result]):
    """A function with a rule of its own for derivatives; called from compiled functions or from Python."""

    kind = ""
    _numbered = "nondiff_argnums"
    __wrapped__: Callable[..., Any]
    __qualname__: str

    def __init__(self, function: Callable[Given, Result], nondiff_argnums: int | Sequence[int] = ()) -> None:
        plain = written_out(function)
        if not inspect.isfunction(plain):
            name = self._called()
            raise TypeError(f"{name} takes a Python function, not {type(function).__name__}")
        numbers = (nondiff_argnums,) if isinstance(nondiff_argnums, int) else tuple(nondiff_argnums)
        functools.update_wrapper(self, plain)
        self.nondiff_argnums = _places(plain, numbers, self._numbered)
        self.__pellucid__ = Request(_twin(plain))
        self._give()

    def _called(self) -> str:
        return type(self).__name__

    def _give(self, *functions: Any, kind: str = "") -> None:
        setattr(self.__pellucid__.python, RULE, GivenRule(kind or self.kind, functions, self.nondiff_argnums))

    def __call__(self, *args: Given.args, **kwargs: Given.kwargs) -> Result:
        found: Result = self.__wrapped__(*args, **kwargs)
        return found

    def __get__(self, instance: object, owner: type | None = None) -> Any:
        return self if instance is None else MethodType(self, instance)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.__wrapped__.__qualname__}>"


class custom_vjp(Ruled[Given, Result]):
    """A function whose reverse derivative the user gives.

    function         a Python function of positional arguments: numbers, arrays and containers of them
    nondiff_argnums  the arguments without a derivative, by number; the backward rule gets them first

    `defvjp(forward, backward)` gives the rule.  `forward` takes what the function takes and returns its result and what
    the backward rule needs: (result, residuals).  `backward(*nondiff, residuals, result_bar)` returns a tuple with one
    cotangent for each of the other arguments, of its structure and shape; None stands for zero.

    Derivatives of any order differentiate the two rules.  Forward mode has no use for them and is refused, unless
    `defjvp(rule)`, called after `defvjp`, gives the rule of a `custom_jvp` for it.
    """

    kind = "vjp"

    def defvjp(
        self, forward: Callable[..., Any], backward: Callable[..., Any], symbolic_zeros: bool = False,
        optimize_remat: bool = False,
    ) -> None:  # fmt: skip
        """Say how the function is differentiated.

        symbolic_zeros  as in JAX, where True is allowed; here TypeError is raised for it
        optimize_remat  changes nothing
        """
        _require_arrays(symbolic_zeros)
        self._give(forward, backward)

    def defjvp(self, rule: Callable[..., Any]) -> Callable[..., Any]:
        """Say what forward mode does: `rule(*nondiff, primals, tangents)` returns the result and its tangent."""
        given = rule_of(self.__pellucid__.python)
        if given is None or not given.functions:
            raise TypeError("`defvjp` comes first: without a rule for reverse mode this is a `custom_jvp`")
        self._give(*given.functions[:2], rule)
        return rule


class custom_jvp(Ruled[Given, Result]):
    """A function whose forward derivative the user gives.

    function         a Python function of positional arguments: numbers, arrays and containers of them
    nondiff_argnums  the arguments without a derivative, by number; the rule gets them first

    `defjvp(rule)` gives the rule: `rule(*nondiff, primals, tangents)` returns the result and its tangent.  Reverse mode
    takes it backwards, so that the tangent has to be linear in the tangents that come in.
    """

    kind = "jvp"

    def defjvp(self, rule: Callable[..., Any], symbolic_zeros: bool = False) -> Callable[..., Any]:
        """Say how the function is differentiated; gives the rule back, so that this may be a decorator.

        symbolic_zeros  as in JAX, where True is allowed; here TypeError is raised for it
        """
        _require_arrays(symbolic_zeros)
        self._give(rule)
        return rule

    def defjvps(self, *rules: Callable[..., Any] | None) -> None:
        """One rule for each argument: `rule(tangent, result, *primals)`; None where the slope is zero.

        The tangents add up, so the result is one number or array.
        """
        if self.nondiff_argnums:
            raise ValueError("defjvps is for functions without nondiff_argnums: give one rule by defjvp")
        self._give(*rules, kind="jvps")


def _require_arrays(symbolic_zeros: bool) -> None:
    if symbolic_zeros:
        told = "symbolic_zeros=True is not supported: rules get zeros as numbers and arrays; leave it out"
        raise TypeError(told)


@told_to_users
def checkpoint(
    function: Any, *, segments: int | None = None, memory: int | str | None = None, policy: Any = None,
    prevent_cse: bool = True, static_argnums: int | Sequence[int] = (),
) -> Any:  # fmt: skip
    """The same function or loop, of which less is kept for the backward sweep: memory for time.

    function  a Python function of positional arguments, of which nothing but its arguments is kept: the backward sweep
              calls it again before it goes back through it.  Or the range of a loop, `for t in checkpoint(range(n)):`,
              of which the state is kept at the starts of segments; each is run again before it is gone back through.
              Or the whole test of a loop, `while checkpoint(error > 1e-6):`
    segments  into how many segments the loop over a range is cut; None: about as many as each has iterations, so that
              the states kept are about twice the square root of n.  Those of a `while` are one iteration longer each
    memory    how much may be kept of a loop over a range, `"64 MB"` or a number of bytes, in the place of `segments`:
              with the binomial schedule, which runs every iteration as seldom as that allows.  `explain` says how often
    policy    as in JAX, where it says what else is kept; it changes nothing
    prevent_cse     as in JAX; it changes nothing
    static_argnums  the arguments, by number, that stay known inside where the caller knows them: an axis, a count

    The value and the derivatives are what they are without it.

    Source: A. Griewank and A. Walther, Algorithm 799: Revolve (2000), ACM Transactions on Mathematical Software 26.
    """
    if segments is not None and (type(segments) is not int or segments < 1):
        raise TypeError(f"`segments` is a number of segments, not {segments!r}")
    if memory is not None and amounts.memory(memory) is None:
        raise TypeError(f'memory is an amount such as "64 MB", not {memory!r}')
    is_loop = isinstance(function, range | bool | np.bool_)
    return function if is_loop else Checkpointed(function, static_argnums)


checkpoint.__pellucid_known__ = checkpointed  # type: ignore[attr-defined]


class Checkpointed(Ruled[Given, Result]):
    """What `checkpoint` gives."""

    kind = "checkpoint"
    _numbered = "static_argnums"

    def _called(self) -> str:
        return "checkpoint"


def _twin(function: FunctionType) -> FunctionType:
    """The same function once more, for the rule to hang on: the one that was given goes on without it."""
    made = FunctionType(
        function.__code__, function.__globals__, function.__name__, function.__defaults__, function.__closure__
    )
    functools.update_wrapper(made, function)
    del made.__wrapped__  # type: ignore[attr-defined]
    made.__kwdefaults__ = function.__kwdefaults__
    return made


def _places(function: FunctionType, numbers: tuple[int, ...], word: str) -> tuple[int, ...]:
    """The numbers of arguments, none of them negative."""
    kinds = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    count = sum(p.kind in kinds for p in inspect.signature(function).parameters.values())
    for number in numbers:
        if not -count <= number < count:
            raise ValueError(f"{word}={number} names no argument: `{function.__name__}` has {count}")
    return tuple(sorted(number % count for number in numbers))
