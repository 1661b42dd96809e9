"""`pellucid.numpy`: NumPy's functions that give Arrays, the array API standard, and NumPy's own in compiled code.

The oracle is NumPy: the same call of the same name.
"""

import pickle
import subprocess
import sys

import numpy as np
import pytest

import pellucid.numpy as pnp
from pellucid import Array, compile, grad, vmap
from pellucid.check import check_text
from pellucid.numpy import tanh
from pellucid.numpy.linalg import solve

# A call of every function of the standard, 2024.12; `xp` is the namespace.
CALLS = """
abs(X) acos(U) acosh(1 + U) add(X, Y) all(X > 0) any(X > 0, axis=0) arange(5) argmax(X, axis=1) argmin(X) argsort(V)
asarray([1.0, 2.0]) asin(U) asinh(X) astype(X, xp.float32) atan(X) atan2(X, Y) atanh(U / 2) bitwise_and(I, J)
bitwise_invert(I) bitwise_left_shift(I, J) bitwise_or(I, J) bitwise_right_shift(I, J) bitwise_xor(I, J)
broadcast_arrays(X, V) broadcast_to(V, (2, 3)) can_cast(xp.int32, xp.float64) ceil(X) clip(X, 0.0, 1.0) concat([X,Y])
conj(C) copysign(X, Y) cos(X) cosh(X) count_nonzero(I) cumulative_prod(V) cumulative_sum(V) diff(V) divide(X, Y)
empty((0, 2)) empty_like(E) equal(X, Y) exp(X) expand_dims(V, axis=0) expm1(X) eye(3) finfo(xp.float32).eps flip(V)
floor(X) floor_divide(I, J) from_dlpack(V) full((2,), 3.0) full_like(X, 1.0) greater(X, Y) greater_equal(X, Y)
hypot(X, Y) iinfo(xp.int8).max imag(C) isdtype(xp.float32, "real floating") isfinite(X) isinf(X) isnan(X) less(X, Y)
less_equal(X, Y) linspace(0.0, 1.0, 5) log(U) log10(U) log1p(U) log2(U) logaddexp(X, Y) logical_and(B, B)
logical_not(B) logical_or(B, B) logical_xor(B, B) matmul(X, Y.T) matrix_transpose(X) max(X) maximum(X, Y) mean(X)
meshgrid(V, V) min(X, axis=0) minimum(X, Y) moveaxis(X, 0, 1) multiply(X, Y) negative(X) nextafter(X, Y) nonzero(I)
not_equal(X, Y) ones((2, 2)) ones_like(X) permute_dims(X, (1, 0)) positive(X) pow(U, Y) prod(X) real(C) reciprocal(U)
remainder(I, J) repeat(V, 2) reshape(X, (3, 2)) result_type(X, xp.float32) roll(V, 1) round(X) searchsorted(V, V)
sign(X) signbit(X) sin(X) sinh(X) sort(V) sqrt(U) square(X) squeeze(E) stack([X, Y]) std(X) subtract(X, Y) sum(X)
take(V, I[0], axis=0) take_along_axis(X, I, axis=1) tan(X) tanh(X) tensordot(X, Y.T, 1) tile(V, (2, 1)) tril(X) triu(X)
trunc(X) unique_all(I) unique_counts(I) unique_inverse(I) unique_values(I) unstack(X) var(X) vecdot(X, Y)
where(B, X, Y) zeros((2, 1)) zeros_like(X)
linalg.cholesky(S) linalg.cross(X, Y) linalg.det(S) linalg.diagonal(S) linalg.eigh(S) linalg.eigvalsh(S) linalg.inv(S)
linalg.matmul(X, Y.T) linalg.matrix_norm(X) linalg.matrix_power(S, 2) linalg.matrix_rank(S) linalg.matrix_transpose(X)
linalg.outer(V, V) linalg.pinv(X) linalg.qr(X) linalg.slogdet(S) linalg.solve(S, V) linalg.svd(X) linalg.svdvals(X)
linalg.tensordot(X, Y.T, axes=1) linalg.trace(S) linalg.vecdot(X, Y) linalg.vector_norm(V)
fft.fft(V) fft.fftfreq(4) fft.fftn(X) fft.fftshift(V) fft.hfft(C) fft.ifft(V) fft.ifftn(X) fft.ifftshift(V)
fft.ihfft(V) fft.irfft(C) fft.irfftn(X) fft.rfft(V) fft.rfftfreq(4) fft.rfftn(X)
"""
CONSTANTS = """
e inf nan newaxis pi bool complex128 complex64 float32 float64 int16 int32 int64 int8 uint16 uint32 uint64 uint8
"""
DRAWN = np.random.default_rng(0)
VALUES = {
    "X": DRAWN.normal(size=(2, 3)), "Y": DRAWN.normal(size=(2, 3)), "U": DRAWN.uniform(0.1, 1.0, size=(2, 3)),
    "V": np.array([0.5, 1.0, 2.0]), "I": np.array([[2, 0, 1], [1, 1, 0]]), "J": np.array([[1, 2, 3], [2, 1, 1]]),
    "B": np.array([[True, False, True], [False, False, True]]), "C": np.array([1.0 + 2.0j, 3.0 - 1.0j]),
    "S": np.array([[4.0, 1.0, 0.0], [1.0, 3.0, 0.5], [0.0, 0.5, 2.0]]), "E": np.zeros((1, 0)),
}  # fmt: skip


def calls():
    found, text, depth = [], "", 0
    for word in CALLS.split():
        text, depth = f"{text} {word}".strip(), depth + word.count("(") - word.count(")")
        if depth == 0:
            found.append(text)
            text = ""
    return found


def parts(value):
    return [leaf for part in value for leaf in parts(part)] if isinstance(value, tuple | list) else [value]


@pytest.mark.parametrize("call", calls())
def test_a_function_of_the_standard(call):
    arrays = {name: pnp.asarray(value) for name, value in VALUES.items()}
    found = parts(eval(f"xp.{call}", {"xp": pnp, **arrays}))
    expected = parts(eval(f"xp.{call}", {"xp": np, **VALUES}))
    assert len(found) == len(expected)
    for one, other in zip(found, expected):
        if isinstance(other, np.ndarray | np.generic) and "info" not in call:
            assert type(one) is Array and one.dtype == other.dtype and one.shape == other.shape
        np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("name", CONSTANTS.split())
def test_a_constant_or_dtype_of_the_standard(name):
    assert getattr(pnp, name) is getattr(np, name)


def test_an_array_says_what_its_namespace_is():
    x = pnp.arange(3.0)
    assert x.__array_namespace__() is pnp and x.__array_namespace__(api_version="2024.12") is pnp
    with pytest.raises(ValueError, match="2031.12"):
        x.__array_namespace__(api_version="2031.12")
    assert pnp.__array_api_version__ == "2024.12"
    info = pnp.__array_namespace_info__()
    assert info.default_device() == x.device and info.default_dtypes()["real floating"] == np.float64
    assert info.capabilities()["boolean indexing"] and pnp.ndarray is Array
    x += 1.0
    assert type(x) is Array and x.tolist() == [1.0, 2.0, 3.0]


def model(w, x):
    hidden = tanh(x @ w["a"] + pnp.ones(4) * pnp.pi)
    spectrum = pnp.fft.rfft(hidden, axis=-1)
    return pnp.sum(pnp.abs(spectrum) ** 2) + solve(pnp.eye(4) * 2.0, w["b"]) @ pnp.add.reduce(hidden)


def model_in_numpy(w, x):
    hidden = np.tanh(x @ w["a"] + np.ones(4) * np.pi)
    spectrum = np.fft.rfft(hidden, axis=-1)
    return np.sum(np.abs(spectrum) ** 2) + np.linalg.solve(np.eye(4) * 2.0, w["b"]) @ np.add.reduce(hidden)


def test_compiled_code_means_numpy_by_it():
    w = {"a": VALUES["X"].T @ DRAWN.normal(size=(2, 4)), "b": DRAWN.normal(size=4)}
    x = VALUES["Y"]
    assert compile(model)(w, x) == pytest.approx(model_in_numpy(w, x), rel=1e-13)
    assert float(model(w, x)) == pytest.approx(model_in_numpy(w, x), rel=1e-13)
    slopes, expected = grad(model)(w, x), grad(model_in_numpy)(w, x)
    assert np.array_equal(slopes["a"], expected["a"]) and np.array_equal(slopes["b"], expected["b"])


def test_its_functions_are_functions_of_transformations():
    assert grad(pnp.tanh)(0.3) == grad(np.tanh)(0.3)
    assert vmap(pnp.dot)(pnp.ones((2, 3)), pnp.ones((2, 3))).tolist() == [3.0, 3.0]
    assert compile(lambda h, x: h(x))(pnp.exp, 1.0) == np.exp(1.0)
    assert compile(pnp.cumsum)(np.ones(3)).tolist() == [1.0, 2.0, 3.0]


def test_functions_of_numbers_that_are_no_functions_of_the_standard():
    assert pnp.vectorize(lambda a: a + 1)([1, 2]).tolist() == [2, 3]
    assert pnp.add.accumulate([1, 2]).tolist() == [1, 3] and type(pnp.add.outer([1], [2])) is Array
    assert pickle.loads(pickle.dumps(pnp.linalg.solve))([[2.0]], [1.0]).tolist() == [0.5]


def test_what_writes_into_an_argument_is_not_there():
    with pytest.raises(AttributeError):
        pnp.copyto  # noqa: B018
    with pytest.raises(TypeError, match="cannot be changed"):
        pnp.add(1.0, 2.0, out=pnp.zeros(()))


@pytest.mark.parametrize("text, told", [("pnp.tanhh(x)", "`pnp.tanh`"), ("pnp.fromfile(x)", "input or output")])
def test_a_name_that_numpy_lacks_is_told_as_written(text, told, tmp_path):
    head = "import pellucid.numpy as pnp\nfrom pellucid import compile\n\n\n@compile\n"
    program = f"{head}def f(x):\n    return {text}\n"
    faults = check_text(program, str(tmp_path / "f.py")).diagnostics
    (fault,) = faults
    assert told in " ".join([fault.message, *fault.help])


def test_importing_pellucid_makes_none_of_them():
    code = "import sys, pellucid; m = sys.modules\nprint('sin' in vars(m['pellucid.numpy']), 'pellucid.numpy.fft' in m)"
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert shown.split() == ["False", "False"]
