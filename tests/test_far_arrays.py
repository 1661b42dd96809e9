"""Arrays on a GPU outside of compiled functions: what is a view there, what kernels compute, and what is copied."""

import pytest

from .test_gpu_calls import library, pytestmark, runs  # noqa: F401

COUNTED = """
def copies():
    return gpu.calls("cuMemcpyDtoHAsync_v2"), gpu.calls("cuMemcpyHtoDAsync_v2")

def agrees(got, want, tolerance=0.0):
    # a number is one of NumPy's, or an Array of no dimensions for which nobody has waited
    assert type(got) is type(want) if not isinstance(got, Array) else got.device == "cuda", (got, want)
    assert isinstance(got, Array) or want.ndim == 0
    assert got.dtype == want.dtype and got.shape == want.shape
    np.testing.assert_allclose(np.asarray(got), want, rtol=tolerance, atol=tolerance)

@compile
def scaled(x):
    return x * 2.0

values = random.normal(size=(6, 1, 8))
"""


def test_views_are_made_there(runs):  # noqa: F811
    runs(COUNTED + """
VIEWS = [
    lambda x: x.T, lambda x: x.mT, lambda x: x[1:-1], lambda x: x[::-2], lambda x: x[3], lambda x: x[2, 0],
    lambda x: x[..., 0], lambda x: x[None, :, 0], lambda x: x[np.int64(1), 0, 2:5], lambda x: x[-1, ..., None],
    lambda x: x.reshape(8, 6), lambda x: x.reshape((2, -1)), lambda x: x.reshape([48]), lambda x: x.ravel(),
    lambda x: x.transpose(), lambda x: x.transpose(2, 0, 1), lambda x: x.transpose((0, 2, 1)),
    lambda x: x.swapaxes(0, -1), lambda x: x.squeeze(), lambda x: x.squeeze(1), lambda x: x[:, 0].T[1:],
    lambda x: x[6:], lambda x: x[()],
]
for is_here in (False, True):
    x = there(values)
    if is_here:
        np.asarray(x)
    for view in VIEWS:
        gpu.finish()
        before = copies()
        found = view(x)
        assert found._there is not None and found.shape == view(values).shape and copies() == before
        y = scaled(found)
        assert copies() == before
        agrees(y, view(values) * 2.0)
        if is_here:  # the host has the view as well
            before = copies()
            agrees(found, view(values))
            assert copies() == before
        agrees(found, view(values))
assert len(x) == 6 and len(there(np.ones((2, 3)))) == 2
""")


def test_elements_of_large_arrays_come_alone(runs):  # noqa: F811
    runs(COUNTED + """
large = random.normal(size=(300, 300))
x, small = there(large), there(values)
got = x[7, -1]
assert type(got) is np.float64 and got == large[7, -1] and not x._is_here
assert small[2, 0, 1] == values[2, 0, 1] and small._is_here  # and the next ones are no copies
before = copies()
assert small[3, 0, 1] == values[3, 0, 1] and copies() == before
np.asarray(x)
before = copies()
assert x[3, 4] == large[3, 4] and copies() == before
""")


def test_copies_are_made_there(runs):  # noqa: F811
    runs(COUNTED + """
import copy
x = there(values)
before = copies()
made = [(x.copy(), values), (x.flatten(), values.ravel()), (x.T.copy(), values.T),
        (x[::2].flatten(), values[::2].ravel()), (copy.deepcopy(x), values), (device_put(x, "cuda"), values),
        (x.to_device("cuda:0"), values)]
assert copies() == before
for got, want in made:
    agrees(got, want)
assert made[0][0]._there.ptr != x._there.ptr and made[2][0]._there.is_contiguous == made[0][0]._there.is_contiguous
""")


METHODS = [
    "x.sum()", "x.sum(axis=0)", "x.sum(1, keepdims=True)", "x.mean()", "x.mean(axis=1)", "x.max()", "x.min(axis=0)",
    "x.prod(axis=1)", "x.std()", "x.var(axis=0)", "x.argmax()", "x.argmin(axis=1)", "(x > 0.0).any()",
    "(x > -9.0).all(axis=1)", "x.cumsum(axis=1)", "x.clip(-0.5, 0.5)", "x.trace()", "x.dot(x.T)", "x.round(2)",
    "x.T.sum(axis=0)", "x.sum(axis=(0, 1))",
]  # fmt: skip


def test_methods_run_there(runs):  # noqa: F811
    runs(COUNTED + f"""
values = random.normal(size=(5, 7))
x = there(values)
for text in {METHODS!r}:
    got = eval(text)
    assert not x._is_here, text
    agrees(got, eval(text, {{"x": values}}), 1e-12)
assert not (x > 9.0).any() and f"{{x.argmax():d}}" == str(values.argmax())
small = there(values.astype(np.float32))
agrees(small.sum(axis=0), values.astype(np.float32).sum(axis=0), 1e-6)
ints = there(np.arange(6, dtype=np.int32))
agrees(ints.sum(), np.arange(6, dtype=np.int32).sum())
agrees(ints.max(), np.arange(6, dtype=np.int32).max())
""")


def test_what_is_no_view_and_no_method_there(runs):  # noqa: F811
    """NumPy's results and errors, by a copy."""
    runs(COUNTED + """
values = random.normal(size=(5, 7))
x = there(values)
places = np.array([0, -1, 3])
agrees(x[places], values[places])
agrees(x[x > 0.5], values[values > 0.5])
agrees(x[there(places)], values[places])
agrees(x.T.reshape(35), values.T.reshape(35))
agrees(x.T.ravel(), values.T.ravel())
agrees(x.ravel("F"), values.ravel("F"))
agrees(x.reshape(35, order="F"), values.reshape(35, order="F"))
agrees(x.sum(where=values > 0.0), values.sum(where=values > 0.0), 1e-12)
np.testing.assert_allclose(there(values + 1j).sum(), (values + 1j).sum(), rtol=1e-12)
agrees(there(values + 1j)[2].T, (values + 1j)[2])
agrees(x.at[2, 1:3].set(0.5)[2], np.r_[values[2, :1], 0.5, 0.5, values[2, 3:]])
y = there(np.float64(2.0))
assert float(y) == 2.0 and y[()] == 2.0 and y[...].shape == ()
for text in ("x[5]", "x[0, 0, 0]", "x[9, 9]", "x['a']", "x[1.0]", "x.reshape(4, 9)", "x.transpose(0, 0)",
             "x.squeeze(0)", "x.swapaxes(0, 5)", "x.sum(axis=2)", "x.max(axis=5)", "len(y)", "y[0]", "y.mT",
             "x.sum(foo=1)"):
    with pytest.raises(Exception) as caught:
        eval(text)
    with pytest.raises(Exception) as wanted:
        eval(text, {"x": values, "y": np.array(2.0)})
    assert isinstance(caught.value, wanted.type), (text, caught.value)
with pytest.raises(ValueError, match="zero-size array"):
    there(np.empty(0)).max()
large = there(np.zeros((300, 300)))
with pytest.raises(IndexError, match="index 300 is out of bounds for axis 0 with size 300"):
    large[300, 0]
""")


def test_errors_travel_with_views(runs):  # noqa: F811
    runs("""
@compile
def taken(x, places):
    out = np.empty(places.shape[0])
    for i in range(places.shape[0]):
        out[i] = x[places[i]]
    return out

wrong = taken(there(np.ones(4)), there(np.array([0, 4, 1, 2])))
for view in (wrong[1:], wrong.reshape(2, 2), wrong.copy(), wrong.T, wrong[::2].copy()):
    with pytest.raises(IndexError, match="index 4 is out of bounds for axis 0 with size 4"):
        np.asarray(view)
with pytest.raises(IndexError, match="index 4 is out of bounds"):
    float(wrong.sum())
""")


@pytest.mark.parametrize("text", ["x + y", "x - 1.0", "2.0 * x", "-x", "abs(x)", "x @ y.T", "x / y", "x < y", "x ** 2"])
def test_operators_run_there(runs, text):  # noqa: F811
    runs(f"""
a, b = random.normal(size=(2, 5, 7))
x, y = there(a), there(b)
same({text}, eval({text!r}, {{"x": a, "y": b}}))
assert not x._is_here and not y._is_here
""")


def test_operators_and_methods_without_an_assembler(runs):  # noqa: F811
    runs("""
from pellucid.compiler.targets.cuda import assemble as assembling
from pellucid.compiler.targets.cuda.toolkit import MissingTool

def missing(*arguments, **named):
    raise MissingTool("numba-cuda")

assembling.assemble = missing
values = random.normal(size=(4, 5))
x = there(values)
same(x.sum(axis=0), values.sum(axis=0))
same(x.T.copy(), values.T)
same(x[1:].reshape(15), values[1:].reshape(15))
""")
