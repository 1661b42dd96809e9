"""Complex numbers: `cmath`, what the language does with them and refuses, their derivatives in JAX's convention.

Rows are in `test_operators.py` and `test_emitters.py`, functions of NumPy on complex arguments in
`test_numpy_answers.py`, programs at every stage in `corpus/complex_numbers.py`.
"""

import cmath
import math
import re

import numpy as np
import pytest
from mpmath import mp

import pellucid
from pellucid import compile, grad, hessian, jacfwd, jacrev, jvp, vjp, vmap
from pellucid.compiler.ops.python_names import CMATH_FUNCTIONS

from .harness import targets
from .harness.answers import agree, function_of, outcome

pytestmark = pytest.mark.drawn(5)

POINTS = (
    1 + 2j, -0.5 - 0.25j, 0j, 2 + 0j, -3 + 0j, 1j, -1j, 1 + 0j, -1 + 0j, complex(math.inf, 1), complex(math.nan, 0),
    complex(0, math.inf), 1e-200j, 800 + 1j, 1e300 + 1e300j, complex(-2, -0.0), 3.5, -2, np.complex64(1 - 1j),
    np.float64(0.3), True,
)  # fmt: skip
CALLS = {"rect": "cmath.rect(abs(x), 0.5)", "isclose": "cmath.isclose(x, x * (1 + 1e-10))"}


def rng():
    return np.random.default_rng(3)


def numbers(*shape):
    return rng().standard_normal(shape) + 1j * np.random.default_rng(4).standard_normal(shape)


# --- values --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", [*CMATH_FUNCTIONS["complex_mathematics"].split(), "log of base"])
def test_cmath(name):
    text = "cmath.log(x, 2)" if name == "log of base" else CALLS.get(name, f"cmath.{name}(x)")
    python = function_of(text)
    python.__globals__["cmath"] = cmath
    compiled = pellucid.compile(python)
    for point in POINTS:
        found, wanted = outcome(compiled, (point,)), outcome(python, (point,))
        assert agree(found, wanted), point
        assert type(found) is type(wanted)
        if isinstance(wanted, Exception):
            assert str(found) == str(wanted)


def exponentials(z):
    return np.exp(z)


def roots(z):
    return np.sqrt(z)


ENDS = (
    0.0, -0.0, 1.0, -1.5, math.inf, -math.inf, math.nan, 1e308, -1.7e308, 5e-324, -1e-310, 710.0, 1400.0, 1500.0,
    -745.0, -800.0, 3e-200,
)  # fmt: skip
of_reals = pytest.mark.parametrize(("function", "exact"), [(exponentials, mp.exp), (roots, mp.sqrt)])


@of_reals
@pytest.mark.parametrize("dtype", [np.complex128, np.complex64])
def test_functions_made_of_real_ones_have_numpys_values_at_the_ends(function, exact, dtype):
    with np.errstate(all="ignore"):
        points = np.array([complex(a, b) for a in ENDS for b in ENDS]).astype(dtype)
        wanted = function(points)
    found = np.asarray(compile(function)(points))
    assert found.dtype == wanted.dtype
    limits = np.finfo(found.dtype)
    for part in (np.real, np.imag):
        ours, numpys = part(found), part(wanted)
        np.testing.assert_array_equal(np.isnan(ours), np.isnan(numpys))
        np.testing.assert_array_equal(np.signbit(ours)[~np.isnan(ours)], np.signbit(numpys)[~np.isnan(ours)])
        np.testing.assert_allclose(ours, numpys, rtol=4 * limits.eps, atol=4 * limits.smallest_subnormal)


@of_reals
def test_functions_made_of_real_ones_are_three_units_off_at_most(function, exact):
    sizes = 10.0 ** rng().uniform(-5.0, 2.0, (2, 400))
    points = numbers(400).real * sizes[0] + 1j * numbers(400).imag * sizes[1]
    found = np.asarray(compile(function)(points))
    with mp.workprec(150):
        for point, value in zip(points, found, strict=True):
            wanted = exact(mp.mpc(point))
            for ours, right in ((value.real, wanted.real), (value.imag, wanted.imag)):
                assert abs(mp.mpf(ours) - right) <= 3.0 * np.spacing(abs(float(right))), point


@of_reals
@pytest.mark.parametrize("target", ["x86-64-v3", "x86-64-v4"])
def test_functions_made_of_real_ones_are_taken_in_vectors(function, exact, target, monkeypatch):
    targets.on(monkeypatch, target)
    text = compile(function, parallel=False).source("asm", "c128[n]")
    assert not re.search(r"\bc(exp|sqrt)\b", text) and re.search(targets.registers(target), text)


EXPRESSIONS = """
    1j * x; x * 1j; x + 1j; complex(2.0, 1.0) / x; x.real + 1j * x.imag; x ** 3; x ** -2; x ** 0.5; x ** 1j; 2 ** x
    (x == 1j) + 0; x if x.real > 0 else -x; bool(x); abs(x); [x, 1.0][1]; sum([x, x, 1.0]); complex(x.imag, x.real)
""".replace("\n", ";").split(";")


@pytest.mark.parametrize("text", [e.strip() for e in EXPRESSIONS if e.strip()])
def test_kinds_of_numbers_meet_as_in_python(text):
    """Python's complex number and a NumPy float64 give Python's, everything else NumPy's."""
    function = function_of(text)
    given = (1.5 - 2j, -0.5 + 0j, np.complex128(2j - 1), np.complex64(1 + 1j), np.float64(2.0), np.float32(0.5), 3)
    for value in given:
        found, wanted = outcome(compile(function), (value,)), outcome(function, (value,))
        if not isinstance(found, pellucid.CompileError):
            assert agree(found, wanted), (value, found, wanted)
            assert isinstance(wanted, Exception) or type(found) is type(wanted), value


def division(x, y):
    return x / y


def power(x, y):
    return x**y


def size(x, y):
    return abs(x)


@pytest.mark.parametrize(
    ("function", "arguments"),
    [
        (division, (1j, 0j)), (division, (1j, 0.0)), (power, (0j, -1.0)), (power, (0j, 1j)), (power, (1e300j, 3)),
        (size, (complex(1.7e308, 1.7e308), 0.0)),
    ],
)  # fmt: skip
def test_python_raises(function, arguments):
    with pytest.raises((ZeroDivisionError, OverflowError)) as wanted:
        function(*arguments)
    with pytest.raises(wanted.type) as found:
        compile(function)(*arguments)
    assert str(found.value) == str(wanted.value)


def parts_that_live_on(z):
    real = z.real.copy()
    z = z.copy()
    z[0] = 5.0
    return real, z


def arguments_of_threads(x):
    c = complex(float(x[0]), 1.0)
    out = np.empty(len(x), dtype=complex)
    for i in range(len(x)):
        out[i] = c * x[i] + 1j
    return out, c


def test_numbers_that_loops_on_threads_read():
    x = np.linspace(0.5, 1.5, 200_000)
    assert "prange" in compile(arguments_of_threads).source("loops", x)
    found, c = compile(arguments_of_threads)(x)
    np.testing.assert_array_equal(found, arguments_of_threads(x)[0])
    assert c == complex(0.5, 1.0) and type(c) is complex


def test_parts_are_arrays_of_their_own():
    z = numbers(4)
    for found, wanted in zip(compile(parts_that_live_on)(z), parts_that_live_on(z)):
        np.testing.assert_array_equal(found, wanted)


def raising(z):
    if abs(z) > 1.0:
        raise ValueError("outside", z)
    return z


def test_numbers_in_errors():
    with pytest.raises(ValueError) as caught:
        compile(raising)(3 - 1j)
    assert caught.value.args == ("outside", 3 - 1j)


def known_at_first(n):
    z = 1 - 2j
    for _ in range(n):
        z = z * z.conjugate() / (1 + abs(z)) + 1j * z.imag
    return z, (2.5).real, (3 - 4j).imag, True.real


def test_attributes_of_numbers_that_are_known():
    assert compile(known_at_first)(3) == known_at_first(3)


def nested(z, pairs):
    return {"sum": z + pairs[0][0], "rest": [w * 2 for _, w in pairs]}


def test_in_containers():
    given = (2j, [(1j, np.complex64(1)), (1.0 + 0j, np.complex64(2j))])
    assert compile(nested)(*given) == nested(*given)


def real_store(z):
    z = z.copy()
    part = z.real
    part[0] = 5.0
    return z


def real_store_of_an_argument(z):
    z.real[0] = 5.0
    return z


def parts_stored(z, x):
    out = np.empty(len(z), dtype=complex)
    out.real = x
    out.imag[:] = z.imag
    out.imag[1:] *= 2.0
    out.real[z.real > 0.0] -= 1.0
    for k in range(len(z)):
        out.real[k] += x[k] * k
    return out


def test_stores_into_parts():
    z, x = numbers(5), rng().standard_normal(5)
    np.testing.assert_allclose(compile(parts_stored)(z, x), parts_stored(z, x))
    np.testing.assert_allclose(
        grad(lambda z, x: np.sum(np.abs(parts_stored(z, x)) ** 2))(z, x),
        differences(lambda z: np.sum(np.abs(parts_stored(z, x)) ** 2), z), atol=1e-6,
    )  # fmt: skip


def into_reals(z):
    out = np.zeros(3)
    out[0] = z[0]
    return out


@pytest.mark.parametrize(
    ("function", "code"),
    [
        (real_store, "R003"), (real_store_of_an_argument, "P014"), (into_reals, "U017"),
        (lambda z: np.quantile(z, 0.5), "U017"), (lambda z: np.floor(z), "T001"),
        (lambda z: np.full_like(z.real, z[0]), "U017"),
        (lambda z: np.percentile(z, 5.0), "U017"), (lambda z: float(z[0]), "U017"),
        (lambda z: z % 2, "T001"), (lambda z: complex(z[0]) < 1j, "T001"),
    ],
)  # fmt: skip
def test_what_is_refused(function, code):
    with pytest.raises(pellucid.CompileError) as caught:
        compile(function)(numbers(3))
    assert {fault.code for fault in caught.value.diagnostics} == {code}


def test_loops_use_vector_instructions():
    text = compile(lambda z, w: z * w + 2j * z).source("llvm", "c128[n]", "c128[n]")
    assert " x double>" in text


def test_products_are_asked_of_blas():
    a, b = numbers(5, 4), numbers(4, 6)
    product = compile(lambda a, b: a @ b)
    assert "gemm" in product.source("loops", a, b)
    np.testing.assert_allclose(product(a, b), a @ b)
    np.testing.assert_allclose(product(b.T, a.T[:, ::2]), b.T @ a.T[:, ::2])
    np.testing.assert_allclose(product(a.astype(np.complex64), b.real.astype(np.float32)), a @ b.real, rtol=1e-5)


# --- linear algebra ------------------------------------------------------------------------------------------------


def test_eigenvalues():
    a = rng().standard_normal((5, 5))
    np.testing.assert_allclose(compile(np.linalg.eigvals)(a), np.linalg.eigvals(a))
    w, v = compile(np.linalg.eig)(a)
    np.testing.assert_allclose(a @ v, v * w)
    assert compile(np.linalg.eigvals)(a.astype(np.float32)).dtype == np.complex64
    for wrong in (np.full((2, 2), np.nan), np.ones((2, 3))):
        with pytest.raises(np.linalg.LinAlgError) as wanted:
            np.linalg.eigvals(wrong)
        with pytest.raises(np.linalg.LinAlgError, match=str(wanted.value)):
            compile(np.linalg.eigvals)(wrong)


def radius(a):
    return np.max(np.abs(np.linalg.eigvals(a)))


def differences(f, x, step=1e-6):
    """d f / d Re x - i d f / d Im x, of real x the first of both."""
    found = np.zeros(x.shape, dtype=np.result_type(x, 1.0))
    for at in np.ndindex(x.shape):
        for unit in (1.0, 1j) if np.iscomplexobj(x) else (1.0,):
            up, down = x.copy(), x.copy()
            up[at] += step * unit
            down[at] -= step * unit
            slope = (f(up) - f(down)) / (2.0 * step)
            found[at] += slope * (1.0 if unit == 1.0 else -1j)
    return found


def test_derivatives_of_eigenvalues():
    a = rng().standard_normal((4, 4))
    slope = differences(radius, a)
    np.testing.assert_allclose(grad(radius)(a), slope, atol=1e-6)
    np.testing.assert_allclose(jvp(radius, (a,), (a.T.copy(),))[1], np.sum(slope * a.T), atol=1e-6)
    with pytest.raises(pellucid.GradientError, match="eigenvectors of a matrix that is not symmetric"):
        grad(lambda a: np.abs(np.linalg.eig(a)[1][0, 0]))(a)


def energy(a, b):
    return np.sum(np.abs(np.linalg.solve(a, b)) ** 2)


def test_systems():
    a, b = numbers(4, 4), numbers(4)
    np.testing.assert_allclose(compile(np.linalg.solve)(a, b.real), np.linalg.solve(a, b.real))
    np.testing.assert_allclose(compile(np.linalg.inv)(a), np.linalg.inv(a))

    slope = differences(lambda a: energy(a, b), a)
    np.testing.assert_allclose(grad(energy)(a, b), slope, rtol=1e-5)


@pytest.mark.parametrize("p", [[1.0, -6.0, 11.0, -6.0], [0, 0, 2, 1, 5, 0, 0], [3.0], [1, 2, 3], [0.0]])
def test_roots(p):
    found, wanted = compile(np.roots)(np.array(p)), np.roots(p)
    np.testing.assert_allclose(np.sort_complex(found), np.sort_complex(wanted), atol=1e-9)


# --- derivatives ---------------------------------------------------------------------------------------------------

Z, X = numbers(4), pellucid.Array([0.7, -1.2, 0.4, 1.9])  # what cannot change may be read from outside
REAL_OF_COMPLEX = {
    "sizes": lambda z: np.sum(np.abs(z) ** 3),
    "angles": lambda z: np.sum(np.angle(z) * X),
    "parts": lambda z: np.sum(z.real * np.imag(z * X)),
    "conjugates": lambda z: np.sum((z * np.conj(z[::-1])).real * X),
    "functions": lambda z: np.sum(np.abs(np.exp(z) + np.sin(z) * np.log(z) / np.sqrt(z))),
    "inverses": lambda z: np.sum(np.abs(np.arcsin(z) + np.arccosh(z) * np.arctanh(z))),
    "powers": lambda z: np.sum(np.abs(z**3 + z**X + np.abs(X) ** z)),
    "products": lambda z: np.abs(np.prod(z)) + np.linalg.norm(np.outer(z, z) @ z),
    "statistics": lambda z: np.std(z) + np.abs(np.mean(z * X)),
    "orders": lambda z: np.sum(np.abs(np.sort(z) * X)) + np.abs(np.max(z) * np.min(z)) + np.sum((np.sign(z) * X).real),
    "choices": lambda z: np.sum(np.abs(np.where(X > 0.0, z * 2j, z.conj()))),
}


@pytest.mark.parametrize("name", REAL_OF_COMPLEX)
def test_gradients_by_complex_numbers(name):
    """<gradient, direction> without a conjugate, its real part, is the slope; forwards it is the same."""
    f = REAL_OF_COMPLEX[name]
    slope = differences(f, Z)
    np.testing.assert_allclose(grad(f)(Z), slope, rtol=2e-6, atol=2e-6)
    direction = numbers(4)[::-1].copy()
    np.testing.assert_allclose(jvp(f, (Z,), (direction,))[1], np.sum(slope * direction).real, rtol=2e-6)


def wave(x):
    return np.sum(np.abs(np.exp(1j * x * X) + 0.5) ** 2)


def test_complex_numbers_inside():
    np.testing.assert_allclose(grad(wave)(0.7), differences(wave, np.array(0.7)), rtol=1e-6)
    slope = differences(lambda x: np.array(grad(wave)(float(x))), np.array(0.7))
    np.testing.assert_allclose(hessian(wave)(0.7), slope, rtol=1e-6)
    np.testing.assert_allclose(vmap(grad(wave))(X), [grad(wave)(x) for x in X])
    negative = np.array([-0.5, 0.8])
    np.testing.assert_allclose(
        grad(lambda x: np.sum(np.abs(x ** (1 + 1j))))(negative),
        differences(lambda x: np.sum(np.abs(x.astype(complex) ** (1 + 1j))), negative), rtol=1e-6,
    )  # fmt: skip


def analytic(z):
    return np.exp(z) * z**2


def test_cotangents_keep_their_imaginary_part():
    at = 1 + 1j
    np.testing.assert_allclose(vjp(cmath.exp, at)[1](np.complex128(1j))[0], 1j * np.exp(at))
    np.testing.assert_allclose(pellucid.linearize(analytic, Z)[1](1j * Z), 1j * Z * (np.exp(Z) * (Z**2 + 2 * Z)))
    with pytest.raises(pellucid.GradientError, match="`out` is f64, and its cotangent is complex"):
        vjp(lambda x: x * 2.0, np.float64(1.0))[1](1j)
    with pytest.raises(TypeError, match="differences are taken along real numbers"):
        pellucid.check_grads(lambda z: np.sum(np.abs(z)), (Z,))


OUTSIDE, SINGLE = np.complex128(2j), np.complex64(1 - 1j)


def test_numbers_from_outside():
    for function in (lambda x: x * OUTSIDE, lambda x: np.full(2, SINGLE) * x, lambda x: OUTSIDE.imag + x):
        found, wanted = compile(function)(2.0), function(2.0)
        assert agree(found, wanted), wanted
    of_sign = compile(lambda x, c: x * c, static=("c",))
    for c in (0j, complex(-0.0, 0.0), 1j):
        assert repr(of_sign(1.0, c)) == repr(1.0 * c)


def test_the_conjugate_of_a_real_array_is_that_array():
    def conjugates(x):
        w = x.copy()
        c = w.conj()
        w[0] = 9.0
        return c, np.conj(w)

    for found, wanted in zip(compile(conjugates)(np.ones(3)), conjugates(np.ones(3))):
        np.testing.assert_array_equal(found, wanted)
    with pytest.raises(pellucid.CompileError, match="changes its argument"):
        compile(changes_through_conj)(np.ones(2))


def changes_through_conj(x):
    c = x.conj()
    c *= 2.0
    return c


def test_analytic_functions():
    at = 0.3 - 0.8j
    np.testing.assert_allclose(grad(analytic, holomorphic=True)(at), np.exp(at) * (at**2 + 2 * at))
    want = np.diag(np.exp(Z) * (Z**2 + 2 * Z))
    for transform in (jacfwd, jacrev):
        np.testing.assert_allclose(transform(analytic, holomorphic=True)(Z), want, atol=1e-15)
    _, pullback = vjp(analytic, Z)
    np.testing.assert_allclose(pullback(X + 0j)[0], X * np.diag(want))


@pytest.mark.parametrize(
    ("ask", "words"),
    [
        (lambda: grad(analytic)(1j), "returns real numbers, and this one gives c128"),
        (lambda: grad(wave, holomorphic=True)(1.0), "by a complex argument, and `x` is float"),
        (lambda: grad(lambda z: abs(z), holomorphic=True)(1j), "returns complex numbers, and this one returns f"),
        (lambda: jacfwd(analytic)(Z), "a Jacobian is by real numbers, and `z` is c128"),
        (lambda: jacrev(analytic)(Z), "returns real numbers, and this one gives c128"),
    ],
)
def test_what_has_no_derivative(ask, words):
    with pytest.raises(pellucid.GradientError, match=words):
        ask()
