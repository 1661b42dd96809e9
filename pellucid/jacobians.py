"""Jacobians in reverse mode: `jacrev`, `jacobian` and `value_and_jacobian`.

    jacrev(f)(x)[i, j]     ->     the derivative of element i of f(x) by element j of x
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, ParamSpec, TypeVar

from .compiler.argnums import Argnums
from .compiler.request import ReverseJacobian
from .function import Function
from .own_frames import told_to_users
from .sparse import dense_inside, refuse_options, sparse_derivative
from .transformations import Names, keeping, known_inside, numbers, transformed

Given = ParamSpec("Given")
Result = TypeVar("Result")


@told_to_users
def jacrev(
    function: Callable[Given, Any], argnums: Argnums = 0, has_aux: bool = False, holomorphic: bool = False,
    allow_int: bool = False, freeze: Names | bool = (),
) -> Function[Given, Any]:  # fmt: skip
    """The Jacobian of a function by reverse mode, as a compiled `Function`.

    function     a plain or a compiled function; its result is any container of floats and float arrays
    argnums      the argument to differentiate by, or a tuple of them, by number or name; containers are allowed
    has_aux      the function returns (out, auxiliary) and the result is (jacobian, auxiliary)
    holomorphic  as for `grad`
    allow_int    arguments that are no floats are allowed, and have None for a derivative, as such parts always have
    freeze       as for `compile`

    The result has the structure of `out`; each of its leaves holds a container of the structure of the argument (a
    tuple of them where `argnums` is a tuple), and each leaf there is an array whose axes are first those of the result
    and then those of the argument.  The function is evaluated once; then one sweep goes backward for every element of
    the result.

    Raises GradientError as `grad` does.
    """
    return _made(keeping(function, freeze), numbers(argnums), has_aux, holomorphic, allow_int, False)


@told_to_users
def jacobian(
    function: Callable[Given, Any], argnums: Argnums = 0, has_aux: bool = False, holomorphic: bool = False,
    allow_int: bool = False, sparse: Any = False, freeze: Names | bool = (),
) -> Any:  # fmt: skip
    """The Jacobian of a function: another name for `jacrev`, and with `sparse` one of few elements.

    function     as for `jacrev`
    argnums      as for `jacrev`
    has_aux      as for `jacrev`
    holomorphic  as for `jacrev`
    allow_int    as for `jacrev`
    freeze       as for `compile`
    sparse       True gives arrays of `scipy.sparse` (`csr_array`), by forward mode along few directions; a boolean
                 matrix of all results by all arguments says which elements there are, where that is known

    With `sparse` a result of any shape has its elements in rows, in C order, and an argument has its own in columns.
    The elements that are there are those that the result depends on, followed through the program: no values are
    probed, and an element may be zero.  Where tests or indices depend on the values of the arguments, it is what the
    program does with these that counts: every call looks whether it takes a way that is known, in one sweep.  Patterns
    are kept, for the lengths and the other arguments.  `jacobian(f, sparse=True).pattern(x)` gives it.  Other options
    are refused.

    Source: A. Gebremedhin, F. Manne and A. Pothen, What Color Is Your Jacobian? (2005), SIAM Review 47.
    """
    if sparse is not False:
        refuse_options(has_aux=has_aux, holomorphic=holomorphic, allow_int=allow_int)
        return sparse_derivative(keeping(function, freeze), argnums, (), False, sparse)
    return _made(keeping(function, freeze), numbers(argnums), has_aux, holomorphic, allow_int, False)


@told_to_users
def value_and_jacobian(
    function: Callable[Given, Result], argnums: Argnums = 0, has_aux: bool = False, holomorphic: bool = False,
    allow_int: bool = False, freeze: Names | bool = (),
) -> Function[Given, tuple[Result, Any]]:  # fmt: skip
    """The value and the Jacobian: (out, jacobian), or ((out, auxiliary), jacobian) with `has_aux`.

    function     as for `jacrev`
    argnums      as for `jacrev`
    has_aux      as for `jacrev`
    holomorphic  as for `jacrev`
    allow_int    as for `jacrev`
    freeze       as for `compile`

    The value is computed once for both.
    """
    return _made(keeping(function, freeze), numbers(argnums), has_aux, holomorphic, allow_int, True)


def _made(function: Any, *options: Any) -> Any:
    return transformed(function, ReverseJacobian(*options))


known_inside(jacrev, partial(ReverseJacobian, with_value=False))
known_inside(jacobian, dense_inside(partial(ReverseJacobian, with_value=False)))
known_inside(value_and_jacobian, partial(ReverseJacobian, with_value=True))
