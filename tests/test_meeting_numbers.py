"""Numbers of Python's that meet NumPy's of few bits, in variables, choices and operators: the values are CPython's."""

import numpy as np
import pytest

import pellucid

from .harness.answers import agree, function_of, outcome

pytestmark = pytest.mark.drawn(5)

NARROW = [np.int8, np.uint8, np.int16, np.uint16, np.int32, np.uint32]
CHOICES = ["max(x, y)", "min(x, y)", "x if x < 50 else y", "x and y", "x or y", "max(y, x)", "min(max(x, y), 7)"]
LARGE = [256, -1, 2**40, -129, 70000, 3]


def compare(text, given, same_type=False):
    python = function_of(text, ", ".join("xyz"[: len(given)]))
    found, wanted = outcome(pellucid.compile(python), given), outcome(python, given)
    assert agree(found, wanted, same_type=same_type), (text, given, found, wanted)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("text", CHOICES)
def test_a_choice_holds_both(text):
    python = function_of(text, "x, y")
    compiled = pellucid.compile(python)
    for dtype in NARROW:
        for x, y in ((dtype(v), k) for v in (0, 5, 60, 127) for k in LARGE):
            found, wanted = compiled(x, y), python(x, y)
            assert found == wanted and type(found) is int, (text, x, y)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("text", CHOICES)
def test_a_choice_beside_a_float32_keeps_all_digits(text):
    python = function_of(text, "x, y")
    compiled = pellucid.compile(python)
    for x, y in ((np.float32(v), k) for v in (0.0, 5.1, -3.3, 60.0) for k in (1e300, 0.1, -1e-300, 2.0**24 + 1)):
        assert compiled(x, y) == python(x, y)


def alike(found, wanted):
    """Whether two numbers, or nested lists of numbers, or two exceptions are alike."""
    if isinstance(wanted, list):
        return len(found) == len(wanted) and all(map(alike, found, wanted))
    return agree(found, wanted, same_type=False)


LOOPS = r"""
best = y\nfor v in x:\n    if v > best:\n        best = v\nbest
best = y\nfor v in x:\n    best = max(best, v)\nbest
total = y\nfor v in x:\n    total = total + v\ntotal
kept = [y]\nfor v in x:\n    kept.append(v)\nkept
if len(x) > 1:\n    a = x[0]\nelse:\n    a = y\na
[[max(v, y) for v in x] for _ in range(2)]
""".strip().split("\n")


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("line", LOOPS)
def test_a_variable_holds_both(line):
    python = function_of(line.replace("\\n", "\n"), "x, y")
    compiled = pellucid.compile(python)
    for dtype in NARROW:
        for given in ((np.array([5, 120, 7], dtype)[:length], y) for length in (0, 3) for y in (-1, 0, 300)):
            found, wanted = outcome(compiled, given), outcome(python, given)
            assert alike(found, wanted), (given, found, wanted)


def test_a_loop_that_begins_with_a_number_of_the_dtype_is_numpys():
    x = np.array([1.5, -2.0, 3.0], np.float32)
    for text in (
        "best = -np.inf\nfor v in x:\n    best = max(best, v)\nbest * 0.1",
        "total = 0.0\nfor v in x:\n    total += v * v\ntotal / len(x)",
        "best = 0\nfor v in x:\n    if v > best:\n        best = v\nbest",
    ):
        compare(text, (x,), same_type=True)
    words = np.array([1, 5, 7, 200, 9, 10, 12], np.uint32)
    compare("h = 5381\nfor v in x:\n    h = h * 33 + v\nh", (words,), same_type=True)


def test_a_loop_that_puts_other_numbers_of_pythons_there_keeps_their_digits():
    text = "s = 0.0\nfor v in x:\n    if v > 2:\n        s = v\n    elif v > 0:\n        s = s + y\ns"
    compare(text, (np.array([1.5, -2.0, 1.0], np.float32), 0.1))


def test_arithmetic_that_wraps_for_one_of_the_two_is_no_answer():
    f = pellucid.compile(function_of("max(x, y) + z", "x, y, z"))
    assert f(np.uint8(150), 300, 200) == 500 and f(np.uint8(5), 100, 100) == 200
    for given in ((np.uint8(5), 100, 200), (np.uint8(150), 100, 200)):
        with pytest.raises(OverflowError, match="meet in one variable"):
            f(*given)
    g = pellucid.compile(function_of("a = x[0]\nfor i in range(y):\n    a = a * 2 + z\na", "x, y, z"))
    assert g(np.int8([12]), 3, 1.5) == 106.5
    with pytest.raises(OverflowError, match="meet in one variable"):
        g(np.int8([127]), 1, 1.0)


def test_the_dtype_of_an_array_does_not_depend_on_the_path():
    f = pellucid.compile(function_of("x + max(y, 3)", "x, y"))
    assert agree(f(np.uint8([1, 2]), np.uint8(7)), np.uint8([8, 9]))
    with pytest.raises(pellucid.CompileError, match="int8 or int16"):
        f(np.int8([100]), np.uint8(50))
    with pytest.raises(pellucid.CompileError, match="float32 or float64"):
        f(np.float32([100]), np.int32(50))


IN_VAIN = r"""
x + y if z else x
x if z else np.minimum(x, y)
z and x + y > 3
try:\n    r = x * y\nexcept OverflowError:\n    r = x\nr
b = x * y\nx
b = np.minimum(x, 300)\nx
a = np.array([x, x])\na[0] *= y\nx
""".strip().split("\n")


@pytest.mark.parametrize("line", IN_VAIN)
def test_an_int_that_does_not_fit_raises_on_its_path_alone(line):
    for z in (False, True):
        for y in (3, 300, -1):
            text = line.replace("\\n", "\n")
            compare(text, (np.uint8(7), y, z))


NUMBERS_OF_NARROW_INTS = """
x ** 0.5; np.power(x, 0.5); np.sum(x ** 0.5); np.mean(x ** 0.5); (x ** 0.5) @ x; x[0] ** 0.5; (1 in x) + (2 in x)
1 in x; 9 not in x; np.gcd(x, 300); np.lcm(x, 300); np.gcd(300, x); np.divmod(x, 300); np.ldexp(x, 2**40)
np.ldexp(x, 3); np.clip(x, -5, 300); np.clip(x, 10, 300); np.clip(x, 300, 400); np.clip(x, None, 300); x.clip(-300)
np.clip(x[0], -300, 300); np.clip(x, -400, -300); np.trapezoid(x, dx=300); np.trapezoid(x, dx=3); np.unwrap(x)
np.unwrap(x, period=4); np.unwrap(x, period=5); np.quantile(x, 0); np.quantile(x, [0, 1]); np.nanquantile(x, 1)
np.nanpercentile(x, 40, method="lower"); np.select([x > 3], [x], -1); np.select([x > 3], [x], 300)
np.pad(x, 1, constant_values=300); np.pad(x, 3, "linear_ramp", end_values=-7); np.pad(x, (2, 5), "linear_ramp")
np.ediff1d(x, to_begin=0.5); np.ediff1d(x, to_begin=-1); np.polydiv(x, x[:2]); np.polydiv(x, [2, 1])
np.bincount(x); np.gradient(x); np.add.outer(x, 1); np.multiply.outer(1.5, x)
""".replace("\n", ";").split(";")


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("text", [t.strip() for t in NUMBERS_OF_NARROW_INTS if t.strip()])
def test_functions_of_narrow_ints(text):
    for dtype in (np.int8, np.uint8, np.int16, np.uint16):
        compare(text, (np.array([7, 120, 2], dtype),), same_type=True)


def test_bounds_of_the_run_that_cannot_bind_are_none():
    for low, high in ((-5, 300), (10, 300), (10, 200), (300, 10), (-10, -5)):
        compare("np.clip(x, y, z)", (np.uint8([5, 250, 3]), low, high), same_type=True)


@pytest.mark.parametrize("text", ["np.gcd(x, y)", "np.lcm(x, y)", "np.ldexp(1.5, x)"])
def test_a_uint64_goes_with_no_signed_ints(text):
    with pytest.raises(pellucid.CompileError, match="T001"):
        pellucid.compile(function_of(text, "x, y"))(np.uint64(3), np.int8(3))


@pytest.mark.parametrize(
    ("dtype", "value"), [(np.uint32, np.int8([1])), (np.uint8, np.int16(3)), (np.int8, np.uint64(3)), (np.uint8, -1)]
)
def test_no_result_with_a_sign_goes_where_there_is_none(dtype, value):
    function = function_of("a = x.copy()\na += y\na", "x, y")
    found, wanted = outcome(pellucid.compile(function), (dtype([3]), value)), outcome(function, (dtype([3]), value))
    assert isinstance(wanted, Exception)
    assert isinstance(found, pellucid.TypeMismatchError | OverflowError)
    element = function_of("a = x.copy()\na[0] += y\na", "x, y")
    if isinstance(value, np.int16):
        assert agree(pellucid.compile(element)(dtype([3]), value), element(dtype([3]), value))
