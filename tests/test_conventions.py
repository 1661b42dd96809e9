"""JAX's calling conventions: what each transformation takes, and how what it gives is put together.

Every line is a call and the value that the convention says, with the shapes of arrays and the classes of containers.
"""

from dataclasses import dataclass, fields, is_dataclass
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import pytest

from pellucid import (
    GradientError,
    compile,
    custom_jvp,
    custom_vjp,
    grad,
    hessian,
    hvp,
    jacfwd,
    jacrev,
    jvp,
    lax,
    linear_transpose,
    linearize,
    value_and_grad,
    value_and_jacobian,
    vjp,
    vmap,
)

M, V = np.arange(6.0).reshape(2, 3) + 1.0, np.array([1.0, 2.0, 3.0])
EYE, NONE = np.eye(3), np.zeros((0, 3))


class Pair(NamedTuple):
    w: Any
    b: Any


@dataclass(frozen=True)
class Layer:
    w: Any
    b: Any

    def apply(self, x, scale):
        return self.w * x * x * scale + self.b


def require_alike(found, wanted):
    if is_dataclass(wanted):
        assert type(found) is type(wanted)
        for field in fields(wanted):
            require_alike(getattr(found, field.name), getattr(wanted, field.name))
    elif isinstance(wanted, dict):
        assert list(found) == list(wanted)
        require_alike(list(found.values()), list(wanted.values()))
    elif isinstance(wanted, tuple | list):
        assert type(found) is type(wanted) and len(found) == len(wanted)
        for one, other in zip(found, wanted):
            require_alike(one, other)
    elif wanted is None or isinstance(wanted, str):
        assert found == wanted
    else:
        assert np.shape(found) == np.shape(wanted) and not isinstance(found, tuple | list)
        np.testing.assert_allclose(found, wanted)


def called(given):
    call, *arguments, wanted = given
    require_alike(call(*arguments), wanted)


def each(**cases):
    return pytest.mark.parametrize("given", cases.values(), ids=list(cases))


# --- vmap ------------------------------------------------------------------------------------------------------------


@each(
    dict_of_axes=(vmap(lambda d: d["a"] * d["b"], in_axes=({"a": 0, "b": None},)), {"a": M, "b": 2.0}, 2 * M),
    list_of_axes=(vmap(lambda x, y: x + y, in_axes=[0, None]), M, 1.0, M + 1),
    one_for_a_container=(vmap(lambda p, x: p["w"] @ x + p["b"], in_axes=(None, 0)), {"w": V, "b": 1.0}, M, M @ V + 1),
    one_axis_of_all_leaves=(vmap(lambda p: p[0] + p[1], in_axes=(1,)), (M, M), 2 * M.T),
    nested=(vmap(lambda p, x: p[0]["k"] * x + p[1], in_axes=(({"k": None}, 0), 0)), ({"k": 2.0}, V[:2]), M,
            2 * M + V[:2, None]),
    from_the_end=(vmap(lambda x: 2 * x, in_axes=-1, out_axes=-1), M, 2 * M),
    tuple_of_out_axes=(vmap(lambda x: (x, np.sum(x)), out_axes=(1, 0)), M, (M.T, M.sum(1))),
    dict_of_out_axes=(vmap(lambda x: {"a": x, "b": (x, x)}, out_axes={"a": 1, "b": (0, 1)}), M,
                      {"a": M.T, "b": (M, M.T)}),
    one_for_all_results=(vmap(lambda x: {"a": (x, x)}, out_axes=1), M, {"a": (M.T, M.T)}),
    shared_result=(vmap(lambda x, y: (x, 2 * y), in_axes=(0, None), out_axes=(0, None)), M, 3.0, (M, 6.0)),
    size_alone=(vmap(lambda x: 2 * x, in_axes=None, axis_size=4), 3.0, np.full(4, 6.0)),
    named_tuple=(vmap(lambda p: Pair(p.w * p.b, 1.0), in_axes=(Pair(0, None),)), Pair(M, 2.0),
                 Pair(2 * M, np.ones(2))),
    dataclass=(vmap(lambda p: Layer(p.w, p.w[0] * p.b), in_axes=(Layer(0, None),)), Layer(M, 2.0),
               Layer(M, 2 * M[:, 0])),
    none_is_no_leaf=(vmap(lambda d: (d["a"], None)), {"a": M, "b": None}, (M, None)),
    none_and_text=(vmap(lambda x, m, how: x * 2 if m is None and how == "twice" else x, in_axes=(0, None, None)),
                   M, None, "twice", 2 * M),
    default_is_shared=(vmap(lambda x, scale=2.0: x * scale), M, 2 * M),
    any_number_of_arguments=(vmap(lambda *xs: xs[0] + xs[1], in_axes=(0, None)), M, V, M + V),
    by_name=(lambda: vmap(lambda x, *, s: x * s)(M, s=V[:2]), M * V[:2, None]),
    a_method=(vmap(Layer(2.0, 1.0).apply, in_axes=(0, None)), V, 3.0, 6 * V**2 + 1),
    a_partial=(vmap(partial(lambda k, x, y: k * x * y, 2.0, y=3.0)), V, 6 * V),
    a_compiled_function=(vmap(compile(lambda x, n: x[:n], static="n"), in_axes=(0, None)), M, 2, M[:, :2]),
    no_examples=(vmap(lambda x: (np.sum(x), np.outer(x, x))), NONE, (np.zeros(0), np.zeros((0, 3, 3)))),
    gradients_of_no_examples=(vmap(grad(lambda x: np.sum(x**3))), NONE, NONE),
    example_by_example=(vmap(value_and_grad(lambda w, x: ((w @ x) ** 2, x[0]), has_aux=True), in_axes=(None, 0)), V, M,
                        (((M @ V) ** 2, M[:, 0]), 2 * (M @ V)[:, None] * M)),
    outer_product=(vmap(vmap(lambda x, y: x * y, in_axes=(None, 0)), in_axes=(0, None)), V, V, np.outer(V, V)),
    sum_of_a_container=(vmap(lambda x: lax.psum({"a": x, "n": 1}, "i"), axis_name="i"), V,
                        {"a": np.full(3, 6.0), "n": np.full(3, 3)}),
    sum_over_two_axes=(vmap(vmap(lambda x: lax.psum(x, ("i", "j")), axis_name="i"), axis_name="j"), M,
                       np.full((2, 3), 21.0)),
)  # fmt: skip
def test_vmap(given):
    called(given)


@pytest.mark.parametrize(("make", "arguments", "words"), [
    (lambda: vmap(lambda x: x, out_axes=None), (M,), "out_axes says None of the result, which depends on the example"),
    (lambda: vmap(lambda x: x, in_axes=None), (M,), "axis_size"),
    (lambda: vmap(lambda x: x, axis_size=5), (M,), "has length 2 along axis 0, but it was declared as 5"),
    (lambda: vmap(lambda x, y: x[0] * y[0]), (M, EYE), "they have to be equal"),
    (lambda: vmap(lambda x: x), (1.0,), "in_axes says axis 0 of `x`, which has no axes"),
    (lambda: vmap(lambda x: x, in_axes=(0, 0)), (M,), "in_axes has 2 entries, but there are 1 arguments"),
    (lambda: vmap(lambda x: x, in_axes=2), (M,), "in_axes says axis 2 of `x`, which has 2 axes"),
    (lambda: vmap(lambda x: x, out_axes=3), (M,), "out_axes says 3 of the result"),
    (lambda: vmap(lambda x: x, out_axes=(0, 0)), (M,), "out_axes has .* which is no container"),
    (lambda: vmap(lambda x: x, in_axes=0.0), (M,), "an axis is an int, or None"),
])  # fmt: skip
def test_axes_that_do_not_fit(make, arguments, words):
    with pytest.raises(ValueError, match=words):
        make()(*arguments)


# --- derivatives -----------------------------------------------------------------------------------------------------


def product(x, y):
    return x * y


def weighted(p):
    return np.sum(p.w**2) * p.b


@each(
    from_the_end=(grad(product, argnums=-1), 2.0, 3.0, 2.0),
    tuple_of_numbers=(grad(product, argnums=(0, -1)), 2.0, 3.0, (3.0, 2.0)),
    tuple_of_one=(grad(product, argnums=(1,)), 2.0, 3.0, (2.0,)),
    list_of_numbers=(grad(product, argnums=[0, 1]), 2.0, 3.0, (3.0, 2.0)),
    names=(grad(product, argnums=("y", "x")), 2.0, 3.0, (2.0, 3.0)),
    the_same_twice=(grad(product, argnums=(0, 0)), 2.0, 3.0, (3.0, 3.0)),
    any_number_of_arguments=(grad(lambda *a: a[0] * a[1], argnums=(0, -1)), 2.0, 3.0, (3.0, 2.0)),
    options=(lambda: grad(lambda x, **k: x * k["s"], argnums="k")(2.0, s=3.0), {"s": 2.0}),
    a_default=(grad(lambda x, y=3.0: x * y, argnums="y"), 2.0, 2.0),
    a_named_tuple=(grad(weighted), Pair(V, 2.0), Pair(4 * V, 14.0)),
    a_dataclass=(grad(weighted), Layer(V, 2.0), Layer(4 * V, 14.0)),
    a_list=(grad(lambda p: p[0] * p[1][0]), [2.0, (3.0,)], [3.0, (2.0,)]),
    empty_containers=(grad(lambda p, q, x: x * x, argnums=(0, 1, 2)), (), {}, 3.0, ((), {}, 6.0)),
    none_is_no_leaf=(grad(lambda p: p[0] ** 2), (3.0, None), (6.0, None)),
    what_is_no_float=(grad(lambda d, n: d["x"] * d["n"] * n, argnums=(0, 1), allow_int=True), {"x": 2.0, "n": 3}, 4,
                      ({"x": 12.0, "n": None}, None)),
    auxiliary=(grad(lambda x: (x * x, {"v": x, "t": "text"}), has_aux=True), 3.0, (6.0, {"v": 3.0, "t": "text"})),
    value_and_auxiliary=(value_and_grad(lambda x: (x * x, [x]), has_aux=True), 3.0, ((9.0, [3.0]), 6.0)),
    value_and_tuple=(value_and_grad(product, argnums=(0, 1)), 2.0, 3.0, (6.0, (3.0, 2.0))),
    second=(grad(grad(lambda x, y: x**2 * y**3), argnums=1), 2.0, 3.0, 108.0),
    analytic=(grad(lambda z: z**2, holomorphic=True), 1 + 2j, 2 + 4j),
    a_partial=(grad(partial(lambda a, x: a * x * x, 2.0)), 3.0, 12.0),
    no_elements=(grad(lambda x: np.sum(x**2)), np.zeros(0), np.zeros(0)),
)  # fmt: skip
def test_grad(given):
    called(given)


def pulled(function, *primals, bar, **options):
    out, pull, *auxiliary = vjp(function, *primals, **options)
    return out, pull(bar), *auxiliary


def pushed(function, *primals, along):
    out, push, *auxiliary = linearize(function, *primals, has_aux=True)
    return out, push(*along), *auxiliary


@each(
    lists=(jvp, product, [2.0, 3.0], [1.0, 0.0], (6.0, 3.0)),
    auxiliary=(partial(jvp, has_aux=True), lambda x: (x * x, "text"), (3.0,), (1.0,), (9.0, 6.0, "text")),
    what_is_no_float=(jvp, lambda x, n: (x * n, n), (3.0, 2), (1.0, None), ((6.0, 2), (2.0, None))),
    containers=(jvp, lambda d: {"o": d["a"] * d["b"]}, ({"a": 2.0, "b": 3.0},), ({"a": 1.0, "b": None},),
                ({"o": 6.0}, {"o": 3.0})),
    vjp_of_a_tuple=(partial(pulled, bar=(1.0, 10.0)), lambda x, y: (x * y, x + y), 2.0, 3.0,
                    ((6.0, 5.0), (13.0, 12.0))),
    vjp_with_auxiliary=(partial(pulled, bar=1.0, has_aux=True), lambda x: (x * x, {"k": x}), 3.0,
                        (9.0, (6.0,), {"k": 3.0})),
    vjp_by_some=(partial(pulled, bar=1.0, argnums=1), product, 2.0, 3.0, (6.0, (2.0,))),
    linearize=(partial(pushed, along=(1.0, 2.0)), lambda x, y: (x * y, "text"), 2.0, 3.0, (6.0, 7.0, "text")),
    transpose=(lambda: linear_transpose(lambda d: 2 * d["a"] + d["b"], {"a": V, "b": V})(V), ({"a": 2 * V, "b": V},)),
    hvp=(hvp, lambda d: d["a"] ** 2 * d["b"], ({"a": 2.0, "b": 3.0},), ({"a": 1.0, "b": 0.0},), {"a": 6.0, "b": 4.0}),
)  # fmt: skip
def test_along_and_back(given):
    called(given)


@pytest.mark.parametrize("jacobian", [jacfwd, jacrev])
def test_jacobian(jacobian):
    scaled = lambda d: {"o": d["a"] * d["b"]}  # noqa: E731
    require_alike(jacobian(scaled)({"a": V, "b": 2.0}), {"o": {"a": 2 * EYE, "b": V}})
    both = jacobian(lambda x, y: (x * y, x), argnums=(0, 1))
    require_alike(both(V, 2.0), ((2 * EYE, V), (EYE, np.zeros(3))))
    require_alike(jacobian(product, argnums=-1)(V, 2.0), V)
    require_alike(jacobian(lambda x: (x * x, "text"), has_aux=True)(V), (np.diag(2 * V), "text"))
    assert jacobian(lambda a: a[:, :2])(M).shape == (2, 2, 2, 3)
    assert jacobian(lambda x: 2 * x[3:])(V).shape == (0, 3) and jacobian(np.sin)(np.zeros(0)).shape == (0, 0)
    require_alike(jacobian(lambda x: x**3)(2.0), 12.0)


@each(
    of_a_container=(hessian(lambda d: d["a"] ** 2 * d["b"]), {"a": 2.0, "b": 3.0},
                    {"a": {"a": 6.0, "b": 4.0}, "b": {"a": 4.0, "b": 0.0}}),
    by_two=(hessian(lambda x, y: x**2 * y, argnums=(0, 1)), 2.0, 3.0, ((6.0, 4.0), (4.0, 0.0))),
    auxiliary=(hessian(lambda x: (np.sum(x**3), "text"), has_aux=True), V, (np.diag(6 * V), "text")),
    of_a_vector=(hessian(lambda x: x[:2] ** 2 * x[2]), V,
                 [[[6.0, 0, 2], [0, 0, 0], [2, 0, 0]], [[0, 0, 0], [0, 6, 4], [0, 4, 0]]]),
    of_two_results=(hessian(lambda x: {"o": (x**3, x)}), 2.0, {"o": (12.0, 0.0)}),
    of_a_matrix=(lambda x: hessian(lambda a: np.sum(a**3))(x).shape, M, (2, 3, 2, 3)),
    value_too=(value_and_jacobian(lambda x: (x * x, "text"), has_aux=True), V, ((V * V, "text"), np.diag(2 * V))),
    none_for_what_is_no_float=(jacrev(lambda x, n: x * n, argnums=(0, 1), allow_int=True), V, 2, (2 * EYE, None)),
    analytic=(jacfwd(lambda z: z**2, holomorphic=True), np.array([1 + 2j]), np.array([[2 + 4j]])),
)  # fmt: skip
def test_hessian_and_others(given):
    *call, wanted = given
    called((*call, np.array(wanted) if isinstance(wanted, list) else wanted))


@pytest.mark.parametrize(("call", "words"), [
    (lambda: grad(lambda x: x * x, argnums=1)(2.0), "argnums=1 names no argument"),
    (lambda: grad(lambda x: x * x)(np.ones(1)), "returns a scalar"),
    (lambda: grad(lambda x: (x, x))(1.0), "returns one float"),
    (lambda: grad(lambda x: x * 2.0)(3), "only floats have a derivative"),
    (lambda: grad(lambda x: x * x, has_aux=True)(3.0), "a pair"),
    (lambda: jvp(lambda x: x, 3.0, 1.0), "a tuple of the arguments"),
    (lambda: vjp(lambda x: {"a": x}, 2.0)[1]((1.0,)), "made alike"),
])  # fmt: skip
def test_what_does_not_fit_is_said(call, words):
    with pytest.raises(GradientError, match=words):
        call()


# --- rules -----------------------------------------------------------------------------------------------------------


@partial(custom_vjp, nondiff_argnums=(0, -1))
def applied(function, x, n):
    return function(x) * n


applied.defvjp(lambda function, x, n: (applied(function, x, n), x), lambda function, n, x, bar: (100.0 * n * x * bar,))


@partial(custom_jvp, nondiff_argnums=(1,))
def to_the(x, n):
    return x**n


to_the.defjvp(lambda n, primals, tangents: (to_the(primals[0], n), 7.0 * n * tangents[0]))


@custom_jvp
def by_each(x, y):
    return x * y


by_each.defjvps(lambda x_dot, out, x, y: 10.0 * x_dot, None)


@custom_vjp
def of_container(d, n):
    return d["a"] * d["b"] * n


def of_container_back(d, bar):
    return {"a": 2.0 * bar * d["b"], "b": 0.0 * bar}, None


of_container.defvjp(lambda d, n: (of_container(d, n), d), of_container_back)


@each(
    nondiff_arguments=(grad(lambda x: applied(np.sin, x, 2)), 3.0, 600.0),
    nondiff_arguments_forward=(jvp, lambda x: to_the(x, 2), (3.0,), (1.0,), (9.0, 14.0)),
    forward_rule_backward=(grad(lambda x: to_the(x, 2)), 3.0, 14.0),
    in_another_order_forward=(grad(lambda x, y: by_each(y=y, x=x), argnums=(0, 1)), 2.0, 3.0, (10.0, 0.0)),
    one_rule_for_each=(grad(by_each, argnums=(0, 1)), 2.0, 3.0, (10.0, 0.0)),
    containers=(grad(of_container), {"a": 2.0, "b": 3.0}, 4, {"a": 6.0, "b": 0.0}),
    in_another_order=(grad(lambda x: of_container(n=1, d={"a": x, "b": x})), 3.0, 6.0),
)
def test_rules(given):
    called(given)
