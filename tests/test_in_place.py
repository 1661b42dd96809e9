"""Arguments declared with mutates= are stored into where nothing can fail half-way, and changed as in NumPy."""

import signal

import numpy as np
import pytest

import pellucid
from pellucid import compile
from tests.test_dispatch import native_only


def shift(a):
    a += 1.0


def scale(a, b):
    a *= b
    a -= 0.5


def fill(a, b):
    a[:] = np.sin(b)


def loop(a, b):
    for i in range(len(b)):
        a[i] = b[i] * b[i] + i


def part(a):
    a[1:] = a[:-1]


def part_ahead(a):
    a[:-1] = a[1:] * 0.5


def both_sides(a):
    a[1:-1] = 0.5 * (a[2:] + a[:-2])


def backwards(a):
    a[:] = a[::-1].copy()


def total(a):
    a += 1.0
    return a.sum()


def before(a):
    old = a.copy()
    a += 1.0
    return old


def itself(a):
    a += 1.0
    return a


def view_before(a):
    old = a[1:].copy()
    a *= 2.0
    return old


def prefix(a):
    for i in range(1, a.shape[0]):
        a[i] += a[i - 1]


def normalise(a):
    a /= a.sum()


def element(a, k):
    a += 1.0
    a[k] += 5.0


def often(a, k):
    for _ in range(k):
        a[0] += 1.0


def swap(a, b):
    t = a.copy()
    a[:] = b
    b[:] = t


def two(a, b):
    a += b
    b += a


def masked(a):
    a[a > 0.5] = 0.0


def chosen(a, b):
    a[:] = np.where(a > b, a, b)


def smooth(a, b):
    for i in range(1, a.shape[0] - 1):
        b[i] = a[i - 1] + a[i + 1]
    for i in range(1, a.shape[0] - 1):
        a[i] = b[i]


VECTOR, OTHER = np.linspace(0.0, 2.0, 9) ** 2, np.linspace(2.0, -1.0, 9)
# function, arguments after the first, what is changed, what is stored into by the function itself
CASES = {
    shift: ((), "a", "a"),
    scale: ((OTHER,), "a", "a"),
    fill: ((OTHER,), "a", "a"),
    loop: ((OTHER,), "a", ""),  # the lengths may differ: IndexError half-way
    part: ((), "a", "a"),
    part_ahead: ((), "a", "a"),
    both_sides: ((), "a", "a"),  # the array between is allocated before the first store
    backwards: ((), "a", ""),
    total: ((), "a", "a"),
    before: ((), "a", "a"),
    often: ((10,), "a", ""),  # a signal ends it, as it may take long
    itself: ((), "a", ""),
    view_before: ((), "a", None),
    prefix: ((), "a", "a"),
    normalise: ((), "a", "a"),
    element: ((3,), "a", ""),
    swap: ((OTHER,), "ab", None),
    two: ((OTHER,), "ab", None),
    masked: ((), "a", None),
    chosen: ((OTHER,), "a", "a"),
    smooth: ((OTHER,), "ab", None),
}


def fresh(given):
    return [np.array(value) if isinstance(value, np.ndarray) else value for value in given]


@pytest.mark.parametrize("layout", ["contiguous", "stepped", "backwards"])
@pytest.mark.parametrize("function", CASES, ids=lambda f: f.__name__)
def test_as_numpy_changes_them(function, layout):
    rest, changed, _ = CASES[function]
    compiled = compile(function, mutates=tuple(changed))
    ways = {"contiguous": lambda x: x, "stepped": lambda x: np.repeat(x, 2)[::2], "backwards": lambda x: x[::-1]}
    for _ in range(4):  # compiled, then by the general path, then natively
        ours, theirs = (
            [ways[layout](x) if isinstance(x, np.ndarray) else x for x in fresh((VECTOR, *rest))] for _ in "12"
        )
        got, want = compiled(*ours), function(*theirs)
        for mine, other in zip(ours, theirs):
            np.testing.assert_allclose(mine, other, rtol=1e-14)
        if want is not None:
            np.testing.assert_allclose(np.asarray(got), want, rtol=1e-14)


@pytest.mark.parametrize("function", CASES, ids=lambda f: f.__name__)
def test_which_are_stored_into(function):
    rest, changed, stored = CASES[function]
    text = compile(function, mutates=tuple(changed)).source("loops", VECTOR, *rest)
    returned = text.rstrip().rpartition("return ")[2].split(", ")
    if stored is not None:
        assert {name for name in changed if name in returned} == set(stored), text


def test_matrices_and_parts_of_them():
    rng = np.random.default_rng(0)

    def rows(a, b):
        a += b * 2.0

    compiled = compile(rows, mutates=("a",))
    pairs = ((3, 4), (3, 4)), ((3, 4), (4,)), ((3, 4), (3, 1)), ((2, 3, 4), (3, 1)), ((0, 4), (4,)), ((1, 1), (1,))
    for shapes in pairs:
        for _ in range(4):
            a, b = (rng.standard_normal(shape) for shape in shapes)
            want = a + b * 2.0
            compiled(a, b)
            np.testing.assert_array_equal(a, want)
    large, b = np.zeros((1500, 1500)), np.ones((1500, 1500))
    for k in range(4):
        compiled(large, b)
        assert (large == 2.0 * (k + 1)).all()
    with pytest.raises(ValueError):
        compiled(large, np.ones(3))
    assert (large == 8.0).all()


def test_other_lengths_leave_it_as_it_was():
    compiled = compile(loop, mutates=("a",))
    a = np.zeros(3)
    for _ in range(4):
        with pytest.raises(IndexError):
            compiled(a, np.ones(5))
        assert (a == 0.0).all()
    compiled(a, np.ones(2))
    assert a.tolist() == [1.0, 2.0, 0.0]


HELD = np.arange(4.0)


def test_memory_from_outside_is_read_as_it_was():
    """A constant that is the argument itself: NumPy reads all of it first."""

    def turned(a):
        a[:] = HELD[::-1] + 1.0

    compiled = compile(turned, mutates=("a",))
    for _ in range(4):
        want = HELD[::-1] + 1.0
        compiled(HELD)
        assert (HELD == want).all()


@native_only
def test_no_signal_ends_a_call_that_stores_in_place():
    """The handler raises when the call is over: all elements have changed, and not a part of them."""

    def costly(a):
        a[:] = np.sin(np.cos(np.sin(np.cos(a)))) + 1.0

    compiled, seen = compile(costly, mutates=("a",)), []
    for _ in range(3):
        compiled(np.ones(3))
    a = np.ones(3_000_000)

    def handler(number, frame):
        seen.append(number)
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGALRM, handler)
    try:
        with pytest.raises(KeyboardInterrupt):
            signal.setitimer(signal.ITIMER_REAL, 0.002)
            while True:
                a[:] = 1.0
                compiled(a)
    finally:
        signal.signal(signal.SIGALRM, before)
    assert seen == [signal.SIGALRM] and len(set(a[[0, 1, 1_000_000, -1]].tolist())) == 1


@pytest.mark.parametrize("mutates", ["a", "b", "ab"])
def test_stages_say_what_is_stored(mutates):
    function = compile(swap, mutates=tuple(mutates)) if mutates == "ab" else compile(scale, mutates=("a",))
    a, b = VECTOR.copy(), OTHER.copy()
    want = [a.copy(), b.copy()]
    (swap if mutates == "ab" else scale)(*want)
    function.debug("loops")(a, b)
    np.testing.assert_allclose(a, want[0])
    np.testing.assert_allclose(b, want[1])


def test_array_is_not_changed():
    with pytest.raises(ValueError, match="mutates="):
        compile(shift, mutates=("a",))(pellucid.Array(VECTOR))


@pytest.mark.parametrize("count", [3, 12])
def test_arrays_in_lists(count):
    """Those of a short list are changed; a long list is made into one array, so that it is refused."""

    def first(arrays):
        arrays[0] += 1.0
        arrays[1][0] = 5.0

    compiled, arrays = compile(first, mutates=("arrays",)), [np.zeros(2) for _ in range(count)]
    for _ in range(3):
        if count > 8:
            with pytest.raises(pellucid.TypeMismatchError, match="holds a long list"):
                compiled(arrays)
        else:
            compiled(arrays)
    assert [a.tolist() for a in arrays[:3]] == ([[0.0, 0.0]] * 3 if count > 8 else [[3.0, 3.0], [5.0, 0.0], [0.0, 0.0]])
