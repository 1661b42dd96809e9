"""What indexing gives, against NumPy: types of every form, and the arithmetic of slices by brute force."""

import itertools

import numpy as np
import pytest

import pellucid
from pellucid.compiler import syntax, types
from pellucid.compiler.ops.indexing import index_type
from pellucid.compiler.ops.schema import TypeFault
from pellucid.compiler.ops.slices import bounds, is_full, slice_extent, takes_one

from .harness import operators as harness

A = np.arange(60.0).reshape(3, 4, 5)
ROWS = np.array([2, 0])
GRID = np.array([[0, 1, 2], [1, 1, 0]])
MASK = np.array([True, False, True])
MASK2 = A[:, :, 0] % 3 == 0

INDICES = [
    (0,), (np.int32(1),), (0, 1), (0, 1, 2), (0, slice(None), 1), (slice(None), 1), (Ellipsis,),
    (slice(1, None),), (slice(1, -1), slice(None, -2)), (slice(None), slice(None), slice(1, None)),
    (0, slice(1, 3)), (0, 1, slice(2, 4)), (slice(None, None, -1),), (slice(None, None, 2),),
    (None,), (None, 0), (slice(None), None, 1), (slice(None), slice(None), slice(None), None),
    (ROWS,), (GRID,), (slice(None), ROWS), (ROWS, ROWS), (ROWS, slice(None), ROWS), (0, slice(None), ROWS),
    (slice(None), 0, ROWS), (ROWS, 1), (slice(None), ROWS, 1), (GRID, ROWS[:1]), (ROWS, None, ROWS), (None, ROWS),
    (ROWS[:, None], np.array([0, 3, 1])), (slice(1, None), ROWS, slice(None, 2)),
    (MASK,), (MASK2,), (MASK, 0), (MASK, slice(None), 1), (MASK2, 0), (0, np.array([True, False, True, True])),
]  # fmt: skip


def items_of(index, values):
    """The index as typed items; arrays and numbers of NumPy get names."""
    items = []
    for part in index:
        if isinstance(part, np.ndarray | np.generic):
            name = f"i{len(values)}"
            values[name] = part
            items.append(syntax.name(name))
        elif isinstance(part, slice):
            items.append(syntax.slice_(part.start, part.stop, part.step))
        elif part is not Ellipsis:
            items.append(syntax.constant(part))
    return items


@pytest.mark.parametrize("symbolic", [False, True], ids=["lengths", "symbols"])
@pytest.mark.parametrize("array", [A, A.T.copy().T, A[:, ::2]], ids=["c", "fortran", "strided"])
@pytest.mark.parametrize("index", INDICES, ids=str)
def test_type_of_index(index, array, symbolic):
    if array.shape != A.shape and any(isinstance(i, np.ndarray) for i in index):
        index = tuple(np.minimum(i, 1) if isinstance(i, np.ndarray) and i.dtype != bool else i for i in index)
    try:
        expected = array[index]
    except IndexError:
        pytest.skip("not an index of this array")
    values = {"a": array}
    items = items_of(index, values)
    builder = harness.builder_for(values, symbolic)
    found = index_type(builder, builder.types["a"], items)
    assert not harness.mismatch(expected, found, harness.symbol_lengths(values))
    if isinstance(found, types.Array) and found.layout == "C":
        assert expected.flags.c_contiguous or any(isinstance(i, np.ndarray) for i in index)


def test_contiguity_is_found():
    builder = harness.builder_for({"a": A})
    for index in ((0,), (0, 1), (slice(1, None),), (0, slice(1, 3)), (0, 1, slice(2, 4)), (None, 0)):
        assert index_type(builder, builder.types["a"], items_of(index, {})).layout == "C", index


@pytest.mark.parametrize(
    ("code", "base", "items"),
    [
        ("S002", "f64[n]", ["int", "int"]),
        ("T001", "f64[n]", ["f64"]),
        ("T001", "f64[n]", ["bool"]),
        ("T001", "f64[n]", ["f64[m]"]),
        ("T001", "f64", ["int"]),
        ("T001", "[f64]", ["int", "int"]),
        ("S003", "f64[3]", ["bool[2]"]),
        ("T001", "f64[n, m]", ["bool[n]", "i64[k]"]),
        ("S001", "f64[n, m]", ["i64[2]", "i64[3]"]),
    ],
)
def test_what_does_not_index_is_refused(code, base, items):
    builder = harness.builder_for({})
    builder.types |= {f"i{k}": types.parse(t) for k, t in enumerate(items)}
    with pytest.raises(TypeFault) as caught:
        index_type(builder, types.parse(base), [syntax.name(f"i{k}") for k in range(len(items))])
    assert caught.value.code == code


def test_list_gives_its_element():
    builder = harness.builder_for({"i": 1})
    assert index_type(builder, types.parse("[f64[n]]"), [syntax.name("i")]) == types.parse("f64[n]")


# --- lengths of slices ---------------------------------------------------------------------------------------------

BOUNDS = (None, *range(-4, 5))


@pytest.mark.parametrize("dim", ["n", "n + 2", "n - 2", "2*n", "5", "0"])
def test_length_of_constant_slices(dim):
    """Wherever a length is given as an affine expression, it is CPython's for every n.

    `:1` and `-1:` of an empty axis are an error where they are taken, see `test_a_slice_of_one_needs_an_item`.
    """
    extent = types.parse_dim(dim)
    exact = 0
    for start, stop, step in itertools.product(BOUNDS, BOUNDS, (None, 1, -1, 2, -3)):
        found = slice_extent(builder_with_symbols(), syntax.slice_(start, stop, step), extent)
        if is_fresh(found):
            continue
        exact += 1
        for n in range(8):
            length = harness.length_of(extent, {"n": n}, n)
            if length == 0 and takes_one(syntax.slice_(start, stop, step)):
                continue
            expected = len(range(length)[slice(start, stop, step)])
            assert harness.length_of(found, {"n": n}, n) == expected, (start, stop, step, n)
    assert exact > 40


@pytest.mark.parametrize("take", [lambda x: x[:1], lambda x: x[-1:], lambda x: x[0:1] * 2.0])
def test_a_slice_of_one_needs_an_item(take):
    f = pellucid.compile(take)
    x = np.arange(3.0)
    np.testing.assert_array_equal(f(x), take(x))
    with pytest.raises(ValueError, match="of an axis of length 0"):
        f(np.zeros(0))


@pytest.mark.parametrize("dim", ["n", "n + 1", "n + m", "2*n", "n - 1"])
@pytest.mark.parametrize("fact", ["n", "m", "n - 1", "n - 2", "n - 3", "n + 1", "2"])
def test_length_of_slices_between_known_lengths(dim, fact):
    extent, known = types.parse_dim(dim), types.parse_dim(fact)
    constant = 0 if isinstance(known, int) else known.constant
    for parts in ((None, "k"), ("k", None), (1, "k"), ("k", -1), (-1, "k"), ("k", 0)):
        builder = builder_with_symbols()
        builder.extents["k"] = known
        found = slice_extent(builder, syntax.slice_(*parts), extent)
        if is_fresh(found):
            continue
        for n, m in itertools.product(range(6), range(4)):
            lengths = {"n": n, "m": m}
            k = 2 if isinstance(known, int) else constant + sum(f * lengths[s] for s, f in known.terms)
            length = harness.length_of(extent, lengths, 0)
            expected = len(range(length)[slice(*(k if p == "k" else p for p in parts))])
            assert harness.length_of(found, lengths, 0) == expected, (parts, lengths, str(found))


def test_lengths_that_are_known():
    for base, known, parts, expected in (
        ("n", "n - 1", (None, "k"), "n - 1"), ("n", "n - 2", (1, "k"), "n - 3"), ("n + m", "n", ("k", None), "m"),
        ("n + m", "n", (None, "k"), "n"), ("2*n", "n", (None, "k"), "n"), ("n", "n", (None, "k"), "n"),
        ("n", "m", ("k", 0), "0"),
    ):  # fmt: skip
        builder = builder_with_symbols()
        builder.extents["k"] = types.parse_dim(known)
        assert slice_extent(builder, syntax.slice_(*parts), types.parse_dim(base)) == types.parse_dim(expected)


def builder_with_symbols():
    builder = harness.builder_for({"k": 3})
    builder.symbols |= {"n", "m"}
    return builder


def is_fresh(extent):
    return isinstance(extent, types.Dim) and not set(extent.symbols()) <= {"n", "m"}


@pytest.mark.parametrize("named", [False, True], ids=["constants", "names"])
def test_bounds_are_slice_indices(named):
    for start, stop, step in itertools.product(BOUNDS, BOUNDS, (None, 1, 2, 3, -1, -2)):
        values = {"start": start, "stop": stop, "step": step}
        slice_ = syntax.slice_(*(name if named and value is not None else value for name, value in values.items()))
        for length in range(6):
            values["n"] = length
            begin, count, stride = (harness.evaluate(e, values) for e in bounds(slice_, syntax.name("n")))
            expected = range(length)[slice(start, stop, step)]
            assert [begin + k * stride for k in range(count)] == list(expected), (start, stop, step, length)


def test_full_slices():
    assert is_full(syntax.slice_()) and is_full(syntax.slice_(0)) and is_full(syntax.slice_(None, None, 1))
    assert not is_full(syntax.slice_(1)) and not is_full(syntax.slice_(None, "n")) and not is_full(syntax.slice_("i"))


PLACES = {  # an index, and how often its slope is added rather than stored
    "picked": (lambda a, y: a[np.arange(len(a)), y], 0),
    "first rows": (lambda a, y: a[np.arange(2), 1], 0),
    "diagonal": (lambda a, y: np.diag(a[:, :3]), 0),
    "a length of one": (lambda a, y: a[np.arange(1), y], 1),
    "from the end": (lambda a, y: a[np.arange(-2, 2)], 1),
    "of the user": (lambda a, y: a[y], 1),
}


def with_a_place_twice(a, y):
    rows = np.arange(len(a))
    part = rows[1:]
    part[0] = 0
    return np.sum(a[rows] ** 2)


@pytest.mark.parametrize("name", [*PLACES, "changed"])
def test_slopes_are_stored_where_no_place_comes_twice(name):
    if name == "changed":
        f, count = with_a_place_twice, 1
    else:
        taken, count = PLACES[name]
        f = pellucid.compile(lambda a, y: np.sum(taken(a, y) ** 2), freeze=("taken",))
    a, y = np.random.default_rng(0).normal(size=(3, 4)), np.array([1, 1, 2])
    h = 1e-6 * np.random.default_rng(1).normal(size=a.shape)
    np.testing.assert_allclose(np.sum(pellucid.grad(f)(a, y) * h), (f(a + h, y) - f(a - h, y)) / 2.0, rtol=1e-6)
    assert pellucid.grad(f).source("reverse", "f64[n, m]", "i64[n]").count("add.at") == count
