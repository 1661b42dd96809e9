"""Random programs that raise and catch, and whose variables are None until they have a value.

    text = random_program(7)     ->     def _helper(x, t): ...
                                        def program(x, a, b, i): ...; return a number, an int, a number or None

The blocks of `try` hold divisions, functions of `math`, indices, helpers that raise, loops, branches and other `try`
statements; handlers set variables, leave loops, return, or raise again.  Every variable that is read has a value, or
CPython says that it has none, as it does for None.
"""

import random

import numpy as np

EXCEPTIONS = ("ZeroDivisionError", "ValueError", "IndexError", "(ZeroDivisionError, IndexError)", "ArithmeticError",
              "LookupError", "Exception", "_Mine", "(ValueError, _Mine)", "TypeError")  # fmt: skip
TERMS = (
    "{p} / {q}", "{p} * {q} - 1.0", "math.sqrt({p})", "math.log({p} + 1.0)", "float(x[i])", "float(x[i + 1]) * {p}",
    "{p} // {q}", "{p} % {q}", "_helper(x, {p})", "{p} + 0.5", "{p} / ({q} - 1.0)", "1.0 / ({p} - {q})", "float(x[-i])",
    "_nested({p}, {q})", "({p} if {p} > {q} else {p} / {q})", "math.sin({p})",
)  # fmt: skip
PREAMBLE = '''
import math

import numpy as np


class _Mine(Exception):
    pass


def _helper(x, t):
    total = 0.0
    for v in x:
        if v > t + 2.0:
            raise _Mine("too large")
        total += 1.0 / (float(v) - t)
    return total


def _nested(p, q):
    try:
        y = p / q
    except ZeroDivisionError:
        if p > 0.5:
            raise ValueError("from inside") from None
        y = -1.0
    return y


def _found(x, t):
    for v in x:
        if v > t:
            return float(v)
    return None


def program(x, a, b, i):
    c, d, count = 0.5, 1.5, 0
    last = None
'''


def random_program(seed):
    choose = random.Random(seed)
    lines = []
    for _ in range(choose.randint(1, 3)):
        lines += _statement(choose, 1, 0, False)
    end = ["    return a + b * c - d, count, last"]
    return PREAMBLE + "\n".join([*lines, *end]) + "\n"


def _term(choose):
    p, q = (choose.choice("abcd") for _ in range(2))
    return choose.choice(TERMS).format(p=p, q=q)


def _block(choose, depth, inside, in_loop):
    return [line for _ in range(choose.randint(1, 2)) for line in _statement(choose, depth, inside, in_loop)]


def _statement(choose, depth, inside, in_loop):
    """`inside` counts the `try` statements around."""
    margin, kind = "    " * depth, choose.random()
    if depth < 5 and (kind < 0.22 or depth == 1 and kind < 0.6):
        return _try(choose, depth, inside, in_loop)
    if kind < 0.34 and depth < 4:
        head = choose.choice(["for k in range(3):", "for v in x:", "while count < 4:", "for k, v in enumerate(x):"])
        body = _block(choose, depth + 1, inside, True)
        return [f"{margin}{head}", f"{margin}    count += 1", *body]
    if kind < 0.46 and depth < 5:
        test = choose.choice(["a > b", "i > 1", "c < 1.0", "count % 2 == 0", "last is None", "last is not None",
                              "1.0 / a > b", "last is None or last > a"])  # fmt: skip
        other = [f"{margin}else:", *_block(choose, depth + 1, inside, in_loop)] if choose.random() < 0.4 else []
        return [f"{margin}if {test}:", *_block(choose, depth + 1, inside, in_loop), *other]
    if kind < 0.56:
        changes = ["last = None", "last = a", "last = _found(x, b)", "c = last + 1.0", "last = last or b"]
        return [margin + choose.choice([*changes, "count += 10", "c = b if last is None else last"])]
    if kind < 0.60 and inside:
        raised = choose.choice(['_Mine("mine")', 'ValueError(f"value {a} of {i}")', "IndexError"])
        return [f"{margin}if a > {choose.choice('bcd')}:", f"{margin}    raise {raised}"]
    if kind < 0.64 and in_loop:
        return [f"{margin}if c > d:", f"{margin}    {choose.choice(['break', 'continue'])}"]
    if kind < 0.66:
        return [f"{margin}if d > 2.0:", f"{margin}    return a - c, count, last"]
    return [f"{margin}{choose.choice('abcd')} {choose.choice(['=', '=', '+='])} {_term(choose)}"]


def _try(choose, depth, inside, in_loop):
    margin = "    " * depth
    lines = [f"{margin}try:", *_block(choose, depth + 1, inside + 1, in_loop)]
    for name in choose.sample(EXCEPTIONS, choose.randint(1, 2)):
        kind = choose.random()
        named = kind < 0.15
        lines.append(f"{margin}except {name}{' as e' if named else ''}:")
        body = _block(choose, depth + 1, inside, in_loop) if kind < 0.8 else []
        if named:
            body.append(margin + "    " + choose.choice(["raise e", "raise _Mine(f'after {e}') from e", "count += 3"]))
        elif kind > 0.9:
            body.append(f"{margin}    raise")
        lines += body or [f"{margin}    pass"]
    if choose.random() < 0.3:
        lines += [f"{margin}else:", *_block(choose, depth + 1, inside, in_loop)]
    if choose.random() < 0.25:
        lines += [f"{margin}finally:", f"{margin}    count += 100"]
    return lines


def random_arguments(seed):
    rng = np.random.default_rng(seed)
    numbers = [float(rng.choice([0.0, 0.5, 1.0, -1.0, 2.0, 1.5])) for _ in range(2)]
    return [np.round(rng.uniform(-2.0, 3.0, int(rng.integers(1, 4))), 1), *numbers, int(rng.integers(0, 4))]
