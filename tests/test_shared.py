"""A long function that is called many times stays one function: differentiated, optimised and translated once.

What it gives is held to the same program with every call walked into, and that to NumPy.
"""

import re

import numpy as np
import pytest

import pellucid
from pellucid.compiler import driver
from pellucid.compiler.targets.llvm import llvm
from pellucid.compiler.transform import outline

from .harness.compile_work import calls_in
from .harness.stages import module_of

NEVER = 10**9


def block(x, w, b):
    m = np.mean(x)
    c = x - m
    v = np.mean(c * c)
    h = np.tanh((c / np.sqrt(v + 1e-5)) @ w + b)
    return x + np.exp(-h * h) * h


def layers(x, w, b):
    x = x * 1.0
    x = block(x, w, b)
    x = block(x, w * 0.5, b)
    x = block(x, w.T, b + 1.0)
    return np.sum(x * x)


def slopes(x, y, a):
    growth = a * x / (1.0 + x * x)
    eaten = x * y / (1.0 + a * x)
    return growth - eaten, np.tanh(eaten * y) - y * a


def runge_kutta(x, y, a):
    for _ in range(4):
        p, q = slopes(x, y, a)
        r, s = slopes(x + 0.05 * p, y + 0.05 * q, a)
        t, u = slopes(x + 0.1 * r, y + 0.1 * s, a)
        if t > 0.0:
            x, y = x + 0.05 * (p + t), y + 0.05 * (q + u)
        else:
            x = x + 0.1 * t
    return x * y


def price(times, rates, maturity):
    total = 0.0
    for i in range(times.shape[0] - 1):
        if times[i] < maturity:
            total = total + rates[i] * np.exp(-rates[i] * times[i + 1]) * maturity
    return total / (1.0 + maturity)


def portfolio(times, rates, maturity):
    first = price(times, rates, maturity * 0.5)
    second = price(times, rates, maturity)
    third = price(times, rates, maturity * 1.5)
    return first * second + third


def inner(x, w):
    u = np.tanh(w @ x)
    v = np.exp(-u * u)
    return v / (1.0 + np.sum(v * v)) + np.maximum(u, 0.0)


def outer(x, w):
    y = inner(x, w)
    z = inner(y * 2.0, w)
    return {"y": y + z, "total": np.sum(z * x)}


def nested(x, w):
    a = outer(x, w)
    b = outer(a["y"], w)
    c = outer(b["y"] * a["total"], w)
    return np.sum(c["y"]) + c["total"] + a["total"]


def negative(x, k):
    """Has the name of an operator."""
    out = np.zeros(x.shape[0])
    for i in range(x.shape[0]):
        out[i] = x[i] * k + np.sin(k * x[i])
    return out


def collected(x, k):
    first = negative(x, k)
    second = negative(first * 0.5, k)
    third = negative(second * x, k)
    first[0] = 3.0
    return np.sum(first * third) + np.sum(-second)


def row(a, i, x):
    r = a[i, :]
    t = np.tanh(r * x)
    state = r[0]
    for k in range(1, x.shape[0]):
        state = np.sin(state * t[k]) + a[i, k]
    return t * state + np.sin(r)


def rows(a, x):
    i = np.argmax(x) % 3
    first = row(a, i, x)
    second = row(a, (i + 1) % 3, first)
    third = row(a, (i + 2) % 3, second)
    return np.sum(third * first)


VECTOR, MATRIX = np.linspace(-1.0, 1.5, 4), np.sin(np.arange(16.0)).reshape(4, 4)
PROGRAMS = {
    "arrays": (layers, (VECTOR, MATRIX, np.cos(VECTOR))),
    "several results, in a loop and behind it a branch": (runge_kutta, (0.7, 0.4, 1.3)),
    "elements of arrays": (portfolio, (np.linspace(0.1, 3.0, 5), np.full(4, 0.05), 2.2)),
    "functions of functions, containers": (nested, (VECTOR, MATRIX)),
    "stores into what the function makes": (collected, (VECTOR, 0.8)),
    "rows of arrays, and a loop that carries a value": (rows, (MATRIX, VECTOR)),
}
CALLS = {
    layers: "block", runge_kutta: "slopes", portfolio: "price", nested: "outer", collected: "negative_1", rows: "row",
}  # fmt: skip


def all_of(function):
    """By the floats of the arguments, all of which have a derivative."""
    return tuple(range(function.__code__.co_argcount))


def along(function, arguments):
    return tuple(np.ones_like(a) if isinstance(a, np.ndarray) else 1.0 for a in arguments)


TRANSFORMS = {
    "value": lambda f, a: pellucid.compile(f)(*a),
    "grad": lambda f, a: pellucid.value_and_grad(f, argnums=all_of(f))(*a),
    "jvp": lambda f, a: pellucid.jvp(f, a, along(f, a)),
    "vjp": lambda f, a: pellucid.vjp(f, *a)[1](2.0),
    "hessian": lambda f, a: pellucid.hessian(f)(*a),
    "grad of jvp": lambda f, a: pellucid.grad(lambda b: pellucid.jvp(f, b, b)[1])(a),
    "grad of grad": lambda f, a: pellucid.grad(lambda b: np.sum(pellucid.grad(f)(*b)))(a),
    "jvp of grad": lambda f, a: pellucid.jvp(pellucid.grad(f), a, along(f, a)),
    "jacfwd": lambda f, a: pellucid.jacfwd(f, argnums=all_of(f))(*a),
    "jacrev of grad": lambda f, a: pellucid.jacrev(pellucid.grad(f))(*a),
    "hvp": lambda f, a: pellucid.hvp(f, a, along(f, a)),
    "vmap of grad": lambda f, a: pellucid.vmap(pellucid.grad(f), in_axes=(0, *[None] * (len(a) - 1)))(
        np.stack([a[0], a[0] * 0.5, a[0] * 1.1]), *a[1:]
    ),
}


@pytest.fixture
def all_shared(monkeypatch):
    """Every call that is like another one is one of a function."""
    monkeypatch.setattr(outline, "LEAST_SHARED", 3)
    monkeypatch.setattr(outline, "SHARED_SAVING", 3)
    monkeypatch.setattr(outline, "SHARED_SCALARS_SAVING", 3)


def leaves(value):
    if isinstance(value, tuple | list):
        return [leaf for part in value for leaf in leaves(part)]
    return [np.asarray(value)]


# values and gradients of all, each of the others of one
CASES = [(name, transform) for name in PROGRAMS for transform in ("value", "grad")]
CASES += [(list(PROGRAMS)[k % len(PROGRAMS)], name) for k, name in enumerate(list(TRANSFORMS)[2:])]


@pytest.mark.drawn(5)
@pytest.mark.parametrize("name, transform", CASES)
def test_a_shared_function_gives_what_its_calls_give(name, transform, all_shared, monkeypatch):
    function, arguments = PROGRAMS[name]
    shared = leaves(TRANSFORMS[transform](function, arguments))
    monkeypatch.setattr(outline, "LEAST_SHARED", NEVER)
    apart = leaves(TRANSFORMS[transform](function, arguments))
    assert len(shared) == len(apart)
    for one, other in zip(shared, apart):
        np.testing.assert_allclose(one, other, rtol=1e-10, atol=1e-12)
        assert one.dtype == other.dtype


@pytest.mark.parametrize("name", PROGRAMS)
def test_it_is_one_function_and_gives_what_numpy_gives(name, all_shared):
    function, arguments = PROGRAMS[name]
    compiled = pellucid.compile(function)
    assert compiled.source("loops", *arguments).count(f"def {CALLS[function]}(") == 1
    np.testing.assert_allclose(compiled(*arguments), function(*arguments), rtol=1e-12)


def test_the_derivative_of_a_shared_function_is_one_function(all_shared):
    text = pellucid.grad(layers, argnums=(0, 1, 2)).source("reverse", *PROGRAMS["arrays"][1])
    assert text.count("def block_vjp(") == text.count("def block_pullback(") == 1
    assert text.count("= block_vjp(") == text.count("= block_pullback(") == 2  # `w.T` is laid out otherwise


def test_the_derivative_of_a_function_defined_inside_shares_functions_too(all_shared):
    def slope(x, y, a):
        def of_y(z):
            return runge_kutta(x, z, a)

        return pellucid.grad(of_y)(y)

    compiled = pellucid.compile(slope)
    text = compiled.source("transformed", 0.7, 0.4, 1.3)
    assert text.count("def slopes_vjp(") == text.count("def slopes_pullback(") == 1
    np.testing.assert_allclose(compiled(0.7, 0.4, 1.3), pellucid.grad(runge_kutta, 1)(0.7, 0.4, 1.3), rtol=1e-13)


def test_the_tangent_of_a_shared_function_is_one_function(all_shared):
    text = pellucid.jacfwd(runge_kutta, argnums=2).source("transformed", 0.7, 0.4, 1.3)
    assert text.count("def slopes_jvp(") == 1 and text.count("= slopes_jvp(") == 3


def test_what_is_the_same_along_all_directions_is_computed_once(all_shared):
    text = pellucid.jacfwd(layers).source("transformed", *PROGRAMS["arrays"][1])
    before, _, inside = text.partition("    for k in range(")
    inside, _, _ = inside.partition("\ndef ")
    assert before.count("= block_jvp_given(") == inside.count("= block_jvp_along(") == 2
    assert "block_jvp_given" not in inside and "block_jvp(" not in text
    _, _, along = text.partition("\ndef block_jvp_along(")
    along, _, _ = along.partition("\ndef ")
    own = [line for line in along.splitlines() if "#" not in line]
    assert not any("np.tanh" in line or "np.exp" in line for line in own)


def curved(x, k):
    u = np.sin(x) * k
    v = np.exp(-u * u)
    return v / (1.0 + np.sum(v * v)) + u


def partly(x, w):
    a = curved(w, 2.0)
    b = curved(x, 2.0)
    k = np.sum(a)
    c = curved(b, k)
    d = curved(a, k)
    return np.sum(c * d)


def test_calls_that_differ_in_what_varies_are_of_different_functions(all_shared):
    """Otherwise zeros are handed to some, and cotangents computed that nobody reads."""
    text = pellucid.grad(partly).source("reverse", VECTOR, VECTOR)
    assert "a = curved(w)" in text and "d = curved_3(a, k)" in text  # nothing in them depends on `x`
    for function, result in (("curved_1", "b_bar"), ("curved_2", "x_bar")):
        assert text.count(f"{result} = {function}_pullback(") == 1
    by_first = pellucid.jvp(partly, (VECTOR, VECTOR * 0.5), (VECTOR, None))[1]
    slope = pellucid.grad(partly)(VECTOR, VECTOR * 0.5)
    step = 1e-6 * VECTOR
    wanted = (partly(VECTOR + step, VECTOR * 0.5) - partly(VECTOR - step, VECTOR * 0.5)) / 2e-6
    np.testing.assert_allclose([by_first, slope @ VECTOR], wanted, rtol=1e-7)


@pytest.mark.parametrize(
    "function, name, arguments, count",
    [(portfolio, "price", PROGRAMS["elements of arrays"][1], 3), (rows, "row", (MATRIX, VECTOR), 2)],
)
def test_what_reads_elements_is_handed_the_cotangent_and_adds_to_it(function, name, arguments, count, all_shared):
    """A result would be a whole array for each call."""
    text = pellucid.grad(function, argnums=(0, 1)).source("reverse", *arguments)
    main, *others = text.split("\n\n\n")[1:]
    (backward,) = (other for other in others if f"\ndef {name}_backward(" in other)
    assert main.count(f"{name}_backward(") == count
    handed = re.findall(r"(\w+)_bars = |(\w+)_bars.pop", backward)
    assert handed and "np.zeros" not in backward


def test_short_functions_are_walked_into():
    assert "def slopes" not in pellucid.compile(runge_kutta).source("loops", *PROGRAMS[list(PROGRAMS)[1]][1])


def checked(x, k):
    y = np.sin(x) * k + np.cos(x)
    if k > 2.0:
        raise ValueError("too large")
    return y * y + np.max(x)


def raising(x, k):
    a = checked(x, k)
    b = checked(a, k * 2.0)
    c = checked(b, k * 4.0)
    return np.sum(c)


@pytest.mark.parametrize("transform", [pellucid.compile, pellucid.grad])
def test_an_error_in_a_shared_function_points_to_its_call(transform, all_shared):
    f = transform(raising)
    assert "def checked" in f.source("loops", VECTOR, 0.4)
    assert np.all(np.isfinite(f(VECTOR, 0.4)))
    with pytest.raises(ValueError, match="too large") as caught:
        f(VECTOR, 0.6)
    lines = [line.name for line in caught.traceback if line.path.name == "test_shared.py"]
    numbers = [line.lineno for line in caught.traceback if line.name == "raising"]
    assert lines[-2:] == ["raising", "checked"]
    assert numbers == [raising.__code__.co_firstlineno + 2]  # counted from 0: the third call
    with pytest.raises(ValueError, match="zero-size"):
        f(np.zeros(0), 0.1)


# --- work ----------------------------------------------------------------------------------------------------------

HELPER = """
import numpy as np


def part(x, w, b):
    m = np.mean(x)
    c = x - m
    v = np.mean(c * c)
    y = c / np.sqrt(v + 1e-5)
    h = np.tanh(w @ y + b)
    u = np.exp(-h * h)
    return x + np.where(u > 0.5, u * h, h) + np.sin(y) * np.cos(h)


def f(x, w, b):
    x = x * 1.0
"""


def calls_of(count, derivative=pellucid.grad):
    """What the compiler is called for a derivative of so many calls, and the length of its text for LLVM."""
    function = module_of(HELPER + "    x = part(x, w, b)\n" * count + "    return np.sum(x)\n")["f"]
    compiled = derivative(function)
    arguments = compiled._flatten(("f64[n]", "f64[n, n]", "f64[n]"), {}, texts=True).arguments

    def work():
        made = driver.derive(compiled.__pellucid__, arguments, {})
        return llvm.lower_program(driver.loops(made.program))[0].text

    calls, text = calls_in(work)
    return calls, len(text)


def test_another_call_of_a_shared_function_costs_little(monkeypatch, all_shared):
    monkeypatch.setenv("PELLUCID_VERIFY", "0")
    calls_of(3)
    shared = [calls_of(count) for count in (4, 6)]
    monkeypatch.setattr(outline, "LEAST_SHARED", NEVER)
    apart = [calls_of(count) for count in (4, 6)]
    for (less, more), (few, many) in zip(zip(*shared), zip(*apart)):
        assert more - less < 0.5 * (many - few), (shared, apart)


@pytest.mark.parametrize("derivative", [pellucid.hessian, pellucid.jacrev])
def test_the_work_is_linear_in_the_calls(derivative, monkeypatch, all_shared):
    monkeypatch.setenv("PELLUCID_VERIFY", "0")
    calls_of(2, derivative)
    few, some, many = (calls_of(count, derivative) for count in (3, 7, 11))
    for least, less, more in zip(few, some, many):
        assert more - less < 1.05 * (less - least)
