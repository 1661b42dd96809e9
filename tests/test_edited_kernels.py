"""A kernels stage that a user has edited: on a GPU (one that is not there), in lockstep, and where it is wrong."""

import pickle

import numpy as np
import pytest

import pellucid
from pellucid.cli import main

from .test_gpu_calls import library, pytestmark, runs  # noqa: F401


def poly(x, k):
    return k * x * x + 1.0


def taken(x, places):
    out = np.empty(places.shape[0])
    for i in range(places.shape[0]):
        out[i] = x[places[i]]
    return out


def falling(x):
    y = np.empty(x.shape[0])
    y[0] = x[0]
    for i in range(1, x.shape[0]):
        y[i] = np.tanh(0.5 * y[i - 1]) + x[i]
    return y, x * 2.0


def edited(folder, function, types, *edits):
    """The kernels of a function as they are read back, with parts of their text exchanged."""
    text = pellucid.compile(function).source("kernels", *types)
    for before, after in edits:
        assert before in text, text
        text = text.replace(before, after)
    path = folder / f"{function.__name__}_kernels.py"
    path.write_text(text)
    return pellucid.from_source(path, stage="kernels")


@pytest.fixture(autouse=True)
def no_gpu(monkeypatch):
    from pellucid import edited_kernels

    monkeypatch.setattr(edited_kernels.cuda, "count", lambda: 0)


def test_in_lockstep_where_there_is_no_gpu(tmp_path):
    x = np.linspace(0.0, 1.0, 7)
    np.testing.assert_array_equal(edited(tmp_path, poly, ("f64[n]", "float"))(x, 2.0), 2.0 * x * x + 1.0)
    less = edited(tmp_path, poly, ("f64[n]", "float"), ("+ 1.0", "- 1.0"))
    for again in (less, pickle.loads(pickle.dumps(less))):
        found = again(pellucid.Array(x), k=2.0)
        assert type(found) is pellucid.Array
        np.testing.assert_array_equal(found, 2.0 * x * x - 1.0)
    np.testing.assert_array_equal(less.debug()(x, 2.0), less(x, 2.0))
    both = edited(tmp_path, falling, ("f64[n]",), ("np.tanh", "np.sin"), ("* 2.0", "* 3.0"))  # the host's part, too
    first, second = both(x)
    want = np.empty(7)
    want[0] = x[0]
    for i in range(1, 7):
        want[i] = np.sin(0.5 * want[i - 1]) + x[i]
    np.testing.assert_allclose(first, want, rtol=1e-14)
    np.testing.assert_array_equal(second, 3.0 * x)


def test_on_a_gpu(runs, tmp_path):  # noqa: F811
    for function, types in ((poly, ("f64[n]", "float")), (taken, ("f64[n]", "i64[m]")), (falling, ("f64[n]",))):
        edited(tmp_path, function, types, *([("+ 1.0", "- 1.0")] if function is poly else []))
    runs(f"""
from pathlib import Path
read = lambda name: pellucid.from_source(Path({str(tmp_path)!r}) / f"{{name}}_kernels.py", stage="kernels")
less, x = read("poly"), random.normal(size=700)
for k in (2.0, 3.0):
    same(less(there(x), k), k * x * x - 1.0)
    same(less(x, k), k * x * x - 1.0)
same(less(less(x, 1.0), 1.0), (x * x - 1.0) ** 2 - 1.0)
assert less(device_put(x, "cpu"), 2.0).device == "cpu"  # in lockstep, as it was put there
with pytest.raises(TypeError, match="takes f64.n. for `x`, not an array of float32"):
    less(there(x.astype(np.float32)), 2.0)
with pytest.raises(ValueError, match="whose elements lie side by side"):
    less(pellucid.Array._over(there(np.ones((2, 3)))._there[:, 0], there(x)._device), 2.0)
taken = read("taken")
same(taken(there(x), there(np.array([0, -1]))), x[[0, -1]])
wrong = taken(there(x), there(np.array([0, 700])))
with pytest.raises(Exception, match="a kernel found an error that Python would raise"):
    np.asarray(wrong)
first, second = read("falling")(there(x))
same(first, np.asarray(compile(lambda x: x)(read("falling").debug()(x)[0])))
same(second, x * 2.0)
""")


WRONG = [
    ("* x[i]", "* x[i + 1]", "kernel poly_1 (poly_kernels.py:22), thread 6 of block 0: index 7 is out of bounds"),
    ("* x[i]", "* y[i]", "name 'y' is not defined"),
    ("x[i] ", "x[i]) ", "poly_kernels.py:22:33\n"),
    ("# x: f64[n]   k: float", "# k: float", "the type of `x` is not said"),
    ("def poly(x, k):", "@cuda.jit\ndef poly(x, k):", "the text holds no driver"),
    ("x: f64[n]   result", "x: [f64]   result", "a kernel takes no list, and `x` is one"),
]


@pytest.mark.parametrize("before, after, said", WRONG)
def test_a_mistake_names_the_line_of_the_file(tmp_path, before, after, said):
    with pytest.raises(Exception) as caught:
        edited(tmp_path, poly, ("f64[n]", "float"), (before, after))(np.ones(7), 2.0)
    assert said in f"{caught.value}", caught.value
    if isinstance(caught.value, NameError):
        lines = [entry for entry in caught.traceback if entry.path.name == "poly_kernels.py"]
        assert lines[-1].lineno + 1 == 22


def test_what_else_such_a_function_is(tmp_path):
    function = edited(tmp_path, poly, ("f64[n]", "float"))
    assert isinstance(function, pellucid.Function) and str(function).endswith("poly_kernels.py>")
    assert function.source("kernels") == (tmp_path / "poly_kernels.py").read_text()
    for stage in ("llvm", "loops"):
        with pytest.raises(ValueError, match=f"a kernels stage has no stage '{stage}' below it"):
            function.source(stage)
    with pytest.raises(TypeError, match="was read from the kernels stage, which has no derivative"):
        pellucid.grad(function)
    with pytest.raises(TypeError, match="missing a required argument: 'k'"):
        function(np.ones(2))


def test_an_edited_typed_stage_has_kernels(tmp_path):
    path = tmp_path / "poly_typed.py"
    path.write_text(pellucid.compile(poly).source("typed", "f64[n]", "float").replace("1.0", "2.5"))
    text = pellucid.from_source(path).source("kernels")
    assert "+ 2.5" in text and ", kernels stage\n" in text
    (tmp_path / "again.py").write_text(text)
    again = pellucid.from_source(tmp_path / "again.py", "kernels")
    np.testing.assert_array_equal(again(np.ones(3), 2.0), np.full(3, 4.5))


def test_the_command_line_runs_it(tmp_path, capsys):
    edited(tmp_path, poly, ("f64[n]", "float"), ("+ 1.0", "- 1.0"))
    path = str(tmp_path / "poly_kernels.py")
    assert main(["run", path, "--values", "np.ones(3), 2.0"]) == 0
    assert capsys.readouterr().out == "Array([1., 1., 1.])\n"
    assert main(["run", path, "--stage", "kernels"]) == 0
    assert capsys.readouterr().out.startswith("x = array(")
