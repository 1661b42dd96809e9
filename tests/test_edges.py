"""Answers at the edges: ints beyond 2**53, nan stored into ints, rows without elements, names without a value."""

import itertools
import math
import threading

import numpy as np
import pytest

import pellucid
from pellucid import Array
from pellucid.compiler.frontend.specialise.joins.exactness import INEXACT

from .harness.answers import agree, function_of, outcome
from .harness.stages import module_of

pytestmark = pytest.mark.drawn(5)

NAN, INF = math.nan, math.inf
HUGE = [2**53, 2**53 + 1, 2**53 - 1, -(2**53) - 1, 2**63 - 1, -(2**63), 2**62 + 1, 0, 5]
FLOATS = [2.0**53, 2.0**53 + 2, -(2.0**53), 2.0**63, -(2.0**63), 2.0**62, NAN, INF, -INF, 0.5, 5.0, -0.0, 1e300]
KINDS = [(int, float), (np.int64, float), (int, np.float64), (np.int64, np.float64)]


@pytest.mark.parametrize("sign", ["==", "!=", "<", "<=", ">", ">="])
@pytest.mark.parametrize("kinds", KINDS, ids=lambda kinds: "-".join(k.__name__ for k in kinds))
def test_ints_and_floats_are_compared_as_their_kinds_are(sign, kinds):
    """Python compares an int with a float by value, NumPy converts the int first."""
    for text in (f"x {sign} y", f"y {sign} x"):
        python = function_of(text)
        compiled = pellucid.compile(python)
        for whole, number in itertools.product(HUGE, FLOATS):
            arguments = kinds[0](whole), kinds[1](number)
            assert agree(compiled(*arguments), python(*arguments)), (text, arguments)


def joined(c, i, x):
    return i if c else x


def joined_by_branches(c, i, x):
    if c:
        result = i
    else:
        result = x
    return result


def larger(c, i, x):
    return max(i, x)


def carried(c, i, x):
    total = i
    while c and total > 1:
        total = total * x
    return total


@pytest.mark.parametrize("function", [joined, joined_by_branches, larger, carried])
@pytest.mark.parametrize("kind", [int, np.int64])
def test_an_int_that_becomes_a_float_keeps_its_digits(function, kind):
    compiled = pellucid.compile(function)
    assert compiled(True, kind(8), 0.5) == function(True, kind(8), 0.5)
    assert compiled(False, kind(2**53), 0.5) == function(False, kind(2**53), 0.5)
    with pytest.raises(OverflowError, match="2\\*\\*53") as caught:
        compiled(function is not carried, kind(2**53 + 1), 0.5)
    assert str(caught.value) == INEXACT


NUMBERS = [NAN, np.float64(NAN), np.float32(NAN), np.array(NAN), np.array([NAN]), 1e300, np.float64(1e300), 2.7,
           np.float64(-2.7), np.array(2.7), np.array([9.0]), np.array([[9.0]]), np.int64(3 * 10**9), 3 * 10**9,
           np.array(3 * 10**9), True, INF]  # fmt: skip
MATRIX = NUMBERS[11]  # into masked places NumPy takes none, compiled code one with a single element
PLACES = ["y[0]", "y[:]", "y[y > 0]", "y[[0, 1]]", "y[1:]"]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("dtype", [np.int32, np.int64, np.float64])
def test_stores_take_what_numpy_takes(place, dtype):
    """Python's and NumPy's numbers must fit into ints, arrays are cast; an array is no element."""
    python = function_of(f"y = x.copy()\n{place} = value\ny", parameters="x, value")
    for number in (n for n in NUMBERS if not (n is MATRIX and place == "y[y > 0]")):
        found, wanted = (outcome(f, (np.array([1, 2], dtype), number)) for f in (pellucid.compile(python), python))
        refused = isinstance(found, pellucid.CompileError) and not isinstance(wanted, Exception)
        assert agree(found, wanted) or refused and np.ndim(number) > 0, (number, found, wanted)


EMPTY_INDICES = ["x[:, k]", "x[k]", "np.sum(x[:, k])", "x[k].sum()", "x[:, k] * 2.0", "np.take(x, k, axis=0)"]
EMPTY_STORES = ["y = x.copy()\ny[k] = 1.0\ny", "y = x.copy()\ny[:, k] = 1.0\ny", "y = x.copy()\ny[:, k] += 1.0\ny"]


@pytest.mark.parametrize("text", [*EMPTY_INDICES, *EMPTY_STORES])
@pytest.mark.parametrize("dtype", [np.int32, np.int64])
def test_indices_into_rows_without_elements_are_checked(text, dtype):
    python = function_of(text, parameters="x, k")
    compiled = pellucid.compile(python)
    for shape, index in itertools.product([(0, 3), (3, 0), (0, 0), (2, 3)], [[5], [1], [-1], [-4], [0, 2, 7], []]):
        arguments = np.zeros(shape), np.array(index, dtype)
        assert agree(outcome(compiled, arguments), outcome(python, arguments)), arguments


@pytest.mark.parametrize(
    ("text", "operands"),
    [
        ("math.lgamma(x)", [-INF, INF, NAN, 5e-324, -5e-324, 1e-310, -1e-310, 2.5, -2.5, -3.0, 0.0, 1e306, 3e305]),
        ("math.gamma(x)", [-INF, INF, NAN, 5e-324, -5e-324, 2.5, 171.7, -2.5, -200.5, 0.0, -0.0]),
        ("np.searchsorted(np.array([1.0, 2.0, np.nan]), x)", [NAN, 0.0, 1.5, 2.0, INF]),
        ("np.searchsorted(np.array([1.0, 2.0, np.nan]), x, side='right')", [NAN, 0.0, 1.5, 2.0, INF]),
        ("max(x)", [np.array(v) for v in itertools.permutations([NAN, 1.0, -0.0, 0.0])]),
        ("min(x)", [np.array(v) for v in itertools.permutations([NAN, 1.0, -0.0, 0.0])]),
        ("max(x)", [np.array([], np.float32), np.array([], int)]),
        ("np.logaddexp(x, x)", [INF, -INF, NAN, np.array([INF, -INF, 0.0])]),
        ("np.logaddexp2(x, np.inf)", [INF, -INF, NAN, np.array([INF, -INF, 0.0])]),
        ("np.linspace(x, 2, 4, dtype=int)", [-1.5, np.float32(-1.5), -7]),
        ("np.inner(x, x[:, :1])", [np.ones((2, 3)), np.ones((2, 1))]),
        ("np.tensordot(x, x[:1], (0, 0))", [np.ones((2, 3)), np.ones((1, 3))]),
    ],
)
def test_awkward_operands(text, operands):
    python = function_of(text, parameters="x")
    compiled = pellucid.compile(python)
    for operand in operands:
        assert agree(outcome(compiled, (operand,)), outcome(python, (operand,))), operand


# --- views without dimensions -----------------------------------------------------------------------------------------


def test_an_ellipsis_gives_an_array_without_dimensions():
    python = function_of("x[0, ...]", parameters="x")
    found = pellucid.compile(python)(np.array([1.0, 2.0]))
    assert isinstance(found, Array) and found.shape == ()


@pytest.mark.parametrize("change", ["y += 1.0", "y[...] = 5.0", "z[0] = 5.0"])
def test_a_view_without_dimensions_is_a_view(change):
    python = function_of(f"z = x.copy()\ny = z[0, ...]\n{change}\nz, y", parameters="x")
    operand = np.array([1.0, 2.0])
    assert agree(outcome(pellucid.compile(python), (operand,)), outcome(python, (operand,)))


# --- names without a value --------------------------------------------------------------------------------------------

UNSET = [
    "for i in range(0):\n    y = x\ny",
    "for i in range(0):\n    if x > 1.0:\n        a = x\n    else:\n        a = x * np.ones(2)[0]\n    y = a + x\ny",
    "for i in range(0):\n    y = np.ones(3) * x\ny",
    "for i in range(0):\n    y = [x, x]\ny",
    "if x > 1.0:\n    y = x\ny",
    "while x > 1.0:\n    y = x\n    x = x - 1.0\ny",
    "for i in range(int(x)):\n    if i > 1:\n        y = np.ones(2)\ny, x",
    "for i in range(0):\n    y = x\nu = np.ones(2)\nu[y:] += u[0]\nu * x",
    "for i in range(0):\n    y = i\nu = np.ones(2) * x\nfor j in range(int(x)):\n    u[j:] += u[y]\n    x = u[0]\nu",
    "for v in np.ones(1)[:-1]:\n    pass\nu = np.ones(int(x))\nu * v, u, np.zeros(len(u))",
    "while False:\n    y = x\nfor i in range(int(x)):\n    if False:\n        break\n    x = x + y\nx",
]


@pytest.mark.parametrize("text", UNSET)
def test_a_name_without_a_value_raises_where_it_is_read(text):
    python = function_of(text, parameters="x")
    compiled = pellucid.compile(python)
    for x in (0.5, 3.5, np.float32(0.5), np.float32(3.5), np.int32(0), np.int32(3)):
        found, wanted = outcome(compiled, (x,)), outcome(python, (x,))
        assert agree(found, wanted) or isinstance(found, pellucid.CompileError), (x, found, wanted)


@pytest.mark.parametrize("kind", [np.float32, np.int32, np.float64, np.bool_, float])
def test_a_result_that_an_early_return_gives(kind):
    python = function_of("if np.all(x > 5):\n    pass\nelif x > 0:\n    return x\nx", parameters="x")
    for x in (kind(1), kind(0)):
        assert agree(pellucid.compile(python)(x), python(x))


# --- what cannot depend on the run ------------------------------------------------------------------------------------


@pytest.mark.parametrize("place", ["y[:2]", "y[[0, 1]]", "y[1:]"])
def test_a_length_that_turns_out_to_be_one_is_not_stretched_by_a_store(place):
    python = function_of(f"y = np.zeros((3, 1))\n{place} = x[::2, None]\ny", parameters="x")
    compiled = pellucid.compile(python)
    assert agree(compiled(np.ones(3)), python(np.ones(3)))
    with pytest.raises(ValueError, match="has length 1 at run time"):
        compiled(np.ones(2))
    assert agree(outcome(compiled, (np.ones(6),)), outcome(python, (np.ones(6),)))


@pytest.mark.parametrize("made", ["np.array(rows)", "np.asarray(rows)", "np.array(rows).shape"])
def test_an_array_of_an_empty_list_of_arrays(made):
    python = function_of(f"rows = []\nfor i in range(int(x[0])):\n    rows.append(x)\n{made}", parameters="x")
    compiled = pellucid.compile(python)
    assert agree(compiled(np.ones(2)), python(np.ones(2)))
    with pytest.raises(ValueError, match="at least one array"):
        compiled(np.zeros(2))


# --- int32 as an index ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("text", ["(x > 0)[k]", "(x * 2.0)[k]", "np.outer(x, x)[k, 1:]", "np.outer(x, x)[1, k]",
                                  "(x + x)[k:]", "np.outer(x, x)[:, k]", "(x * x).take(k)", "x[::k]"])  # fmt: skip
def test_a_small_int_is_an_index_into_what_is_in_no_memory(text):
    python = function_of(text, parameters="x, k")
    compiled = pellucid.compile(python)
    for k in map(np.int32, (2, -3, 3, -1, 4)):
        arguments = np.arange(1.0, 5.0), k
        assert agree(outcome(compiled, arguments), outcome(python, arguments)), k


def test_one_view_is_returned_twice():
    """And read in a branch, where it has a variable already."""
    python = function_of("t = x[::-1]\nu = t.copy()\nif x[0] > 0.0:\n    u -= t[0]\nt, t, u", parameters="x")
    assert agree(pellucid.compile(python)(np.arange(1.0, 4.0)), python(np.arange(1.0, 4.0)))


RETURNS = [
    "if np.any(x > 0.5):\n    return x * 2.0\nx = np.maximum(x, 0.1 * x)\nreturn np.concatenate((x, x))",
    "for k in range(3):\n    if np.sum(x) > k:\n        return x * k\n    x = x + 0.25\nreturn x[1:]",
    "if x[0] > 0.5:\n    for k in range(2):\n        if x[1] > k:\n            return x[1:]\nreturn np.sin(x)",
]


@pytest.mark.parametrize("body", RETURNS)
def test_gradients_of_arrays_that_one_path_leaves_unset(body):
    lines = "".join(f"    {line}\n" for line in body.split("\n"))
    text = f"import numpy as np\n\n\ndef f(x):\n{lines}\n\ndef loss(x):\n    return np.sum(f(x) ** 2)\n"
    function = module_of(text)["loss"]
    slope = pellucid.grad(function)
    for x in (np.array([0.7, 0.3, -0.4]), np.array([-0.7, 0.3, -0.9]), np.array([0.6, 1.4])):
        steps = 1e-6 * np.eye(len(x))
        wanted = [(function(x + step) - function(x - step)) / 2e-6 for step in steps]
        np.testing.assert_allclose(slope(x), wanted, rtol=1e-6, atol=1e-8)


SUMS = [
    "a = np.zeros((4, 2))\na[0] = x[:2]\nb = np.ones((4, 2))\nb[1] = x[:2]\nnp.sum(a * b + b)",
    "a = x[None] * np.ones((1, 1))\nb = a.copy()\nb[0] = 2.0 * x\nnp.sum(a * b)",
    "a = np.zeros((2, len(x)))\na[0] = x\nb = np.ones((2, len(x)))\nb[1] = x\nnp.sum(a * b)",
    "a = np.zeros((0, 2))\nb = np.ones((0, 2))\nb[:] = x[0]\nnp.sum(a * b)",
]


@pytest.mark.parametrize("text", SUMS)
def test_sums_over_several_arrays_of_one_size(text):
    python = function_of(text, parameters="x")
    for x in (np.array([0.5, -1.5, 2.0]), np.array([1.0, 2.0])):
        assert agree(outcome(pellucid.compile(python), (x,)), python(x))


# --- immutable, whoever asks ------------------------------------------------------------------------------------------

LOOKS = {
    "asarray": np.asarray, "view": lambda a: np.asarray(a)[1:], "dlpack": np.from_dlpack,
    "T": lambda a: np.asarray(a.T), "array": lambda a: np.array(a, copy=None), "part": lambda a: np.asarray(a[1:]),
    "ravel": lambda a: np.asarray(a.ravel()), "strided": lambda a: np.lib.stride_tricks.as_strided(np.asarray(a)),
}  # fmt: skip


@pytest.mark.parametrize("look", LOOKS)
def test_nobody_makes_an_array_writeable(look):
    made = pellucid.compile(function_of("x + 1.0"))(np.arange(4.0))
    shown = LOOKS[look](made)
    with pytest.raises(ValueError, match="WRITEABLE"):
        shown.flags.writeable = True
    assert np.asarray(made).tolist() == [1.0, 2.0, 3.0, 4.0]


@pytest.mark.parametrize("dtype", "?bBhHiIlLqQefdgFDG")
def test_numpy_reads_it_without_a_copy(dtype):
    whole = np.zeros((4, 3), dtype)
    for values in (whole, whole.T, whole[::2], whole[::-1, 1], np.zeros((), dtype)):
        shown = np.asarray(Array(values))
        assert shown.dtype == values.dtype and shown.strides == values.strides and np.shares_memory(shown, values)


# --- deep programs ----------------------------------------------------------------------------------------------------


def test_a_sum_of_many_terms():
    text = " + ".join(f"x * {k}.0" for k in range(600))
    assert pellucid.compile(function_of(text))(3.5) == function_of(text)(3.5)
    assert pellucid.grad(function_of(text))(3.5) == sum(range(600))


def test_a_chain_of_branches():
    arms = "".join(f"{'if' if k == 0 else 'elif'} x < {k}.0:\n    y = x * {k}.0\n" for k in range(100))
    text = f"{arms}else:\n    y = x\ny"
    python = function_of(text, parameters="x")
    compiled = pellucid.compile(python)
    assert [compiled(x) for x in (-1.0, 33.5, 99.5)] == [python(x) for x in (-1.0, 33.5, 99.5)]


def test_what_is_too_deep_is_refused(monkeypatch):
    from pellucid import deep

    monkeypatch.setattr(deep, "DEPTH", 1200)
    before = threading.stack_size()
    with pytest.raises(pellucid.UnsupportedError, match="too deeply"):
        pellucid.compile(function_of(" + ".join(["x"] * 900)))(1.0)
    assert threading.stack_size() == before
