"""NumPy's functions that are written in the language: in CPython as they stand, at the typed stage, compiled.

Every call runs in CPython; one of each function is held against NumPy's at the typed stage and a share is compiled, the
same ones every time, and with PELLUCID_ANSWERS=all each of them.
"""

import functools
import os
import re
import types
import zlib

import numpy as np
import pytest

import pellucid
from pellucid.compiler.ops.python_names import BINDINGS, METHODS, object_of
from pellucid.compiler.vocabulary import CHANGING_FUNCTIONS, CHANGING_METHODS
from tests.harness.answers import agree, function_of, outcome
from tests.harness.every import every
from tests.harness.library_calls import ARRAYS, CALLS, REFUSED, letters
from tests.harness.read_back import assert_reads_back
from tests.harness.stages import Stages

pytestmark = pytest.mark.drawn(5)

TEXTS = [text for texts in CALLS.values() for text in texts]
EVERYTHING = os.environ.get("PELLUCID_ANSWERS") == "all"


def drawn(text):
    return zlib.crc32(text.encode())


def one_of_each():
    """For each function of a family the call that chance has drawn."""
    by_function = {}
    for family, texts in CALLS.items():
        for text in sorted(texts, key=drawn):
            by_function.setdefault((family, text.partition("(")[0]), text)
    return list(by_function.values())


AT_TYPED = TEXTS if EVERYTHING else one_of_each()
COMPILED = TEXTS if EVERYTHING else [text for text in TEXTS if drawn(text) % 20 == 0]


class Library:
    """NumPy's names bound to the functions of the library; `path` is that of a module in it: `linalg.`"""

    def __init__(self, path=""):
        self.path = path

    def __getattr__(self, name):
        binding = BINDINGS.get(f"numpy.{self.path}{name}")
        if binding is None and any(dotted.startswith(f"numpy.{self.path}{name}.") for dotted in BINDINGS):
            return Library(f"{self.path}{name}.")
        if binding is None or binding.kind in ("constant", "dtype"):
            return getattr(object_of(f"numpy.{self.path}".rstrip(".")), name)
        return Function(f"{self.path}{name}")


class Function:
    """A function of the library, and its methods."""

    def __init__(self, name):
        self.name, binding = name, BINDINGS[f"numpy.{name}"]
        self.function = binding.load() if binding.function else binding.row.meaning

    def __call__(self, *args, **kwargs):
        return self.function(*args, **kwargs)

    def __getattr__(self, method):
        return functools.partial(BINDINGS[f"numpy.{self.name}.{method}"].load(), getattr(np, self.name))


def same(found, wanted):
    if isinstance(wanted, list):
        return isinstance(found, list) and len(found) == len(wanted) and all(map(agree, found, wanted))
    return agree(found, wanted)


def program_of(text):
    """The call as a function of the arrays that it names, and those."""
    names = letters(text)
    return function_of(text, ", ".join(names)), tuple(ARRAYS[name] for name in names)


@every(TEXTS, by=lambda text: text.partition("(")[0])
def test_library_function_is_numpys_in_cpython(text):
    function, arrays = program_of(text)
    own = types.FunctionType(function.__code__, {**function.__globals__, "np": Library()}, function.__name__)
    assert same(outcome(own, arrays), outcome(function, arrays))


@pytest.mark.parametrize("text", AT_TYPED)
def test_typed_stage_is_numpys(text):
    function, arrays = program_of(text)
    stages = Stages(function)
    found = stages.run("typed", *arrays)
    assert same(found.error or found.value, outcome(function, arrays))
    for stage in ("typed", "loops") if text in COMPILED else ("typed",):
        assert_reads_back(stages.program(stage, stages.flatten(arrays))[1], stage)


@pytest.mark.parametrize("text", COMPILED)
def test_compiled_is_numpys(text):
    function, arrays = program_of(text)
    assert same(outcome(pellucid.compile(function), arrays), outcome(function, arrays))


@pytest.mark.parametrize("text", REFUSED)
def test_the_rest_is_refused_in_words_of_the_user(text):
    function, arrays = program_of(text)
    with pytest.raises(pellucid.CompileError) as caught:
        pellucid.compile(function)(*arrays)
    (fault,) = caught.value.diagnostics
    assert fault.code == REFUSED[text]
    assert not any(word in fault.message for word in ("Leaf", "Static", "op.", "operand"))


IN_A_DTYPE = """
np.add(A, I, dtype=np.float32)
np.exp(I, dtype=np.float32)
np.add(1, 2, dtype=np.float32)
np.subtract(V32, V32, dtype="f8")
np.sin(V, dtype=complex)
np.greater(V, 1, dtype=bool)
np.power(2, N, dtype=float)
np.add(V, V, dtype=None)
""".strip().splitlines()


@pytest.mark.parametrize("text", IN_A_DTYPE)
def test_functions_work_in_a_dtype(text):
    function, arrays = program_of(text)
    assert same(outcome(pellucid.compile(function), arrays), outcome(function, arrays))


BY_PLACE = """
np.sum(A, 0, None, None, True, 2.0)
A.max(0, None, True)
np.std(A, 0, None, None, 1)
A.var(1, np.float32)
np.sum(A, 0, None, np.zeros(3))
np.zeros_like(A, np.float32, "C", False)
""".strip().splitlines()


@pytest.mark.parametrize("text", BY_PLACE)
def test_arguments_go_by_their_places_as_numpys(text):
    function, arrays = program_of(text)
    assert same(outcome(pellucid.compile(function), arrays), outcome(function, arrays))


TOO_MANY = ["np.sum(A, 0, None, None, True, 2.0, A > 0, 3)", "np.sum(A, 0, axis=1)",
            "A.sum(b=1)", "np.cumsum(A, where=A > 0)"]


@pytest.mark.parametrize("text", TOO_MANY)
def test_more_arguments_than_numpy_takes_are_refused(text):
    function, arrays = program_of(text)
    with pytest.raises(pellucid.CompileError) as caught:
        pellucid.compile(function)(*arrays)
    assert [fault.code for fault in caught.value.diagnostics] == ["T004"]


# --- what changes its array ------------------------------------------------------------------------------------------

STATEMENTS = """
y.sort(axis=0)
y.partition(1)
y.fill(2)
y.put([0, -1, 2], [5, 6])
np.fill_diagonal(y, 7)
np.fill_diagonal(y, [7, 8, 9])
np.copyto(y, [1, 2, 3])
np.copyto(y, 2.5, casting="unsafe")
np.copyto(y, y[::-1] * 2, where=y > 1)
np.copyto(y, 2.5)
np.put(y, [0, -1, 2], [5, 6])
np.put(y, 9, 1)
np.put_along_axis(y, np.array([[1], [0]]), 9, axis=1)
np.put(y, [7, -9], [5, 6], mode="clip")
np.put(y, [7, -9], [5, 6], mode="wrap")
np.fill_diagonal(y, [7, 8], wrap=True)
np.putmask(y, y > 1, [5, 6, 7, 8])
y.flat[1:4] = 5
y.flat[2] += 5
np.place(y, y > 1, [5, 6])
np.add.at(y, 1, 2)
np.add.at(y, [0, 1, 0], 2)
np.maximum.at(y, ([0, 1, 0], [2, 2, 2]), [5, -5, 7])
np.multiply.at(y, (0, np.array([0, 0, 2])), 3)
np.subtract.at(y, y[:, 0] > 1, 1)
np.add.at(y, (0, 7), 1)
np.divide.at(y, (0, [1, 1]), [2, 4])
np.divide.at(y, (0, [1, 1]), [2])
np.add.at(y[0], [1, 0, 1], y[0])
np.multiply.at(y[0], [1, 2, 2], y[0, ::-1])
np.maximum.at(y, (0, [1, 1, 0]), y[0])
""".strip().splitlines()


@pytest.mark.parametrize("statement", STATEMENTS)
def test_an_array_is_changed(statement):
    function = function_of(f"y = x.copy()\n{statement}\n(y, y.sum())", "x")
    for array in (ARRAYS["A"], ARRAYS["I"]):
        found = Stages(function).run("typed", array)
        assert same(found.error or found.value, outcome(function, (array,)))


def changed_by_itself(x, k):
    k = k.copy()
    np.add.at(k, k, k)
    x = x.copy()
    np.subtract.at(x, k[:3] % 4, x[1:])
    return x, k


def test_operands_of_ufunc_at_are_as_they_were_before():
    x, k = np.array([1.5, 2.0, 3.0, 4.0]), np.array([1, 2, 2, 0])
    found = Stages(changed_by_itself).run("typed", x, k)
    assert same(found.error or found.value, outcome(changed_by_itself, (x, k)))


@pytest.mark.parametrize(("ufunc", "places", "values"), [
    (np.add, [0, 1, 2, 3], np.ones(8)), (np.maximum, [0, 1, 2, 3], np.ones(3)), (np.add, [1], np.ones(3)),
    (np.add, 1, np.ones(3)), (np.add, np.zeros(0, int), np.ones(3)),
    (np.add, np.array([True, False, True, False]), np.ones(3)),
])  # fmt: skip
def test_values_of_ufunc_at_are_as_many_as_the_indices(ufunc, places, values):
    def changed(places, values):
        y = np.zeros(4)
        ufunc.at(y, places, values)
        return y

    for function in (changed, pellucid.compile(changed), pellucid.vmap(changed, axis_size=2, in_axes=None)):
        with pytest.raises(ValueError, match="array is not broadcastable to correct shape"):
            function(places, values)


def test_index_vectors_of_ufunc_at_have_one_length():
    def changed(rows, columns):
        y = np.zeros((4, 4))
        np.maximum.at(y, (rows, columns), 1.0)
        return y

    for function in (changed, pellucid.compile(changed)):
        with pytest.raises(IndexError, match=r"could not be broadcast together with shapes \(4,\) \(3,\)"):
            function(np.arange(4), np.arange(3))


def test_a_method_does_not_change_an_argument():
    with pytest.raises(pellucid.CompileError) as caught:
        pellucid.compile(function_of("x.sort()\nx", "x"))(ARRAYS["V"])
    assert [d.code for d in caught.value.diagnostics] == ["P014"]


def test_what_changes_its_array_is_among_those_above():
    tested = set(re.findall(r"^(?:y|np)\.(\w+)", "\n".join(STATEMENTS), re.M)) - {"flat"}
    changing = {name.removeprefix("numpy.") for name in BINDINGS if name in CHANGING_FUNCTIONS}
    changing |= {"add", "subtract", "multiply", "divide", "maximum"}  # .at
    assert tested == changing | {name for name in METHODS if name in CHANGING_METHODS}
