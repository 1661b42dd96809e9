"""Jacobians in reverse mode: `jacrev`, `jacobian` and `value_and_jacobian`.

    jacrev(f)(x)[i, j]     ->     the derivative of element i of f(x) by element j of x
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, ParamSpec, TypeVar

from .compiler.request import Argnums, ReverseJacobian
from .function import Function
from .own_frames import told_to_users
from .transformations import known_inside, numbers, transformed

Given = ParamSpec("Given")
Result = TypeVar("Result")


@told_to_users
def jacrev(
    function: Callable[Given, Any], argnums: Argnums = 0, has_aux: bool = False, holomorphic: bool = False,
    allow_int: bool = False,
) -> Function[Given, Any]:  # fmt: skip
    """The Jacobian of a function by reverse mode, as a compiled `Function`.

    function     a plain or a compiled function; its result is any container of floats and float arrays
    argnums      the argument to differentiate by, or a tuple of them, by number or name; containers are allowed
    has_aux      the function returns (out, auxiliary) and the result is (jacobian, auxiliary)
    holomorphic  refused: complex numbers are not in the language yet
    allow_int    arguments and parts of them that are no floats are allowed, and have None for a derivative

    The result has the structure of `out`; each of its leaves holds a container of the structure of the argument (a
    tuple of them where `argnums` is a tuple), and each leaf there is an array whose axes are first those of the result
    and then those of the argument.  The function is evaluated once; then one sweep goes backward for every element of
    the result.

    Raises GradientError as `grad` does.
    """
    return _made(function, numbers(argnums), has_aux, holomorphic, allow_int, False)


@told_to_users
def jacobian(
    function: Callable[Given, Any], argnums: Argnums = 0, has_aux: bool = False, holomorphic: bool = False,
    allow_int: bool = False,
) -> Function[Given, Any]:  # fmt: skip
    """The Jacobian of a function: another name for `jacrev`.

    function     as for `jacrev`
    argnums      as for `jacrev`
    has_aux      as for `jacrev`
    holomorphic  as for `jacrev`
    allow_int    as for `jacrev`
    """
    return _made(function, numbers(argnums), has_aux, holomorphic, allow_int, False)


@told_to_users
def value_and_jacobian(
    function: Callable[Given, Result], argnums: Argnums = 0, has_aux: bool = False, holomorphic: bool = False,
    allow_int: bool = False,
) -> Function[Given, tuple[Result, Any]]:  # fmt: skip
    """The value and the Jacobian: (out, jacobian), or ((out, auxiliary), jacobian) with `has_aux`.

    function     as for `jacrev`
    argnums      as for `jacrev`
    has_aux      as for `jacrev`
    holomorphic  as for `jacrev`
    allow_int    as for `jacrev`

    The value is computed once for both.
    """
    return _made(function, numbers(argnums), has_aux, holomorphic, allow_int, True)


def _made(function: Any, *options: Any) -> Any:
    return transformed(function, ReverseJacobian(*options))


for _public, _with_value in ((jacrev, False), (jacobian, False), (value_and_jacobian, True)):
    known_inside(_public, partial(ReverseJacobian, with_value=_with_value))
