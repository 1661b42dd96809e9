"""Python's own functions of numbers and texts give what CPython gives, with its errors."""

import random

import numpy as np
import pytest

import pellucid


def divided(a, b):
    return divmod(a, b)


def power(a, k, m):
    return pow(a, k, m)


def rounded(x):
    return round(x, 2), round(x, 0), round(x, 5)


def rounded_as_numpy_does(x):
    return round(x, 2), round(x, 0), round(x, -1), round(x, 3)


def bits(k):
    return k.bit_length()


def listed(x):
    return x.tolist()


def spelled(x, word="abc"):
    total = 0
    for c in word:
        total += ord(c)
    return x * total + len(word) + ("b" in word) + (word[1:] == "bc") + ord(chr(200)) + (word[-1] == "c")


def numbers(rng):
    ends = (2.675, 1e18, 1e-300, float("inf"), float("nan"), -0.001, 0.5, 1.5, 2.5, -0.125, 9007199254740991.5)
    for _ in range(500):
        yield rng.uniform(-10, 10)
        yield rng.randint(-(10**6), 10**6) / 1000 + 0.0005
        yield rng.randint(-(10**9), 10**9) / 2 ** rng.randint(0, 12)
        yield rng.uniform(-1e13, 1e13)
    yield from ends


def powers(rng):
    for _ in range(200):
        yield rng.randint(-50, 50), rng.randint(-5, 60), rng.choice([1, 2, 7, 97, -13, 1000003, 0])


ARGUMENTS = {
    divided: [(7, 2), (-7, 2), (7, -2), (7.5, 2), (-7.5, 2.0), (1, 0), (1.0, 0.0), (1, 0.0), (0.3, -0.1)],
    power: list(powers(random.Random(1))),
    rounded: [(x,) for x in numbers(random.Random(2))],
    rounded_as_numpy_does: [
        (dtype(x),)
        for dtype in (np.float64, np.float32, np.float16)
        for x in (2.675, 1234.5, -0.05, 0.5, np.inf, np.nan, -15.0)
    ],
    bits: [(k,) for k in (0, 1, -1, 255, 256, -256, 2**62)],
    listed: [
        (x,)
        for x in (np.arange(3), np.arange(3.0), np.float32([1.5]), np.array(2.0), np.array([True]),
                  np.arange(6).reshape(2, 3), np.float32([[0.1], [-0.0]]), np.eye(2) > 0.0, np.ones((2, 0)),
                  np.ones((0, 2)))
    ],  # fmt: skip
    spelled: [(2.0,), (2.0, "h\u00e9b")],
}


def outcome(function, args):
    try:
        return repr(function(*args))
    except (ArithmeticError, ValueError) as error:
        return type(error), str(error)


@pytest.mark.parametrize("function", ARGUMENTS, ids=lambda f: f.__name__)
def test_as_in_python(function):
    compiled = pellucid.compile(function)
    for args in ARGUMENTS[function]:
        assert outcome(compiled, args) == outcome(function, args), args


@pytest.mark.parametrize("function, args, code", [
    (lambda x: round(x, 2), (np.complex128(1.5),), "U014"),
    (lambda x: round(x, -1), (15.0,), "U014"),
    (lambda x: x.tobytes(), (np.ones((2, 2)),), "U013"),
    (lambda a, b: pow(a, b, 3), (2.0, 3), "T001"),
])  # fmt: skip
def test_what_is_refused(function, args, code):
    with pytest.raises(pellucid.CompileError) as caught:
        pellucid.compile(function)(*args)
    assert caught.value.diagnostics[0].code == code
