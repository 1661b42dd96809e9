"""Spellings of JAX that mean what there is: keywords, names, classes of errors."""

from functools import partial

import numpy as np
import pytest

import pellucid
from pellucid import checkpoint, compile, custom_jvp, custom_vjp, grad, lax, vmap

X = np.arange(6.0).reshape(2, 3)


def sum_along(x, axis):
    return np.sum(x, axis=axis)


# --- compile -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("options", [
    {"static_argnums": 1}, {"static_argnums": (-1,)}, {"static_argnames": "axis"}, {"static_argnames": ["axis"]},
    {"static_argnums": [0, 1][1:], "static": "axis"},
], ids=str)  # fmt: skip
def test_static_arguments_by_number_and_name(options):
    decorated = pellucid.jit(**options)(sum_along)
    as_partial = partial(pellucid.jit, **options)(sum_along)
    for f in (compile(sum_along, **options), decorated, as_partial):
        for axis in (0, 1):
            np.testing.assert_array_equal(f(X, axis), X.sum(axis=axis))


def test_numbers_of_no_parameter_are_refused():
    with pytest.raises(ValueError, match="static_argnums=2 names no parameter"):
        compile(sum_along, static_argnums=2)


def test_names_are_the_same_functions():
    assert pellucid.jit is compile and pellucid.remat is checkpoint


def test_compile_inside_a_compiled_function_is_the_function():
    def inner(x):
        doubled = pellucid.jit(lambda v: v * 2.0)(x)
        return compile(sum_along, static=("axis",))(doubled, 1) + partial(compile, fastmath=True)(np.sin)(x[:, 0])

    np.testing.assert_allclose(compile(inner)(X), 2.0 * X.sum(axis=1) + np.sin(X[:, 0]))
    with pytest.raises(pellucid.UnsupportedError, match="mutates"):
        compile(lambda x: compile(lambda v: v, mutates=("v",))(x))(X)


def slope_for(x, axis):
    return np.sum(np.max(x, axis=axis) ** 2)


def test_a_slope_inside_knows_the_static_arguments():
    """Two calls for different static numbers are two pieces of code."""
    slope = grad(compile(slope_for, static=("axis",)))
    first, second = compile(lambda x: (slope(x, 0), slope(x, 1)))(X)
    np.testing.assert_array_equal(first, [[0.0, 0.0, 0.0], [6.0, 8.0, 10.0]])
    np.testing.assert_array_equal(second, [[0.0, 0.0, 4.0], [0.0, 0.0, 10.0]])


# --- transformations -----------------------------------------------------------------------------------------------


def test_the_name_of_devices_changes_nothing():
    for f in (lambda x: vmap(np.sum, spmd_axis_name="i")(x), compile(lambda x: vmap(np.sum, spmd_axis_name="i")(x))):
        np.testing.assert_array_equal(f(X), X.sum(axis=1))


def test_symbolic_zeros_are_refused():
    rule = custom_vjp(lambda x: x * x)
    rule.defvjp(lambda x: (x * x, x), lambda x, g: (2.0 * x * g,), symbolic_zeros=False, optimize_remat=True)
    assert grad(rule)(3.0) == 6.0
    with pytest.raises(TypeError, match="symbolic_zeros=True is not supported"):
        rule.defvjp(lambda x: (x * x, x), lambda x, g: (2.0 * x * g,), symbolic_zeros=True)
    forward = custom_jvp(lambda x: x * x)
    forward.defjvp(lambda p, t: (p[0] ** 2, 5.0 * t[0]), symbolic_zeros=False)
    assert grad(forward)(3.0) == 5.0
    with pytest.raises(TypeError, match="symbolic_zeros=True is not supported"):
        forward.defjvp(lambda p, t: (p[0] ** 2, t[0]), symbolic_zeros=True)


def repeated(x, axis, count):
    for _ in range(count):
        x = np.sin(x)
    return np.sum(np.max(x, axis=axis) ** 2)


def test_a_checkpoint_knows_its_static_arguments():
    of_object = checkpoint(repeated, static_argnums=(1, -1), policy=None, prevent_cse=False)
    want = grad(lambda x: repeated(x, 1, 2))(X)
    np.testing.assert_allclose(grad(lambda x: of_object(x, 1, 2))(X), want, rtol=1e-14)
    inside = grad(lambda x: pellucid.remat(repeated, static_argnums=(1, 2))(x, 1, 2))
    np.testing.assert_allclose(inside(X), want, rtol=1e-14)
    with pytest.raises(ValueError, match="static_argnums=3 names no argument"):
        checkpoint(repeated, static_argnums=3)


@pytest.mark.parametrize("x", [3.0, -3.0])
def test_the_only_operand_by_keyword(x):
    def chosen(x):
        return lax.cond(x > 0.0, lambda v: v * 2.0, lambda v: v * v, operand=x)

    def without(x):
        return lax.cond(x > 0.0, lambda _: x * 2.0, lambda _: x * x, operand=None)

    def switched(x):
        return lax.switch(1, [lambda v: v, lambda v: v * 3.0], operand=x)

    want, slope = (6.0, 2.0) if x > 0.0 else (9.0, -6.0)
    for f in (chosen, without):
        assert f(x) == compile(f)(x) == want and grad(f)(x) == slope
    np.testing.assert_array_equal(vmap(chosen)(np.array([3.0, -3.0])), [6.0, 9.0])
    assert switched(x) == compile(switched)(x) == 3.0 * x
    with pytest.raises(TypeError, match="by `operand=`"):
        lax.cond(True, lambda v: v, lambda v: v, x, operand=x)


# --- errors and names ----------------------------------------------------------------------------------------------


def test_errors_are_type_errors_as_in_jax():
    with pytest.raises(TypeError):
        grad(lambda x: x * x)(3)
    with pytest.raises(TypeError):
        vmap(lambda x: x)(1.0)
    assert issubclass(pellucid.GradientError, TypeError)
    assert issubclass(pellucid.BatchError, TypeError) and issubclass(pellucid.BatchError, ValueError)


def test_the_package_shows_what_users_call():
    assert dir(pellucid) == sorted([*pellucid.__all__, "__version__"])
    assert {"jit", "remat", "lax", "tree"} <= set(pellucid.__all__)
    assert "transformations" not in dir(pellucid)
