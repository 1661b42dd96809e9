"""Accesses of the typed stage that are said to stay in bounds do so in CPython, whatever the lengths are."""

import itertools

import numpy as np
import pytest

from pellucid.compiler.analysis.failure import never_fails
from pellucid.compiler.targets.python.printer import print_function
from pellucid.compiler.transform.prune import prune

from .harness.typed_text import read_function

pytestmark = pytest.mark.drawn(5)

ARRAYS = {
    "x": "a = x[0:]", "zeros(k)": "a = zeros((k,))", "zeros(n)": "a = zeros((n,))", "longer": "a = zeros((m,))",
    "sum": "a = x + x", "slice": "a = x[1:k]", "end": "a = x[:-1]", "steps": "a = x[::2]", "column": "a = w[:, 0]",
    "arange": "a = arange(0, k, 1, shape=(k,))", "mask": "t = x > 0.0\n    a = x[t]",
    "transposed": "t = transpose(w, (1, 0))\n    a = t[1]", "shape of w": "a = zeros((r,))",
}  # fmt: skip
LOOPS = {
    "no loop": "i = k", "to k": "for i in range(0, k, 1):", "to n": "for i in range(0, n, 1):",
    "from 1": "for i in range(1, n, 1):", "back": "for i in range(last, -1, -1):", "by 2": "for i in range(0, k, 2):",
    "to r": "for i in range(0, r, 1):",
}  # fmt: skip
INDICES = ("i", "j", "h", "0", "-1", "-2", "i, None", "None, h")
STORES = ("y = a[{}]", "a[{}] = 1.0")


def program(array, loop, index, access):
    inside = "    " if loop.startswith("for") else ""
    value = "y" if access.startswith("y") else "i"
    if "None" in index and value == "i":
        return None
    return f'''
def f(x: "f64[n_]", w: "f64[n_, 3]", k: "int"):
    n = x.shape[0]
    r = w.shape[0]
    m = n + 1
    last = n - 1
    {array}
    {loop}
    {inside}j = i + 1
    {inside}h = i - 1
    {inside}{access.format(index)}
    return k
'''


def access_of(function):
    """The last statement before the return, or of the loop before it."""
    last = function.body[-2]
    return getattr(last, "body", [last])[-1]


def raises(function):
    """Whether any call raises an IndexError; others say nothing of bounds."""
    namespace = {}
    exec(print_function(function, folded=False, annotated=False).replace("prange", "range"), {"np": np}, namespace)
    for n, k in itertools.product(range(4), range(-2, 6)):
        try:
            namespace["f"](np.ones(n), np.ones((n, 3)), k)
        except IndexError:
            return True
        except ValueError:
            pass  # a negative length
    return False


@pytest.mark.parametrize("array", ARRAYS)
def test_what_is_proved_holds(array):
    proved = 0
    for loop, index, access in itertools.product(LOOPS, INDICES, STORES):
        text = program(ARRAYS[array], LOOPS[loop], index, access)
        if text is None or (array == "arange" and access.startswith("a")):
            continue
        function = read_function(text)
        if never_fails(function, access_of(function)):
            proved += 1
            assert not raises(function), text
    assert proved >= {"mask": 0, "slice": 0, "end": 0, "arange": 0, "steps": 0}.get(array, 4)


@pytest.mark.parametrize(
    "array, loop, index, stays",
    [("zeros(k)", "to k", "i", False), ("zeros(n)", "to n", "i", False), ("shape of w", "to n", "i", False),
     ("longer", "to n", "j", False), ("zeros(n)", "from 1", "h", False), ("zeros(n)", "back", "i", False),
     ("zeros(n)", "to n", "j", True), ("zeros(k)", "to n", "i", True), ("zeros(n)", "no loop", "0", True)],
)  # fmt: skip
def test_stores_that_nobody_reads_go_where_they_cannot_fail(array, loop, index, stays):
    function = prune(read_function(program(ARRAYS[array], LOOPS[loop], index, "a[{}] = 1.0")))
    text = print_function(function, folded=False, annotated=False)
    assert (f"a[{index}] = 1.0" in text) == stays
