"""Python's own operators, builtins and subscripts on values of every kind, known now or not.

The answer is CPython's, or its error when the program runs, or a refusal; nothing fails inside of the compiler.
"""

import itertools
import random

import numpy as np
import pytest

import pellucid

from .harness.answers import agree, function_of, outcome
from .harness.fuzz.check import is_ours

X = np.array([1.0, 2.0])
VALUES = [
    "None", "'ab'", "2", "2.5", "True", "-1", "()", "(1, 2)", "('a', 1)", "[1, 2.0]", "{'k': 1}", "range(3)", "...",
    "slice(1, 2)", "np", "np.float64", "np.sin", "(lambda v: v)", "ValueError", "math.pi", "np.int64(3)",
    "x", "x.shape", "x.dtype", "x[0]", "len(x)", "x.sum",
]  # fmt: skip
INFIX = ["+", "-", "*", "/", "//", "%", "**", "@", "&", "|", "<<", "<", "<=", "==", "!=", "in", "is"]
USES = [
    "-{}", "not {}", "~{}", "len({})", "int({})", "float({})", "bool({})", "abs({})", "sum({})", "max({})",
    "min({})", "round({})", "tuple({})", "list({})", "dict({})", "list(enumerate({}))", "list(zip({}))",
    "list(reversed({}))", "any({})", "all({})", "{}()", "{}[0]", "{}['k']", "{}.shape", "{}.k", "{{{}: 1.0}}",
    "[v for v in {}]", "np.zeros({})", "np.sum({})", "np.array({})", "np.zeros(2, dtype={})", "x[{}]",
    "x.reshape({})", "math.sqrt({})", "range({})", "zip({}, x)", "np.full(2, {})", "float(*{})", "x.sum(axis={})",
    "1.0 if {} else 2.0", "np.where({}, 1.0, 2.0)", "np.concatenate({})", "x.astype({})", "list({}.items())",
    "[1, 2][{}]", "(1, 2)[{}:]", "{{'k': 1}}[{}]", "{{'k': 1}}.get({})", "'abc'[{}]", "x[{}:]", "'a'.join({})",
    "isinstance({}, int)", "int({}, 16)",
]  # fmt: skip
PAIRS = [f"({a}) {op} ({b})" for a, b, op in itertools.product(VALUES, VALUES, INFIX)]
CHOSEN = random.Random(8).sample(PAIRS, 150)  # of 12 000; a use takes 7 values of 27


def assert_answered(text, arguments=(X,), parameters="x"):
    python = function_of(text, parameters=parameters)
    found, wanted = (outcome(f, arguments) for f in (lambda *given: pellucid.compile(python)(*given), python))
    if isinstance(found, pellucid.CompileError):
        return
    assert not (isinstance(found, Exception) and is_ours(found)), (text, found)
    assert agree(found, wanted) or type(found) is type(wanted) and found == wanted, (text, found, wanted)


@pytest.mark.parametrize("use", USES)
@pytest.mark.filterwarnings("ignore")
def test_every_kind_of_value(use):
    for value in random.Random(use).sample(VALUES, 7):
        assert_answered(use.format(f"({value})"))


@pytest.mark.parametrize("start", range(0, len(CHOSEN), 50))
@pytest.mark.filterwarnings("ignore")
def test_operators(start):
    for text in CHOSEN[start : start + 50]:
        assert_answered(text)


# --- `is` -----------------------------------------------------------------------------------------------------------

IDENTITIES = [
    "flag is True", "flag is False", "flag is not True", "True is flag", "(not flag) is True", "(x[0] > 0) is True",
    "x is None", "flag is not None", "k is 2", "k is k", "(k + 1) is (k + 1)", "x is x", "x is y", "x.shape is x.shape",
    "(x if flag else y) is x", "x[0] is x[0]", "x is k", "(x,) is (x,)",
]  # fmt: skip


@pytest.mark.parametrize("text", IDENTITIES)
@pytest.mark.filterwarnings("ignore")
def test_identity(text):
    for flag in (True, False):
        assert_answered(text, (flag, 2, X, X), "flag, k, x, y")


RATE_THAT_IS_READ = 0.5


def test_a_global_that_is_only_read_may_be_declared():
    def scaled(x):
        global RATE_THAT_IS_READ
        return x * RATE_THAT_IS_READ

    assert pellucid.compile(scaled)(3.0) == 1.5


@pytest.mark.parametrize("text", ["x + 3 ** 10**7", "x + (1 << 10**9)", "x + 10**5000"])
def test_an_int_of_many_bits_is_refused(text):
    with pytest.raises(pellucid.TypeMismatchError, match="bits"):
        pellucid.compile(function_of(text, "x"))(1)


def test_an_async_function_is_refused_as_one():
    async def waited(x):
        return x

    with pytest.raises(pellucid.UnsupportedError, match="async"):
        pellucid.compile(waited)
