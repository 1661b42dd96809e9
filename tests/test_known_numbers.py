"""NumPy's numbers that are known when a function is compiled keep their dtype: static, from outside, in containers."""

import dataclasses
import typing
import warnings

import numpy as np
import pytest

import pellucid

from .harness.answers import agree, outcome

X = np.arange(1, 4, dtype=np.float32)
NUMBERS = [
    np.float64(1.5), np.float32(1.5), np.float16(-0.0), np.complex64(1 + 2j), np.complex128(1 + 2j), np.int8(100),
    np.uint8(200), np.int64(1), np.uint64(2**63 + 5), np.bool_(True),
]  # fmt: skip
BODIES = {
    "promotion": lambda c, x: (c * x, c + c, c * 2, c / 3, c**2),
    "functions": lambda c, x: (np.sqrt(c), abs(c), np.full(2, c), np.array([c, 1]), np.where(x > 1, c, x)),
    "comparison": lambda c, x: (c == 1.5, c != c, x + (c == 1.5)),
    "branch": lambda c, x: x if c == 1.5 else (x, c),
    "attributes": lambda c, x: (c.real, c.imag, c.ndim, c.size, c.item(), c.conjugate(), c.astype(np.float32)),
    "index": lambda c, x: (x[c], x[c:], (x, 1)[c], np.sum(x, axis=c - 1), x[:: c + 1], np.zeros(c + 2)),
    "loop": lambda c, x: [x[0] + k for k in range(c)] if c < 2 else x,
    "wraps": lambda c, x: (c * c * c, -c, c << 1),
    "zero": lambda c, x: c / (c - c),
    "sum": lambda c, x: (sum([c, c]), max(c, c), divmod(c, 2)),
}


class Model(typing.NamedTuple):
    c: object


@dataclasses.dataclass(frozen=True)
class Record:
    c: object


def routes(body, c):
    """Functions of x that find the number in all the ways there are, and what is given before x."""
    static = {"static": ("c",)}
    pair, model, record, table = (c, c), Model(c), Record(c), {"c": c}

    def with_default(x, c=c):
        return body(c, x)

    def with_inner_default(x):
        def inner(x, c=c):
            return body(c, x)

        return inner(x)

    yield body, (c,), static
    yield lambda c, x: body(c[0], x), (pair,), static
    yield lambda c, x: body(c["c"], x), (table,), static
    yield lambda c, x: body(c.c, x), (record,), static
    yield lambda x: body(c, x), (), {}
    yield lambda x: body(pair[1], x), (), {}
    yield lambda x: body(model.c, x), (), {}
    yield lambda x: body(record.c, x), (), {}
    yield lambda x: body(table["c"], x), (), {"freeze": ("table",)}
    yield with_inner_default, (), {}
    if body is not BODIES["branch"]:
        yield with_default, (), {}


@pytest.mark.parametrize("name", BODIES)
@pytest.mark.filterwarnings("ignore")
def test_a_known_number_has_its_dtype(name):
    seen = 0
    for number, c in enumerate(NUMBERS):
        ways = list(routes(BODIES[name], c))
        for function, given, options in (ways[0], ways[4], ways[1 + number % 3], ways[5 + number % (len(ways) - 5)]):
            wanted = outcome(function, (*given, X))
            found = outcome(pellucid.compile(function, **options), (*given, X))
            if not isinstance(found, pellucid.CompileError):
                seen += 1
                assert agree(found, wanted) or type(found) is type(wanted) is not tuple and str(found) == str(wanted), (
                    name, c, function, found, wanted)  # fmt: skip
    assert seen >= (4 if name == "index" else 12)


def test_numbers_that_differ_in_dtype_or_sign_are_compiled_apart():
    scaled = pellucid.compile(lambda c, x: c / x, static=("c",))
    for c in (np.float32(0.0), np.float32(-0.0), np.float64(0.0), 0.0, np.float32(np.nan), np.int8(0), np.bool_(False)):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            assert agree(scaled(c, X), c / X)
            assert np.array_equal(np.signbit(scaled(c, X)), np.signbit(c / X))


def test_a_known_number_that_meets_one_of_the_run():
    def chosen(c, x):
        best = c
        for k in range(x.shape[0]):
            if x[k] > 2:
                best = best * np.float32(2)
        return best

    for c in (np.float32(1.5), np.float64(1.5)):
        assert agree(pellucid.compile(chosen, static=("c",))(c, X), chosen(c, X))


def test_derivatives_go_through_known_numbers():
    def loss(c, x):
        return np.sum(c * x * x)

    slopes = pellucid.grad(loss, argnums=1)
    for c in (np.float32(1.5), np.float64(1.5)):
        outside = pellucid.grad(lambda x, c=c: loss(c, x))
        assert slopes(c, X).dtype == outside(X).dtype == np.float32
        np.testing.assert_allclose(outside(X), 2 * c * X)


def test_dtypes_that_the_language_does_not_have_are_refused():
    c = np.longdouble(1.5)
    with pytest.raises(pellucid.CompileError):
        pellucid.compile(lambda x: x * c)(X)
    with pytest.raises(pellucid.CompileError):
        pellucid.compile(lambda c, x: x * c, static=("c",))(c, X)
