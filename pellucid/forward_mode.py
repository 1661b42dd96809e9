"""Derivatives in forward mode: `jvp`, `jet`, `jacfwd`, `hessian`, `hvp`.

jvp(f, (x, y), (x_dot, y_dot))     the value of f(x, y), and how it changes along (x_dot, y_dot)
jvp(f)                             the compiled function of (primals, tangents) that gives both
jet(f, (x,), ((x_1, x_2),))        the derivatives of f along the curve that has these derivatives
jacfwd(f)(x), hessian(f)(x)        all first, all second derivatives
hvp(f, (x,), (x_dot,))             the Hessian times a direction, without the Hessian
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from .compiler.argnums import Argnums
from .compiler.request import Gradient, Jacobian, Jet, ReverseJacobian, Tangent, Transformation
from .function import Function
from .own_frames import told_to_users
from .sparse import dense_inside, refuse_options, sparse_derivative
from .transformations import Names, keeping, known_inside, numbers, transformed

MOST_KEPT = 256  # functions whose derivatives are kept, so that calls with their arguments compile them once


@told_to_users
def jvp(
    function: Callable[..., Any], primals: Any = None, tangents: Any = None, has_aux: bool = False
) -> Any:
    """The value of a function and its derivative along a direction, by forward mode: (value, tangent).

    function   a plain or a compiled function of any floats, with any results
    primals    a tuple of its arguments; parameters after them that have numbers or text as defaults may be left out
    tangents   a tuple with one tangent for each primal, in its structure, dtypes and shapes; None for what does not
               change, be it a leaf or a container.  Integers, booleans and text have no tangent: None
    has_aux    the function returns (value, auxiliary), and the result is (value, tangent, auxiliary)

    Parameters that `compile` was told to be static have the tangent None, and stay parameters of `jvp(f)`, by name:
    `jvp(f)(primals, tangents, axis=0)`.
    The tangent of the result has the structure of the value; None stands where that has no float.  Without primals and
    tangents it gives the compiled `Function` of these two, which may be looked into, differentiated again and called
    inside compiled functions.  Where two branches meet (`maximum` of equals, `abs` at zero) the convention is that of
    `grad`.

    Raises GradientError for an argument that is no float and has a tangent (G001), an operator or a construct without
    derivative (G003, G004), tangents of another structure or dtype (G005); ValueError for tangents of another shape.

    Source: forward mode by source transformation; A. Griewank and A. Walther, Evaluating Derivatives (2008), chapter 3.
    """
    asked = Tangent(has_aux)
    if primals is None and tangents is None:
        return transformed(function, asked)
    primals, tangents, static = _without_static(function, primals, tangents)
    return kept(function, asked)(primals, tangents, **static)


@told_to_users
def jet(function: Callable[..., Any], primals: Any = None, series: Any = None, has_aux: bool = False) -> Any:
    """The value of a function and its derivatives along a curve, by Taylor mode: (value, derivatives).

    function  a plain or a compiled function of any floats, with any results
    primals   as for `jvp`: where the curve is
    series    a tuple with the derivatives of the curve for each primal: the first, the second and so on, as many for
              all of them; each has the structure, dtypes and shapes of the primal.  None for a primal that does not
              change, and for a part of a derivative that is zero
    has_aux   the function returns (value, auxiliary), and the result is (value, derivatives, auxiliary)

    Terms are derivatives, not coefficients of the Taylor polynomial, which are those divided by factorials: for
    x(t) = x_0 + x_1 t + x_2 t^2 / 2 the series is (x_1, x_2), and the result is f(x(t)) at t = 0 with its first and
    second derivative by t.  With (1.0, 0.0, 0.0) they are those of f itself.  The derivatives of the result have the
    structure of the value, with a list of them at each float and None where there is none.

    Order k costs about k^2 times the function, where `jvp` applied k times costs 2^k times it.  Without primals and
    series it gives the compiled `Function` of these two, as `jvp` does.  What `jvp` says of kinks holds here for
    derivatives of every order: each is that of the branch that is taken.

    Raises what `jvp` raises, and GradientError where the series of two primals have different lengths (G005).

    Source: A. Griewank and A. Walther, Evaluating Derivatives (2008), chapter 13; the calling convention is that of
    `jax.experimental.jet` with `factorial_scaled=True`, J. Bettencourt, M. Johnson and D. Duvenaud, Taylor-Mode
    Automatic Differentiation for Higher-Order Derivatives in JAX (2019).
    """
    asked = Jet(has_aux)
    if primals is None and series is None:
        return transformed(function, asked)
    primals, series, static = _without_static(function, primals, series)
    return kept(function, asked)(primals, _in_tuples(series), **static)


def _without_static(function: Any, primals: Any, tangents: Any) -> tuple[Any, Any, dict[str, Any]]:
    """The primals and tangents without those of static parameters, whose values come by name."""
    static = function.__pellucid__.static if isinstance(function, Function) else ()
    if not static or not isinstance(primals, tuple | list) or not isinstance(tangents, tuple | list):
        return primals, tangents, {}
    found = {k: name for k, name in enumerate(function.__pellucid__.signature().parameters) if name in static}
    for place in found:
        if place < min(len(primals), len(tangents)) and tangents[place] not in (None, ()):
            raise ValueError(f"`{found[place]}` is static and does not change: its tangent is None")
    named = {name: primals[place] for place, name in found.items() if place < len(primals)}
    kept_primals, kept_tangents = ([v for k, v in enumerate(all_) if k not in found] for all_ in (primals, tangents))
    return tuple(kept_primals), tuple(kept_tangents), named


def _in_tuples(series: Any) -> Any:
    """Series with a tuple for each primal: an argument that is a long list would be one of any length."""
    if not isinstance(series, tuple | list):
        return series
    return tuple(tuple(terms) if isinstance(terms, list) else terms for terms in series)


@told_to_users
def jacfwd(
    function: Callable[..., Any], argnums: Argnums = 0, has_aux: bool = False, holomorphic: bool = False,
    freeze: Names | bool = (),
) -> Any:  # fmt: skip
    """The Jacobian of a function, by forward mode along every direction, as a compiled `Function`.

    function     a plain or a compiled function of any results
    argnums      as for `grad`
    has_aux      the function returns (value, auxiliary) and the result is (Jacobian, auxiliary)
    holomorphic  as for `grad`
    freeze       as for `compile`

    The result has the structure of the value; at each of its floats stands the structure of the argument (a tuple of
    them where `argnums` is one) with arrays of the axes of the value and then those of the argument, in the dtype of
    the value; None stands where the value has no float.  The work is that of `jvp` for every number in the arguments:
    for functions of few numbers with many results.

    Raises GradientError as `grad` does, and for lists that grow (G004).

    Source: A. Griewank and A. Walther, Evaluating Derivatives (2008), chapter 3.
    """
    return transformed(keeping(function, freeze), Jacobian(numbers(argnums), has_aux, holomorphic))


@told_to_users
def value_and_jacfwd(
    function: Callable[..., Any], argnums: Argnums = 0, has_aux: bool = False, holomorphic: bool = False,
    freeze: Names | bool = (),
) -> Any:  # fmt: skip
    """The value and the Jacobian of `jacfwd`: (value, Jacobian), or ((value, auxiliary), Jacobian) with `has_aux`.

    function, argnums, has_aux, holomorphic, freeze   as for `jacfwd`, which says what is raised
    """
    asked = Jacobian(numbers(argnums), has_aux, holomorphic, with_value=True)
    return transformed(keeping(function, freeze), asked)


@told_to_users
def hessian(
    function: Callable[..., Any], argnums: Argnums = 0, has_aux: bool = False, holomorphic: bool = False,
    sparse: Any = False, freeze: Names | bool = (),
) -> Any:  # fmt: skip
    """The Hessian of a function, by forward mode over reverse mode, as a compiled `Function`.

    function     a plain or a compiled function; its result is one float, or any container of floats and float arrays:
                 then each of these has a Hessian, with its own axes first
    argnums      as for `grad`; of a tuple the result is a tuple for each argument, of the blocks by all of them
    has_aux      the function returns (value, auxiliary) and the result is (Hessian, auxiliary)
    holomorphic  as for `grad`
    freeze       as for `compile`
    sparse       as for `jacobian`: arrays of `scipy.sparse`, from products with few directions.  The colouring is a
                 star colouring, or an acyclic one where that takes fewer; `hessian(f, sparse=True).explain(x)` says it

    A block of two arrays has the axes of the one and then those of the other.  Raises GradientError as `grad` does.

    Source: A. Griewank and A. Walther, Evaluating Derivatives (2008), chapter 5.
    """
    if sparse is not False:
        refuse_options(has_aux=has_aux, holomorphic=holomorphic)
        return sparse_derivative(keeping(function, freeze), argnums, (Gradient(numbers(argnums)),), True, sparse)
    return functools.reduce(transformed, _twice(numbers(argnums), has_aux, holomorphic), keeping(function, freeze))


@told_to_users
def hvp(
    function: Callable[..., Any], primals: Any = None, tangents: Any = None, argnums: Argnums = 0
) -> Any:
    """The Hessian of a scalar function times a direction, by forward mode over reverse mode.

    function            a plain or a compiled function whose result is one float
    primals, tangents   as for `jvp`
    argnums             as for `grad`: which gradient it is whose change along the tangents is asked for

    The result has the structure of the gradient, and costs a small multiple of it; there is no Hessian.  Without
    primals and tangents it gives the compiled `Function` of these two.  Raises what `grad` and `jvp` raise.

    Source: B. Pearlmutter, Fast Exact Multiplication by the Hessian (1994), Neural Computation 6.
    """
    asked = _along(numbers(argnums))
    if primals is None and tangents is None:
        return functools.reduce(transformed, asked, function)
    return kept(function, *asked)(primals, tangents)


def kept(function: Any, *transforms: Transformation) -> Any:
    """What transformations make of a function, the same one at every call."""
    try:
        return _kept(function, transforms)
    except TypeError:  # a bound method of an object without a hash
        return functools.reduce(transformed, transforms, function)


@functools.lru_cache(maxsize=MOST_KEPT)
def _kept(function: Any, transforms: tuple[Transformation, ...]) -> Any:
    return functools.reduce(transformed, transforms, function)


def _twice(argnums: Argnums = 0, has_aux: bool = False, holomorphic: bool = False) -> tuple[Transformation, ...]:
    return ReverseJacobian(argnums, has_aux, holomorphic), Jacobian(argnums, has_aux, holomorphic)


def _along(argnums: Argnums = 0) -> tuple[Transformation, ...]:
    return Gradient(argnums), Tangent(with_value=False)


known_inside(jvp, Tangent, ("primals", "tangents"))
known_inside(jet, Jet, ("primals", "series"))
known_inside(jacfwd, Jacobian)
known_inside(value_and_jacfwd, functools.partial(Jacobian, with_value=True))
known_inside(hessian, dense_inside(_twice))
known_inside(hvp, _along, ("primals", "tangents"))
