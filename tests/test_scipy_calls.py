"""SciPy's functions written in the language: the calls of `tests/scipy_calls/` have SciPy's values and true slopes."""

import importlib
import linecache
import pathlib
import re

import numpy as np
import pytest
import scipy.stats

import pellucid
from pellucid.compiler.ops.python_names import BINDINGS
from pellucid.compiler.ops.scipy_names import SCIPY_FUNCTIONS

pytestmark = [pytest.mark.drawn(8), pytest.mark.rotated(3), pytest.mark.filterwarnings("ignore::RuntimeWarning")]

FOLDER = pathlib.Path(__file__).parent / "scipy_calls"
TABLES = {
    p.stem: importlib.import_module(f"tests.scipy_calls.{p.stem}") for p in sorted(FOLDER.glob("[a-z]*.py"))
}


def lines(name):
    return [(stem, text) for stem, table in TABLES.items() for text in getattr(table, name).strip().splitlines()]


CALLS, SMOOTH = lines("CALLS"), lines("SMOOTH")


def function_of(table, text, of_all=False):
    """`def f(A, b): return text`, where the names are those of arrays in the table; `of_all`: a weighted sum of it."""
    names = [name for name in table.ARRAYS if re.search(rf"\b{name}\b", text)]
    result = "np.sum(y * (1.0 + 0.3 * np.arange(y.size)))" if of_all else "y"
    value = f"np.ravel({text})" if of_all else text
    source = f"import numpy as np\n{table.HEAD}\n\n\ndef f({', '.join(names)}):\n    y = {value}\n    return {result}\n"
    file = f"<{table.__name__}: {text}>"
    linecache.cache[file] = (len(source), None, source.splitlines(True), file)
    namespace: dict = {"__name__": "called"}
    exec(compile(source, file, "exec"), namespace)
    return namespace["f"], [table.ARRAYS[name] for name in names]


def assert_alike(found, wanted, rtol):
    if isinstance(wanted, tuple | list):
        assert len(found) == len(wanted)
        for one, other in zip(found, wanted):
            assert_alike(one, other, rtol)
        return
    if isinstance(wanted, str):
        assert found == wanted
        return
    one, other = np.asarray(found), np.asarray(wanted)
    assert one.shape == other.shape
    assert one.dtype == other.dtype
    single = other.dtype in (np.float32, np.complex64)
    finite = np.abs(other[np.isfinite(other)]) if other.dtype.kind in "fc" else np.abs(other)
    rtol = max(rtol, 3e-5) if single else rtol
    np.testing.assert_allclose(one, other, rtol=rtol, atol=rtol * float(np.max(finite, initial=0.0)) * 0.01)


@pytest.mark.parametrize(("stem", "text"), CALLS, ids=[f"{stem}-{text}" for stem, text in CALLS])
def test_values_are_scipys(stem, text):
    function, given = function_of(TABLES[stem], text)
    assert_alike(pellucid.compile(function)(*given), function(*given), getattr(TABLES[stem], "RTOL", 1e-12))


@pytest.mark.parametrize(("stem", "text"), SMOOTH, ids=[f"{stem}-{text}" for stem, text in SMOOTH])
def test_derivatives_are_slopes(stem, text):
    """Along one direction in all floats, by five points, reverse and forward."""
    function, given = function_of(TABLES[stem], text, of_all=True)
    places = tuple(k for k, a in enumerate(given) if np.asarray(a).dtype.kind == "f")
    draw = np.random.default_rng(5)
    directions = [draw.normal(size=np.shape(a))[()] if k in places else None for k, a in enumerate(given)]

    def along(h):
        return function(*(a if d is None else a + h * d for a, d in zip(given, directions)))

    h = 1e-4
    wanted = (8.0 * (along(h) - along(-h)) - along(2.0 * h) + along(-2.0 * h)) / (12.0 * h)
    bars = pellucid.grad(function, places)(*given)
    found = sum(float(np.sum(bar * directions[k])) for k, bar in zip(places, bars))
    tolerance = getattr(TABLES[stem], "SLOPE_RTOL", 1e-7)
    np.testing.assert_allclose(found, wanted, rtol=tolerance, atol=1e-9)
    tangents = tuple(np.zeros(np.shape(a))[()] if d is None else d for a, d in zip(given, directions))
    held = [a for k, a in enumerate(given) if k not in places]
    if not held:
        np.testing.assert_allclose(pellucid.jvp(function, tuple(given), tangents)[1], wanted, rtol=tolerance, atol=1e-9)


@pytest.mark.parametrize("module", sorted(SCIPY_FUNCTIONS))
def test_every_function_is_called(module):
    called = " ".join(text for _, text in CALLS)
    left = {
        name.rpartition(".")[2]
        for name, binding in BINDINGS.items()
        if name.rpartition(".")[0] == module and (binding.function or binding.operator)
    }
    assert not {name for name in left if not re.search(rf"\b{name}\b", called)}


def fitted(x):
    return scipy.stats.gamma.fit_loc_scale(x)


def test_a_method_that_the_library_lacks_is_told_as_not_supported():
    with pytest.raises(pellucid.UnsupportedError, match=r"U012.*`\.fit_loc_scale` is not supported here"):
        pellucid.compile(fitted)(np.ones(3))
