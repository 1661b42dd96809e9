"""Sparse arrays of SciPy in native calls: taken apart without Python, as Python takes them apart."""

import numpy as np
import pytest
import scipy.sparse

from pellucid import compile

from .test_dispatch import agree, learned, native_only

FORMS = {"csr": ("csr_array", "csr_matrix"), "csc": ("csc_array", "csc_matrix"), "coo": ("coo_array", "coo_matrix")}
CLASSES = [(form, name) for form, names in FORMS.items() for name in names]
RNG = np.random.default_rng(5)


@compile
def product(a, x):
    return a @ x


@compile
def shape_and_data(a, k):
    return a.shape, a.data * k, a.nnz


def example(name, shape, dtype=float):
    dense = np.round(RNG.normal(size=shape), 1).astype(dtype)
    return getattr(scipy.sparse, name)(dense * (RNG.random(shape) < 0.5))


@native_only
@pytest.mark.parametrize("form, name", CLASSES)
def test_they_enter_no_python_function(form, name):
    for shape in ((5, 7), (7, 5), (6, 6), (3, 2)):
        for dtype in (float, np.float32, complex):
            a = example(name, shape, dtype)
            x = RNG.normal(size=shape[1]).astype(dtype)
            assert agree(product, a, x) == []
            np.testing.assert_allclose(np.asarray(product(a, x)), a @ x, rtol=1e-5)
            assert agree(shape_and_data, a, 2.0) == []
            assert shape_and_data(a, 2.0)[0] == shape


@native_only
def test_what_has_changed_in_one_is_seen():
    a, x = example("csr_array", (4, 4)), np.arange(4.0)
    learned(product, a, x)
    a.data = a.data.astype(np.float32)
    np.testing.assert_allclose(product(a, x), a @ x, rtol=1e-6)
    a.resize(4, 6)
    np.testing.assert_allclose(product(a, np.arange(6.0)), a @ np.arange(6.0), rtol=1e-6)
    a.data = a.data.tolist()
    with pytest.raises(TypeError, match="`data` of a csr_array is a list"):
        product(a, np.arange(6.0))
    with pytest.raises(TypeError, match="has not two axes"):
        product(scipy.sparse.coo_array(np.ones(3)), np.arange(3.0))


@native_only
def test_lists_of_them():
    @compile
    def total(many, x):
        found = 0.0
        for a in many:
            found += np.sum(a @ x)
        return found

    many = [example("csr_array", (3, 3)) for _ in range(12)]
    x = np.arange(3.0)
    for count in (2, 12):
        agree(total, many[:count], x)
    agree(total, [example("csc_array", (3, 3)), *many[:2]], x)


def test_an_error_that_only_python_can_write_is_its_own():
    @compile
    def rows(x):
        if x[0] > 2.0:
            raise ValueError(f"bad rows {x}")
        return x * 2.0

    x = np.array([1.0, 4.0])
    agree(rows, x)
    for _ in range(3):
        with pytest.raises(ValueError, match=r"bad rows \[3\. 4\.\]"):
            rows(np.array([3.0, 4.0]))
    np.testing.assert_array_equal(rows(x), 2.0 * x)
    with pytest.raises(ValueError, match=r"dimension mismatch with signature \(n,k=7\),\(k=4"):
        product(example("csr_array", (5, 7)), np.ones(4))
