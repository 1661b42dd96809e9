"""Pickles of compiled functions: by name, derivatives of named ones, and by value from `__main__` and elsewhere."""

import copy
import os
import pickle
import subprocess
import sys
import textwrap
from typing import NamedTuple

import numpy as np
import pytest

from pellucid import compile, grad, value_and_grad


@compile
def loss(w, x):
    return np.sum((x * w) ** 2)


def plain(w, x):
    return np.sum(np.sin(x) * w)


class Model(NamedTuple):
    rate: float

    @compile
    def loss(self, w):
        return np.sum(w * w) * self.rate


slope = grad(loss)
X = np.arange(1.0, 4.0)
NAMED = {
    "a compiled function": loss,
    "a gradient of a global": slope,
    "a gradient": grad(loss),
    "of another argument": grad(loss, argnums=(0, 1)),
    "a value and a gradient": value_and_grad(loss),
    "of a plain function": grad(plain),
    "a plain function compiled": compile(plain),
    "with options": compile(plain, static=("w",), parallel=False),
    "a lambda": compile(lambda w, x: np.sum(w * x)),
    "a gradient of a lambda": grad(lambda w, x: np.sum(w * w * x)),
}


@pytest.mark.parametrize("case", NAMED)
def test_a_function_comes_back(case):
    function = NAMED[case]
    again = pickle.loads(pickle.dumps(function))
    given = (2.0, 3.0) if case == "with options" else (X, 2.0 * X)
    for got, wanted in zip(again(*given), function(*given)) if "value" in case else [(again(*given), function(*given))]:
        np.testing.assert_array_equal(got, wanted)
    assert again.__name__ == function.__name__ and repr(again) == repr(function)
    assert again.__pellucid__.transforms == function.__pellucid__.transforms
    assert again.__pellucid__.static == function.__pellucid__.static
    assert copy.copy(function) is function and copy.deepcopy(function) is function


def test_a_function_goes_by_its_name_where_that_leads_to_it():
    assert pickle.loads(pickle.dumps(loss)) is loss
    assert len(pickle.dumps(grad(loss))) < 500


@pytest.mark.parametrize("make", [lambda m: m.loss, lambda m: grad(m.loss)], ids=["method", "its gradient"])
def test_a_bound_method_comes_back(make):
    function = make(Model(2.0))
    again = pickle.loads(pickle.dumps(function))
    np.testing.assert_array_equal(again(X), function(X))


def test_closures_and_functions_that_refer_to_each_other_come_back():
    rate = 3.0

    def even(n):
        return 1.0 if n == 0 else odd(n - 1) * rate

    def odd(n):
        return 0.0 if n == 0 else even(n - 1)

    function = compile(lambda n: even(n) + 0.0)
    assert pickle.loads(pickle.dumps(function))(4) == function(4) == 9.0


# --- other processes -----------------------------------------------------------------------------------------------

PROGRAM = """
import math
import pickle
import sys
from typing import NamedTuple
import numpy as np
from pellucid import compile, grad

SCALE = 3.0

class Pair(NamedTuple):
    a: float
    b: float

def helper(x):
    return x * SCALE + math.sin(0.0)

@compile
def depth(n, x):
    return x if n == 0 else depth(n - 1, helper(x))

@compile
def loss(w, x):
    return np.sum(helper(w) * x) ** 2

def plain(p):
    return p.a * p.b

slope = grad(loss)
W, X = np.array([1.0, 2.0]), np.array([0.5, 0.25])
"""
IN_A_POOL = """
def work(function):
    return np.asarray(function(W, X)).tolist()

if __name__ == "__main__":
    import multiprocessing
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        got = pool.map(work, [loss, slope, grad(loss, argnums=1), grad(lambda w, x: np.sum(w * w * x))])
        got += [pool.apply(loss, (W, X)), pool.apply(depth, (2, 1.0)), pool.apply(grad(plain), (Pair(2.0, 3.0),))]
    print(got)
"""
EXPECTED = "[9.0, [9.0, 4.5], [18.0, 36.0], [1.0, 1.0], np.float64(9.0), 9.0, Pair(a=3.0, b=2.0)]"


def script(path, text, *options, **more):
    path.write_text(text, encoding="utf-8")
    return run([sys.executable, *options, str(path)], **more)


def run(command, **more):
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    ran = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=120, **more)
    assert ran.returncode == 0, ran.stderr
    return ran.stdout.strip()


def test_functions_of_main_go_to_processes_that_are_spawned(tmp_path):
    assert script(tmp_path / "program.py", PROGRAM + IN_A_POOL) == EXPECTED


def test_functions_of_main_go_to_a_main_that_is_another(tmp_path):
    """As joblib and Dask do: the worker has a `__main__` of its own, and not the file."""
    sending = f"""
with open({str(tmp_path / "functions")!r}, "wb") as stream:
    pickle.dump([loss, slope, depth, grad(lambda w, x: np.sum(w * w * x))], stream)
"""
    script(tmp_path / "sender.py", PROGRAM + sending)
    (tmp_path / "sender.py").unlink()
    receiving = f"""
    import pickle
    import numpy as np
    W, X = np.array([1.0, 2.0]), np.array([0.5, 0.25])
    loss, slope, depth, other = pickle.load(open({str(tmp_path / "functions")!r}, "rb"))
    print([float(loss(W, X)), slope(W, X).tolist(), depth(2, 1.0), other(W, X).tolist()])
    try:
        loss(np.ones((2, 2)), np.ones(3))
    except ValueError as error:
        import traceback
        print(traceback.extract_tb(error.__traceback__)[-1].line)
    """
    printed = script(tmp_path / "receiver.py", textwrap.dedent(receiving))
    assert printed.splitlines() == ["[9.0, [9.0, 4.5], 9.0, [1.0, 1.0]]", "return np.sum(helper(w) * x) ** 2"]


def test_cloudpickle_takes_them(tmp_path):
    pytest.importorskip("cloudpickle")
    sending = f"""
import cloudpickle
with open({str(tmp_path / "functions")!r}, "wb") as stream:
    cloudpickle.dump([loss, grad(plain), Pair(2.0, 3.0)], stream)
"""
    script(tmp_path / "sender.py", PROGRAM + sending)
    receiving = f"""
    import pickle
    loss, slope, pair = pickle.load(open({str(tmp_path / "functions")!r}, "rb"))
    print(loss([1.0, 2.0][0], 2.0), slope(pair))
    """
    assert script(tmp_path / "receiver.py", textwrap.dedent(receiving)) == "36.0 Pair(a=3.0, b=2.0)"
