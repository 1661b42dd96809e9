"""A name that is Python's number on one path and NumPy's on another: the answer is CPython's, or there is none."""

import numpy as np
import pytest

import pellucid

from .harness.answers import agree, function_of, outcome


def alike(found, wanted):
    """Whether two results have the same values, or two exceptions the same type and message."""
    if isinstance(found, tuple | list) and isinstance(wanted, tuple | list):
        return len(found) == len(wanted) and all(map(alike, found, wanted))
    return agree(found, wanted, same_type=False)


INTS = [np.uint8, np.int8, np.uint16, np.int32, np.uint32, np.int64, np.uint64]
WITH_ELEMENTS = [[], [0], [1], [7, 3], [100, 2, 127]]


def held(text, *calls):
    """The outcomes of calls: CPython's, or OverflowError where compiled code cannot tell whose number it has."""
    python = function_of(text, ", ".join("xyz"[: len(calls[0])]))
    compiled, answered = pellucid.compile(python), 0
    for given in calls:
        found, wanted = outcome(compiled, given), outcome(python, given)
        if isinstance(found, OverflowError) and not isinstance(wanted, OverflowError):
            assert "meet in one variable" in str(found), (text, given, found, wanted)
            continue
        assert alike(found, wanted), (text, given, found, wanted)
        answered += 1
    return answered


TAKEN_AS_FOUND = r"""
best = 0\nfor v in x:\n    if v > 5:\n        best = v\nbest - 1
best = 0\nfor v in x:\n    if v > 5:\n        best = v\n(best, best + 1, best * 3, best // 2, best % 2)
best = 1\nfor v in x:\n    best = v\n(~best, best << 1)
best = 5\nfor v in x:\n    best = v\nbest - len(x) * 3 - 1
best = 0\nfor v in x:\n    for w in x:\n        if w > v:\n            best = w\nbest - 1
total = 0\nfor v in x:\n    total += v\n(total, total - 1)
h = 17\nfor v in x:\n    h = h * 31 + v\nh * 7
low = 100\nfor v in x:\n    low = min(low, v)\nlow - 101
best = 2\nfor v in x:\n    best = v\nnp.square(best + len(x)) - 1
a = 0\nfor v in x:\n    a = v\nb = a - 1\nc = b * 2\nc + 1
""".strip().split("\n")


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("line", TAKEN_AS_FOUND)
def test_what_a_loop_begins_with_is_pythons_until_an_element_is_taken(line):
    text = line.replace("\\n", "\n")
    for dtype in INTS:
        calls = [(np.array(elements, dtype),) for elements in WITH_ELEMENTS]
        assert held(text, *calls) >= 2, (text, dtype)


@pytest.mark.filterwarnings("ignore")
def test_no_check_stops_a_loop_that_goes_on_as_numpys():
    words = np.array([250, 251, 252], np.uint8)
    for text in ("h = 17\nfor v in x:\n    h = h * 3 + v\nh", "s = 0\nfor v in x:\n    s += v\ns * 0 + s"):
        assert held(text, (words,), (words[:0],), (words[:1],)) == 3


COMPARED = """
v == y
v < y
v != y
y >= v
""".strip().split("\n")


@pytest.mark.parametrize("begin", [0.0, 0.5, 0, 7])
@pytest.mark.parametrize("compared", COMPARED)
def test_a_comparison_that_comes_out_alike_is_not_checked(compared, begin):
    """The number of the beginning is the same number in every dtype, so that no check of it could ever hold."""
    text = f"v = {begin}\ncount = 0\nfor w in x:\n    count += {compared}\n    v = w\ncount"
    elements = np.array([0, 7, 1]) if isinstance(begin, int) else np.array([0.0, 0.5, 1.0])
    python = function_of(text, "x, y")
    for y in (begin, 1, 2**60, np.int64(7), np.float64(0.5), np.float32(0.5), np.float32(1e-45)):
        compiled = pellucid.compile(python)
        assert alike(outcome(compiled, (elements, y)), outcome(python, (elements, y)))
        assert "meet in one variable" not in compiled.source("loops", elements, y)


def test_a_comparison_that_may_come_out_otherwise_is_checked():
    python = function_of("v = 0.1\ncount = 0\nfor w in x:\n    count += v == y\n    v = w\ncount", "x, y")
    with pytest.raises(OverflowError, match="meet in one variable"):
        pellucid.compile(python)(np.ones(2), np.float32(0.1))  # True of Python's 0.1, which is rounded to y's dtype


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("text", ["x * 16777217", "x + 2**25 + 1", "x - 2**24 - 2", "y + x", "x * x * y"])
def test_an_int_beside_a_float32_keeps_its_digits_or_raises(text):
    text = "x = 1\nif z > 0:\n    x = np.float32(z)\n" + text
    for y in (3, 2**24 + 1, 2**40 + 1):
        python = function_of(text, "z, y")
        compiled = pellucid.compile(python)
        for z in (-1.0, 0.5, 3.25):
            found, wanted = outcome(compiled, (z, y)), outcome(python, (z, y))
            if isinstance(found, OverflowError):
                assert "meet in one variable" in str(found) and z < 0
            else:
                assert alike(found, wanted), (text, z, y, found, wanted)


OF_ARRAYS = ["x * y", "y + x", "np.where(y > 0, y, x)", "np.maximum(y, x)", "y // x"]
MEETINGS = [
    ("1", "np.float32(z)", np.int16([3])), ("1.5", "np.float64(z)", np.float32([3])),
    ("2", "np.int64(z)", np.int8([3])),
]  # fmt: skip


@pytest.mark.parametrize("text", OF_ARRAYS)
@pytest.mark.parametrize(("begin", "numpys", "array"), MEETINGS)
def test_an_array_has_one_dtype_on_all_paths(text, begin, numpys, array):
    function = function_of(f"x = {begin}\nif z > 0:\n    x = {numpys}\n{text}", "y, z")
    with pytest.raises(pellucid.CompileError, match="T002"):
        pellucid.compile(function)(array, 1)


@pytest.mark.parametrize("text", ["np.outer(y, x)", "np.ravel(x)", "np.array([x, True])", "np.stack([x, x])"])
def test_an_array_of_the_number_has_one_dtype_too(text):
    function = function_of(f"x = 1\nif z > 0:\n    x = np.float32(z)\n{text}", "y, z")
    with pytest.raises(pellucid.CompileError, match="T002"):
        pellucid.compile(function)(np.int16([3]), 1)
    same = function_of(f"x = 1.5\nif z > 0:\n    x = np.float64(z)\n{text}", "y, z")
    for z in (0, 1):
        assert agree(pellucid.compile(same)(np.float32([3]), z), same(np.float32([3]), z))


def test_the_way_out_is_to_begin_with_numpys_number():
    python = function_of("s = np.float64(0.0)\nfor v in x:\n    s = s + v\ny * s", "x, y")
    compiled = pellucid.compile(python)
    for given in ((np.float64(elements), np.float32([1, 2])) for elements in ([], [0.5, 2.5])):
        assert agree(compiled(*given), python(*given))


def test_an_array_changed_in_place_keeps_its_dtype():
    text = "s = 0.0\nfor v in x:\n    s = s + v\na = y.copy()\na *= s\na[0] += s\na"
    python = function_of(text, "x, y")
    compiled = pellucid.compile(python)
    for x in (np.float64([]), np.float64([0.5, 2.5])):
        assert agree(compiled(x, np.float32([1, 2])), python(x, np.float32([1, 2])))


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("begin", ["True", "False", "1", "0"])
@pytest.mark.parametrize("text", "x + True; x + x; ~x; x * True; x & True; x | False; x ^ x; x + y; x * 5".split("; "))
def test_bools_of_the_two_kinds_differ_in_arithmetic(begin, text):
    function = f"x = {begin}\nif z > 1:\n    x = y\n{text}"
    python = function_of(function, "y, z")
    compiled = pellucid.compile(python)
    for y in (np.True_, np.False_):
        for z in (0, 2):
            found, wanted = outcome(compiled, (y, z)), outcome(python, (y, z))
            if isinstance(found, OverflowError):
                assert "meet in one variable" in str(found)
            else:
                assert alike(found, wanted), (function, y, z, found, wanted)


@pytest.mark.filterwarnings("ignore")
def test_a_uint64_beyond_int64_meets_a_known_int():
    calls = [(np.uint64([5, v]), flag) for v in (0, 2**40, 2**63 + 40, 2**64 - 1) for flag in (True, False)]
    for text in (
        "a = 0\nif y:\n    a = ~x[1]\na", "a = x[1] if y else 3\na", "max(x[0], 2**40)", "max(x[1], x[0], 2**40)",
        "a = 7\nif y:\n    a = x[1] + np.uint64(2)\na ^ x[0]",
    ):  # fmt: skip
        assert held(text, *calls) == len(calls), text


@pytest.mark.filterwarnings("ignore")
def test_functions_of_numpys_take_each_number_in_its_dtype():
    calls = [(np.uint8(v), k) for v in (0, 1, 100, 255) for k in (-5, 3, 300)]
    for text in ("np.negative(a)", "np.square(a)", "np.add(a, a)", "np.invert(a)"):
        held(f"a = y\nif y < 10:\n    a = x\n{text}", *calls)


def test_divmod_and_its_like_are_held_to_it_too():
    calls = [(np.uint64(a), np.int64(b)) for a in (0, 5, 2**40) for b in (-1, 3, 100)]
    held("a = min(x, y)\ndivmod(7, a)", *calls)
    held("a = 3\nif y > 3:\n    a = x\ndivmod(300, a)", *[(np.uint8(a), b) for a in (1, 3, 200) for b in (2, 5)])


ITEMS = r"""
kept = [0]\nfor v in x:\n    kept.append(v)\n(kept[0] - 1, kept[-1] + 100)
kept = [5]\nfor v in x:\n    kept.append(v)\ns = 0\nfor k in kept:\n    s = s + k\ns
y = [max(v, 3) for v in x]\ny[0] + 100 if len(y) > 0 else 0
[max(v, 3) + 100 for v in x]
sum(x) - 1
sum([max(v, 3) for v in x])
next((v for v in x if v > 5), 0) - 1
""".strip().split("\n")


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("line", ITEMS)
def test_items_of_lists_and_sums_are_several_things_as_well(line):
    for dtype in (np.uint8, np.int16):
        held(line.replace("\\n", "\n"), *[(np.array(elements, dtype),) for elements in ([], [1], [7, 3], [200, 7, 99])])


def test_an_empty_list_is_an_array_beside_such_numbers():
    text = "s = 0.0\nfor v in x:\n    s += v\nfound = []\n(np.array(found), s)"
    python = function_of(text, "x")
    found, wanted = pellucid.compile(python)(np.ones(2)), python(np.ones(2))
    assert agree(found[0], wanted[0]) and found[1] == wanted[1]


def test_an_array_of_a_list_of_both_is_refused():
    with pytest.raises(pellucid.CompileError, match="T002"):
        pellucid.compile(function_of("np.array([max(v, 3) for v in x])", "x"))(np.uint8([1, 2]))


def test_results_of_a_recursion_have_the_meanings_of_its_paths():
    def last(x, k):
        if k < 0:
            return 0
        return x[k] if x[k] > 5 else last(x, k - 1)

    def program(x, k):
        return last(x, k) - 1

    compiled = pellucid.compile(program)
    for elements in ([1, 2], [9, 2], [2, 7]):
        x = np.array(elements, np.uint8)
        found, wanted = outcome(compiled, (x, 1)), outcome(program, (x, 1))
        assert isinstance(found, OverflowError) or agree(found, wanted, same_type=False)
