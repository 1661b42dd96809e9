"""Functions of floating numbers against mpmath: the error in units of the last place, and arguments that are hard.

    worst_error("sin", "f64", *arguments("sin", "f64", 100, generator))    ->    1.2, (2.6,)
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from mpmath import mp, mpf

from pellucid.compiler.targets.llvm.llvm import compile_program
from tests.harness.loops_text import read_loops

NUMPY = {"f64": np.float64, "f32": np.float32}
NAMES = {"arcsin": "asin", "arccos": "acos", "arctan": "atan", "arcsinh": "asinh", "arccosh": "acosh",
         "arctanh": "atanh", "arctan2": "atan2"}  # fmt: skip
MEANING = {
    "exp2": lambda x: mpf(2) ** x,
    "log2": lambda x: mp.log(x, 2),
    "cbrt": lambda x: mp.sign(x) * mp.cbrt(abs(x)),
    "power": lambda x, y: mp.power(x, y),
}
BINARY = {"arctan2", "hypot", "power"}


@lru_cache(maxsize=128)
def loop(name, dtype):
    """A program that applies a function to every element."""
    return compile_program(read_loops(loop_text(name, dtype)))


def loop_text(name, dtype):
    operands = ["x", "y"] if name in BINARY else ["x"]
    parameters = ", ".join(f'{o}: "{dtype}[n]"' for o in operands)
    return f"""
def f({parameters}):
    out = empty(dim(x, 0), "{dtype}")
    for i in range(dim(x, 0)):
        out[i] = {name}({", ".join(f"{o}[i]" for o in operands)})
    return out
"""


def apply(name, dtype, *operands):
    (result,) = loop(name, dtype)([np.ascontiguousarray(o, NUMPY[dtype]) for o in operands])
    return np.asarray(result)


def exact(name, *operands):
    """The value to at least 60 digits after the first that counts."""
    numbers = [mpf(float(x)) for x in operands]
    small = max((-2 * mp.frexp(x)[1] for x in numbers if x and abs(x) < 1), default=0)
    with mp.workprec(260 + min(small, 2300)):
        meaning = MEANING.get(name) or getattr(mp, NAMES.get(name, name))
        return meaning(*numbers)


def error_in_ulps(got, expected, dtype):
    """How far `got` is from the exact value, in units of the last place of the exact one."""
    info = np.finfo(NUMPY[dtype])
    largest, least = mpf(float(info.max)), mpf(float(info.smallest_subnormal))
    if np.isinf(got):  # as good as the number that would come next
        got = np.sign(got) * largest * (1 + mpf(float(info.epsneg)))
    if abs(expected) > largest * 2:
        expected = mp.sign(expected) * largest * (1 + mpf(float(info.epsneg)))
    digits = info.nmant + 1
    unit = max(mpf(2) ** (mp.frexp(expected)[1] - digits), least) if expected else least
    return float(abs(mpf(got) - expected) / unit)


def worst_error(name, dtype, *operands):
    got = apply(name, dtype, *operands)
    worst = (0.0, ())
    for result, *numbers in zip(got.tolist(), *(o.tolist() for o in operands)):
        assert not np.isnan(result), (name, numbers)
        worst = max(worst, (error_in_ulps(result, exact(name, *numbers), dtype), tuple(numbers)))
    return worst


# --- arguments -----------------------------------------------------------------------------------------------------


def arguments(name, dtype, count, generator):
    """Arguments inside the domain: ordinary ones, ones of every size, and ones near the places that are hard."""
    number, info = NUMPY[dtype], np.finfo(NUMPY[dtype])
    low, high = float(np.log2(info.smallest_subnormal)), float(np.log2(info.max)) - 1e-3

    def sizes(first, last):
        return np.exp2(generator.uniform(first, last, count))

    def signed(values):
        return values * generator.choice([-1.0, 1.0], values.size)

    def between(first, last):
        return generator.uniform(first, last, count)

    top = float(np.log(info.max))
    bottom = float(np.log(info.smallest_subnormal)) - 1
    multiples = (np.floor(sizes(0, 40)) * (np.pi / 2)).astype(number)
    near_one = signed(sizes(-50, -2)) + 1.0
    choices = {
        "exp": [between(bottom, top), signed(sizes(low, 5)), between(-1, 1), between(bottom, bottom + 40)],
        "exp2": [between(bottom, top) / np.log(2), signed(sizes(low, 5)), between(-1, 1)],
        "expm1": [between(-50, top), signed(sizes(low, 5)), between(-1.5, 1.5)],
        "sinh": [between(-top - 0.6, top + 0.6), signed(sizes(low, 5)), between(-2, 2)],
        "tanh": [between(-25, 25), signed(sizes(low, 5)), between(-1, 1)],
        "log": [sizes(low, high), between(0.5, 2), near_one],
        "log1p": [sizes(low, high), signed(sizes(low, -0.01)), between(-0.999, 3), sizes(-30, 30)],
        "sin": [between(-10, 10), signed(sizes(low, high)), signed(sizes(-20, 40)), between(0, 40000), multiples],
        "arcsin": [between(-1, 1), signed(sizes(low, 0)), 1 - sizes(-50, -1), signed(0.5 + signed(sizes(-50, -3)))],
        "arctanh": [between(-1, 1), signed(sizes(low, -0.1)), 1 - sizes(-20, -1)],
        "arctan": [between(-5, 5), signed(sizes(low, high)), signed(near_one)],
        "arccosh": [between(1, 5), sizes(0, high), 1 + sizes(-20, 3)],
        "cbrt": [signed(sizes(low, high)), between(-10, 10)],
        "erf": [between(-6, 6), signed(sizes(low, 2.6)), between(-1.2, 1.2)],
        "erfc": [between(-6, 26.5 if dtype == "f64" else 9.1), between(-1, 1), between(0.4, 4)],
    }
    alike = {"cosh": "sinh", "log2": "log", "log10": "log", "cos": "sin", "tan": "sin", "arccos": "arcsin",
             "arcsinh": "arctan"}  # fmt: skip
    if name == "power":
        exponents = np.concatenate([between(-30, 30), between(-1, 1), signed(sizes(2, 18)), np.floor(between(-20, 20))])
        bases = np.concatenate([sizes(-4, 4), sizes(low, high), 1 + signed(sizes(-20, -3)), np.floor(between(-20, 20))])
        return _both(bases, exponents, number)
    if name in BINARY:
        return _both(
            np.concatenate([between(-3, 3), signed(sizes(low, high - 1))]),
            np.concatenate([between(-3, 3), signed(sizes(low, high - 1))]),
            number,
        )
    values = np.concatenate(choices[alike.get(name, name)]).astype(number)
    inside = {"arcsin": abs(values) <= 1, "arctanh": abs(values) < 1, "arccosh": values >= 1, "log": values > 0,
              "log1p": values > -1}.get(alike.get(name, name), np.isfinite(values))  # fmt: skip
    return (values[inside & np.isfinite(values)],)


def _both(first, second, number):
    """Pairs whose power, where that is the question, is an ordinary number."""
    with np.errstate(all="ignore"):
        first, second = first.astype(number), second.astype(number)
        size = abs(second.astype(np.float64) * np.log(abs(first.astype(np.float64))))
    fine = np.isfinite(first) & np.isfinite(second) & (first != 0) & (second != 0)
    fine &= ~(size > np.log(np.finfo(number).max))
    return first[fine], second[fine]
