"""Functions of numbers of few bits and of numbers at the edges: NumPy's values and dtypes."""

import itertools

import numpy as np
import pytest

import pellucid

pytestmark = pytest.mark.drawn(5)

EDGES = [0.0, -0.0, 1.0, -3.0, np.inf, -np.inf, np.nan, 1e308, 1e-320]


def of_one(a):
    quotients = np.divmod(a, 3), np.divmod(3, a), np.divmod(a, 2.5), np.divmod(a, a)
    return quotients, np.modf(a), np.frexp(a), np.ldexp(a, 2), np.spacing(a)


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int16, np.float16, np.float32])
def test_dtypes_are_numpys(dtype):
    x = np.array([1, 2, 3]).astype(dtype)
    _same(pellucid.compile(of_one)(x), of_one(x))


def divisors(a, b):
    return np.gcd(a, b), np.lcm(a, b), np.gcd(a[0], b[0]), np.lcm(a[1], b[1])


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int64])
def test_divisors_at_the_edge(dtype):
    a, b = (np.array(v).astype(dtype) for v in ([13, -7, -128, 0], [100, -128, 100, -128]))
    _same(pellucid.compile(divisors)(a, b), divisors(a, b))


def mapped(a):
    calls = 0

    def counted(v):
        nonlocal calls
        calls += 1
        return v * calls

    return np.vectorize(lambda v: v * 2)(a), np.vectorize(counted)(a), calls


@pytest.mark.parametrize("dtype", [np.int8, np.float32, np.float64])
def test_vectorize_calls_once_more_for_the_dtype(dtype):
    x = np.array([1, 2, 3]).astype(dtype)
    _same(pellucid.compile(mapped)(x), mapped(x))


@pytest.mark.filterwarnings("ignore")
def test_signs_of_complex_numbers():
    z = np.array([complex(a, b) for a, b in itertools.product(EDGES, EDGES)])
    found, want = np.asarray(pellucid.compile(lambda z: np.sign(z))(z)), np.sign(z)
    for ours, numpys in ((found.real, want.real), (found.imag, want.imag)):
        np.testing.assert_allclose(ours, numpys, rtol=3e-16)
        told = ~np.isnan(numpys)
        np.testing.assert_array_equal(np.signbit(ours[told]), np.signbit(numpys[told]))


def test_an_axis_twice_in_a_real_transform_is_refused():
    with pytest.raises(pellucid.CompileError, match="an axis twice"):
        pellucid.compile(lambda x: np.fft.rfft2(x, axes=(-1, 1)))(np.ones((4, 6)))


def _same(found, want):
    if isinstance(want, tuple):
        assert len(found) == len(want)
        for part, other in zip(found, want):
            _same(part, other)
        return
    assert np.asarray(found).dtype == np.asarray(want).dtype
    np.testing.assert_array_equal(found, want)


@pytest.mark.parametrize("dtype", [np.uint8, np.int16, np.float32])
def test_the_class_of_a_dtype_converts(dtype):
    def doubled(b):
        return b * b.dtype.type(2)

    x = np.array([1, 2, 3], dtype)
    found = np.asarray(pellucid.compile(doubled)(x))
    assert found.dtype == dtype and found.tolist() == doubled(x).tolist()
