"""The first result of a function says of which dtype all are: known, or refused where the paths differ in it."""

import numpy as np
import pytest

import pellucid
from tests.harness.answers import agree, function_of

INTS, FLOATS = np.array([3, 1, 2]), np.array([3.0, -1.0, 2.0])


def factorial(n):
    return 1 if n <= 1 else n * factorial(n - 1)


def uneven(n):
    if n <= 1:
        return 0.5
    return 7 if n == 2 else uneven(n - 1)


def of_lines(body, call="np.vectorize(h)(x)"):
    lines = "".join(f"\n    {line}" for line in body.split("; "))
    return function_of(f"def h(v):{lines}\n{call}", "x")


ALIKE = [
    ("return v * 2", INTS),
    ("return v if v > 2 else 0.5", FLOATS),
    ("return max(v, 0)", INTS),
    ("return max(v, 0) * 1.5", FLOATS),
    ("return (1 if v > 2 else 0.5) / 2", INTS),
    ("return np.where(v > 2, 1, 0.5)", INTS),
    ("return float(v if v > 2 else 0.5)", INTS),
    ("s = 0; for k in range(4): s = s + v * 0.5; return s", FLOATS),
    ("for k in range(3): s = k if v > k else 9; return s", INTS),
    ("xs = [v]; xs.append(1); return xs[0]", INTS),
]
DIFFERENT = [
    ("return v if v > 2 else 0.5", INTS),
    ("return max(v, 0)", FLOATS),
    ("return max(v, 0) * 2 + 1", FLOATS),
    ("return v > 1 and 2.0", INTS),
    ("return True if v > 2 else v", INTS),
    ("s = 0; for k in range(int(v)): s = s + 0.5; return s", INTS),
    ("return np.array([v if v > 2 else 0.5]).sum()", INTS),
    ("return sum([v if v > 2 else 0.5, 1])", INTS),
    ("d = {'a': 1}; d['a'] = d['a'] if v > 1 else 0.5; return d['a']", INTS),
]


@pytest.mark.parametrize("body, array", ALIKE)
def test_one_dtype_on_all_paths_is_that_of_numpy(body, array):
    function = of_lines(body)
    found, wanted = pellucid.compile(function)(array), function(array)
    assert found.dtype == wanted.dtype
    assert agree(found, wanted)


@pytest.mark.parametrize("body, array", DIFFERENT)
@pytest.mark.parametrize("call", ["np.vectorize(h)(x)", "np.apply_along_axis(lambda row: h(row[0]), 1, x[:, None])"])
def test_dtypes_that_depend_on_the_path_are_refused(body, array, call):
    with pytest.raises(pellucid.CompileError) as caught:
        pellucid.compile(of_lines(body, call))(array)
    (fault,) = caught.value.diagnostics
    assert fault.code == "T002"
    assert "on one path" in fault.message or "the dtype of this is float64 or int64" in fault.message


@pytest.mark.parametrize("body, array", DIFFERENT[:4])
def test_the_way_out_is_numpys(body, array):
    function = of_lines(body, "np.vectorize(h, otypes=[float])(x)")
    assert agree(pellucid.compile(function)(array), function(array))


def test_a_variable_from_outside_has_the_dtypes_of_its_paths():
    def scaled(x):
        k = 1 if x[0] > 2 else 0.5
        return np.vectorize(lambda v: v * k)(x)

    with pytest.raises(pellucid.CompileError):
        pellucid.compile(scaled)(INTS)
    assert agree(pellucid.compile(scaled)(FLOATS), scaled(FLOATS))


def test_what_the_end_of_a_turn_gives_is_seen_at_its_head():
    def mapped(x):
        def h(v):
            s, y = 0.5, 1.5
            for k in range(3):
                y = s * 2
                if v > k:
                    s = 1
            return y

        return np.vectorize(h)(x)

    with pytest.raises(pellucid.CompileError):
        pellucid.compile(mapped)(INTS)


def test_recursive_functions():
    def alike(x):
        return np.vectorize(factorial)(x)

    def different(x):
        return np.vectorize(uneven)(x)

    assert agree(pellucid.compile(alike)(INTS), alike(INTS))
    with pytest.raises(pellucid.CompileError):
        pellucid.compile(different)(INTS)
