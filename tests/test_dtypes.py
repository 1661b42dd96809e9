"""Every dtype of the table: its record, promotion of all pairs, casts, limits, rounding, sums, products, derivatives.

What operators give on a dtype is in `test_emitters.py`, the types of all rows on all pairs in `test_operators.py`, and
functions of NumPy on all of them in `test_numpy_answers.py`.
"""

import itertools
import operator
import warnings

import numpy as np
import pytest

import pellucid
from pellucid.compiler import types
from pellucid.compiler.analysis.expression_types import result_of
from pellucid.compiler.dtypes import (
    DTYPE,
    INT_WORD,
    NUMPY_DTYPE,
    PYTHON_TYPE,
    accumulator,
    is_complex,
    is_exact,
    is_inexact,
    is_integer,
    part_of,
    summed,
)
from pellucid.compiler.targets.llvm import half
from pellucid.compiler.targets.llvm.llvm import compile_program
from pellucid.compiler.types import Array, Scalar
from pellucid.runtime import targets as runtime_targets

from .harness import targets
from .harness.loops_text import read_loops

INTEGERS = [word for word in DTYPE if is_integer(word)]
FLOATS = [word for word in DTYPE if is_inexact(word)]
NUMBERS = [*INTEGERS, *FLOATS]
each_dtype = pytest.mark.parametrize("word", DTYPE)


def quietly(function, *arguments):
    """What CPython gives, without warnings; an exception is a result too."""
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return function(*arguments)
        except (ArithmeticError, ValueError, TypeError, IndexError) as error:
            return error


def same(found, wanted):
    if isinstance(wanted, Exception):
        return type(found) is type(wanted) and str(found) == str(wanted)
    if isinstance(found, Exception):
        return False
    if isinstance(wanted, tuple | list):
        return len(found) == len(wanted) and all(map(same, found, wanted))
    found, wanted = np.asarray(found), np.asarray(wanted)
    return found.dtype == wanted.dtype and np.array_equal(found, wanted, equal_nan=wanted.dtype.kind == "f")


def agree(function, *arguments):
    found, wanted = quietly(pellucid.compile(function), *arguments), quietly(function, *arguments)
    assert same(found, wanted), (arguments, found, wanted)


def ends(word):
    """Numbers of a dtype, with the least and the greatest."""
    if is_inexact(word):
        limits = np.finfo(NUMPY_DTYPE[word])
        return np.array([0.0, -1.5, 3.0, limits.max, limits.min, limits.smallest_subnormal], NUMPY_DTYPE[word])
    row = DTYPE[word]
    return np.array([0, 1, row.least, row.greatest, row.greatest // 2, 3], NUMPY_DTYPE[word])


# --- the table -----------------------------------------------------------------------------------------------------


@each_dtype
def test_a_record_says_what_numpy_says(word):
    row = DTYPE[word]
    assert row.numpy.kind == {"bool": "b", "int": "iu"[not row.signed], "float": "f", "complex": "c"}[row.kind]
    assert row.item_bytes == row.numpy.itemsize and row.bits == (1 if word == "bool" else 8 * row.item_bytes)
    if row.kind == "int":
        assert (row.least, row.greatest) == (np.iinfo(row.numpy).min, np.iinfo(row.numpy).max)
    assert type(row.zero) is type(row.least) is type(row.greatest) is row.python_type
    for type_ in (Scalar(word), Array(word, (types.symbol("n"), 3)), Array(word, (2,), "A")):
        assert types.parse(str(type_)) == type_


def test_exact_means_that_every_value_comes_back():
    for source, target in itertools.product(DTYPE, repeat=2):
        if source == "bool":
            assert is_exact(source, target)
        elif target == "bool":
            assert not is_exact(source, target)
        elif is_inexact(source):
            parts = DTYPE[part_of(source)].bits, DTYPE[part_of(target)].bits
            fits = is_complex(target) or not is_complex(source)
            assert is_exact(source, target) == (is_inexact(target) and fits and parts[1] >= parts[0])
        else:
            least, greatest = int(DTYPE[source].least), int(DTYPE[source].greatest)
            hard = {least, greatest, least + 1, greatest - 1, greatest // 2 + 1}
            with np.errstate(all="ignore"):
                made = DTYPE[part_of(target)]
                held = [float(made.numpy.type(np.float64(v))) if is_inexact(target) else v for v in hard]
            fits = [made.least <= v <= made.greatest for v in hard]
            kept = [h == v and abs(h) != np.inf for h, v in zip(held, hard)]  # Python compares the values themselves
            assert is_exact(source, target) == (all(fits) and all(kept)), (source, target)


@each_dtype
def test_sums_are_numpys(word):
    ones = np.ones(2, NUMPY_DTYPE[word])
    assert NUMPY_DTYPE[summed(word)] == np.sum(ones).dtype == np.prod(ones).dtype
    assert DTYPE[accumulator(word)].storage == DTYPE[accumulator(word)].register or not is_inexact(word)


KINDS = [
    *((Scalar(word, True), PYTHON_TYPE[word](1)) for word in PYTHON_TYPE),
    *((Scalar(word), NUMPY_DTYPE[word].type(1)) for word in DTYPE),
    *((Array(word, (2,)), np.ones(2, NUMPY_DTYPE[word])) for word in DTYPE),
]


def test_promotion_of_every_pair():
    for (left, x), (right, y) in itertools.product(KINDS, repeat=2):
        dtype, weak = types.promote(left, right)
        if weak:
            assert NUMPY_DTYPE[dtype] == np.asarray(x + y if type(x) is not bool or type(y) is not bool else x).dtype
        else:
            assert NUMPY_DTYPE[dtype] == np.result_type(x, y), (left, right)
    for left, right in itertools.product(DTYPE, repeat=2):
        wanted = quietly(np.add, NUMPY_DTYPE[left].type(1), NUMPY_DTYPE[right].type(1)).dtype
        assert NUMPY_DTYPE[result_of("add", (Scalar(left), Scalar(right))).dtype] == wanted


# --- pairs, compiled -----------------------------------------------------------------------------------------------


def arithmetic(x, y):
    return x + y, x - y, x * y, x // y, x % y, np.maximum(x, y), np.minimum(x, y), x / y


def comparisons(x, y):
    return x < y, x <= y, x == y, x != y, x > y, x >= y


def bits(x, y):
    return x & y, x | y, x ^ y, x << y, x >> y, ~x


# Every kind and width beside every other kind, once: signed, unsigned, 64 bits of both, halves.
PAIRS = [("i8", "u8"), ("u16", "i32"), ("i64", "u64"), ("u64", "i8"), ("u32", "f16"), ("i16", "f32"), ("f16", "i8"),
         ("f16", "f32"), ("u64", "f64"), ("bool", "u16"), ("i16", "bool"), ("u8", "f64"), ("f16", "u64")]  # fmt: skip


@pytest.mark.parametrize(("left", "right"), PAIRS)
def test_pairs_of_dtypes(left, right):
    x, y = (g.ravel() for g in np.meshgrid(ends(left), ends(right)))
    agree(comparisons, x, y)
    if left == "bool" or right == "bool":
        x, y = x[1:], y[1:]
    if "f16" in (left, right):  # powers of two apart, quotients are rounded in one step here and there
        x, y = x[np.isfinite(y)], y[np.isfinite(y)]
    agree(arithmetic, x, y)
    if is_integer(left) and is_integer(right) and {left, right} != {"i64", "u64"} and "u64" not in (left, right):
        agree(bits, x, y)


@pytest.mark.parametrize("name", ["less", "less_equal", "equal", "not_equal", "greater", "greater_equal"])
def test_signed_against_unsigned_is_exact(name):
    """In NumPy 2 an int64 and a uint64 are compared by their values, though together they are float64."""
    x = np.array([0, 1, -1, 2**63 - 1, -(2**63), 2**53 + 1], np.int64)
    y = np.array([0, 1, 2**64 - 1, 2**63 - 1, 2**63, 2**53 + 1, 2**53], np.uint64)
    x, y = (g.ravel() for g in np.meshgrid(x, y))
    program = f"""
def main(x: "i64[n]", y: "u64[n]"):
    a = empty(dim(x, 0), 'bool')
    b = empty(dim(x, 0), 'bool')
    for i in range(dim(x, 0)):
        a[i] = {name}(x[i], y[i])
        b[i] = {name}(y[i], x[i])
    return a, b
"""
    function = getattr(operator, {"less": "lt", "less_equal": "le", "equal": "eq", "not_equal": "ne",
                                  "greater": "gt", "greater_equal": "ge"}[name])  # fmt: skip
    first, second = compile_program(read_loops(program))([x, y])
    assert first.tolist() == [function(a, b) for a, b in zip(x.tolist(), y.tolist())]
    assert second.tolist() == [function(b, a) for a, b in zip(x.tolist(), y.tolist())]


@pytest.mark.parametrize("word", INTEGERS)
def test_pythons_ints_beside_a_dtype(word):
    def beside(x, k):
        return x + k, k * x, np.where(x > 1, x, k)

    row, x = DTYPE[word], ends(word)
    for k in (1, int(row.greatest) if word != "u64" else 2**62, 300, -1, -129, 2**40):
        agree(comparisons, x, k)
        agree(beside, x, k)
        agree(beside, x[:0], k)
        agree(beside, x[1], k)


def test_stores_and_fillings_refuse_what_numpy_refuses():
    def stored(x, v):
        y = np.zeros(3, x.dtype)
        y[0] = v
        return y

    def filled(x, v):
        return np.full(2, v, x.dtype), np.full_like(x, v)

    for word in ("i8", "u8", "u16", "i32", "u64", "f16"):
        for v in (1, -1, 300, 70000, 2.7, -1.5, np.int64(300), np.int64(-1), np.float64(2.5), np.float16(3), True):
            agree(stored, ends(word), v)
            agree(filled, ends(word), v)


def test_the_widest_ints():
    mixer = np.uint64(0xFF51AFD7ED558CCD)

    def mixed(x):
        return (x ^ (x >> np.uint64(33))) * mixer, x == mixer, x < np.uint64(2**63 + 1), np.maximum(x, mixer) % 1000, -x

    x = np.array([0, 1, 2**64 - 1, 2**63, 2**63 - 1, 12345678901234567890, 0xFF51AFD7ED558CCD], np.uint64)
    agree(mixed, x)
    agree(mixed, x[2])
    agree(lambda a, i: a[i], np.arange(5.0), np.uint64(3))
    with pytest.raises(OverflowError):
        pellucid.compile(lambda a, i: a[i])(np.arange(5.0), np.uint64(2**64 - 1))
    with pytest.raises(OverflowError, match="Python int too large"):  # an int has 64 bits here
        pellucid.compile(lambda v: int(v))(np.uint64(2**63))


# --- in and out ----------------------------------------------------------------------------------------------------


def doubled(x, n):
    if n == 0:
        return x
    return doubled(x + x, n - 1)


@each_dtype
def test_values_come_and_go(word):
    """As scalars, arrays of all layouts, items of lists, values of errors, and from one native function to another."""

    def several(x, v):
        xs = []
        for item in x:
            xs.append(item)
        return v, x, x[::-1], xs, {"last": x[-1]}["last"]

    def failing(v):
        if v == v:
            raise ValueError(f"it is {v}", v)
        return v

    x = ends(word) if word != "bool" else np.array([True, False, True])
    compiled = pellucid.compile(several)
    for layout in (x, x[::2], x.astype(x.dtype.newbyteorder(">")), x[:1]):
        for v in x:
            for _ in range(2):  # the second call goes by native dispatch
                found, native = compiled(layout, v), layout.astype(x.dtype)
                assert type(found[0]) is type(v) and found[3] == list(native) and found[4] == native[-1]
                assert same(found[:3], (v, native, native[::-1])) and type(found[4]) is type(v)
    for v in x:
        agree(failing, v)
    agree(doubled, x[0], 3)
    assert same(pellucid.compile(lambda v: np.array(1) * 0 + v)(x[0]), np.array(1)[()] * 0 + x[0])


# --- float16 -------------------------------------------------------------------------------------------------------

CONVERSIONS = """
def main(x: "f16[n]", y: "f32[m]", z: "f64[m]"):
    a = empty(dim(x, 0), 'f32')
    for i in range(dim(x, 0)):
        a[i] = cast(x[i], dtype='f32')
    b = empty(dim(y, 0), 'f16')
    c = empty(dim(y, 0), 'f16')
    for i in range(dim(y, 0)):
        b[i] = cast(y[i], dtype='f16')
        c[i] = cast(z[i], dtype='f16')
    return a, b, c
"""


@pytest.mark.parametrize("by_instructions", [True, False])
def test_conversions_of_halves(by_instructions, monkeypatch):
    """All halves, and floats around every tie between two of them, subnormals and infinity among them."""
    if not by_instructions:
        monkeypatch.setattr(half, "has_instructions", lambda: False)
    program = compile_program(read_loops(CONVERSIONS))
    x = np.arange(2**16, dtype=np.uint16).view(np.float16)
    finite = x[np.isfinite(x)].astype(np.float32)
    ties = (finite.view(np.uint32)[:, None] + np.array([0, 0xFFF, 0x1000, 0x1001, 0x1800], np.uint32)).ravel()
    tiny = np.arange(0x32FFFF00, 0x38801000, 0x3F7, dtype=np.uint32)
    y = np.concatenate([ties, tiny, tiny | 0x80000000, [0x7F800000, 0xFF800000, 0x7FC00000, 1]]).astype(np.uint32)
    y = y.view(np.float32)
    with np.errstate(all="ignore"):
        z = y.astype(np.float64) * (1.0 + np.random.default_rng(0).choice([0.0, 2.0**-52, -(2.0**-53)], len(y)))
        found, wanted = program([x, y, z]), (x.astype(np.float32), y.astype(np.float16), z.astype(np.float16))
    for got, expected in zip(found, wanted):
        assert same(got, expected) and np.array_equal(np.signbit(got), np.signbit(expected))


def test_halves_are_rounded_after_each_operation():
    def steps(x, y):
        total = x + y
        scaled = total * y - x
        return total, scaled, scaled / y, np.sqrt(np.abs(scaled)), x * y + x, (x + y) - x, x * np.float16(0.1), x * 0.1

    rng = np.random.default_rng(1)
    x, y = rng.integers(0, 2**16, (2, 5000)).astype(np.uint16).view(np.float16)
    agree(steps, x, y)
    agree(steps, np.float16(2047.0), np.float16(0.5))


@pytest.mark.skipif(not runtime_targets.name_of_host() or not runtime_targets.runs_here("x86-64-v2"), reason="x86 only")
def test_halves_on_processors_without_their_instructions(monkeypatch):
    targets.on(monkeypatch, "x86-64-v2")
    assert not half.has_instructions()

    def f(x, k):
        return x * 2 + x[0], np.sum(x), np.sin(x) * k, x.astype(np.int8)

    x = np.linspace(-3, 3, 50).astype(np.float16)
    found, wanted = pellucid.compile(f)(x, 2), f(x, 2)
    assert same(found[0], wanted[0]) and same(found[3], wanted[3])
    np.testing.assert_allclose(np.float64(found[2]), np.float64(wanted[2]), rtol=1e-3)


def test_what_many_halves_add_up_to():
    """Sums keep the digits of float32 until the end, as NumPy's do, and a mean is none of infinity."""
    x = np.ones(100_000, np.float16)
    assert same(pellucid.compile(lambda v: np.mean(v))(x), np.float16(1.0))
    assert same(pellucid.compile(lambda v: np.sum(v))(x), np.float16(np.inf))
    tenths = np.full(30_000, 0.1, np.float16)
    exact = float(tenths[0]) * len(tenths)
    assert pellucid.compile(lambda v: np.sum(v))(tenths) == np.float16(exact)
    assert same(pellucid.compile(lambda v: np.prod(v))(np.array([300.0, 300.0, 0.001, 0.5], np.float16)),
                np.prod(np.array([300.0, 300.0, 0.001, 0.5], np.float16)))  # fmt: skip


# --- sums, products, derivatives -----------------------------------------------------------------------------------


@pytest.mark.parametrize("word", INTEGERS)
def test_reductions_of_ints(word):
    def reduced(x):
        return (np.sum(x), np.prod(x), np.max(x), np.min(x), np.mean(x), np.argmax(x), np.cumsum(x), np.sum(x, axis=0),
                np.max(x, axis=1), np.sum(x, dtype=np.int16), np.any(x))  # fmt: skip

    x = np.resize(ends(word), (3, 40))
    agree(reduced, x)
    agree(reduced, x[:, ::-1])


@pytest.mark.parametrize("word", NUMBERS)
def test_products_of_matrices(word):
    def products(a, b, v):
        return a @ b, a @ v, v @ v, np.dot(b, a), np.einsum("ij,kj->ik", a, a), a[None] @ b[None], np.outer(v, v)

    rng = np.random.default_rng(2)
    numbers = rng.integers(0, 100, (7, 5)) if is_integer(word) else rng.standard_normal((7, 5))
    a = numbers.astype(NUMPY_DTYPE[word])
    b, v = np.ascontiguousarray(a.T), a[0]
    found = pellucid.compile(products)(a, b, v)
    if is_integer(word):
        assert same(found, products(a, b, v))  # wrapping
        return
    exact = products(*(m.astype(np.float64) for m in (a, b, v)))
    for got, wanted in zip(found, exact):
        assert np.asarray(got).dtype == NUMPY_DTYPE[word]
        eps = float(np.finfo(a.dtype).eps)
        np.testing.assert_allclose(np.float64(got), wanted, rtol=4 * eps, atol=eps)


def smooth(x):
    return np.sum(np.sin(x) * x) + np.mean(np.exp(-x * x))


def by_elements(x):
    total = np.float16(0) * x[0]
    for i in range(len(x)):
        if x[i] > 0:
            total = total + x[i] ** 2
        else:
            total = total - 3 * np.tanh(x[i])
    return total


def by_matrices(x):
    y = np.zeros(len(x), x.dtype)
    y[1:] = x[1:] * x[:-1]
    return np.sum((x[:, None] * y[None, :]) @ x) / 4 + np.max(y) + np.linalg.norm(x)


def by_conversion(x):
    return np.sum(x.astype(np.float32) ** 2).astype(x.dtype)


@pytest.mark.parametrize("function", [smooth, by_elements, by_matrices, by_conversion])
def test_gradients_through_halves(function):
    x = np.random.default_rng(3).standard_normal(6).astype(np.float16)
    value, slope = pellucid.value_and_grad(function)(x)
    exact = np.asarray(pellucid.grad(function)(x.astype(np.float64)))
    assert type(value) is np.float16 and np.asarray(slope).dtype == np.float16
    np.testing.assert_allclose(np.float64(slope), exact, rtol=1e-2, atol=1e-2 * np.max(np.abs(exact)))


def test_printed_stages_give_the_same(tmp_path):
    def f(x, y, k):
        return np.sum(x) + np.float16(k), x * y, np.where(y > 1, y, 7), np.uint8(k) + y[:1]

    x, y = np.linspace(-2, 2, 9).astype(np.float16), np.arange(9, dtype=np.uint8)
    compiled = pellucid.compile(f)
    for stage in ("typed", "loops"):
        names = {}
        exec(compile(compiled.source(stage, x, y, 3), str(tmp_path / f"{stage}.py"), "exec"), names)
        assert same(quietly(names["f"], x, y, 3), compiled(x, y, 3)), stage


def test_ints_are_int64_beside_small_ones():
    """What counts and indexes is Python's int whatever it is counted from."""
    assert DTYPE[INT_WORD].numpy == np.int64
    agree(lambda n: np.sum(np.array([i * 100 for i in range(5)])) + n, np.uint8(200))
