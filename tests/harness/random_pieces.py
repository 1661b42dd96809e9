"""Random innermost loops whose elements meet now and then: rows that are the same at times, a column that is passed.

    text = random_program(7)      a function `f(A, p, q)` of f64[n, n] and two ints
    random_arguments(7)           a square with nan and inf in it, long enough for vectors, and ints, some negative
"""

import random

import numpy as np

ROWS = ("i", "i", "k", "p", "q", "i - 1", "k + 1", "0", "n - 1 - i", "-1")
COLUMNS = ("j", "j", "j", "k", "p", "j + 1", "i", "j - 1", "q + j", "2", "n - 1 - j")
VALUES = ("{0} + {1}", "{0} * 0.5", "{0} - {1}", "-{0}", "1.5", "min({0}, {1})", "{0} + x", "{0} / (1.0 + {1} * {1})")
TESTS = ("{0} < {1}", "{0} < 0.5", "not {0} > {1}", "{0} > 0.1 and {1} < 0.9", "{0} == {1}", "x > {0}")
LOOPS = ("range(n)", "range(1, n - 1)", "range(i, n)", "range(k, n - 1)", "range(n - 1)", "range(1, i)")


def random_program(seed):
    choose = random.Random(seed)
    rows, columns = choose.sample(ROWS, 2), choose.sample(COLUMNS, 2)
    arrays = choose.choice((("d", "d"), ("d", "e")))

    def place():
        return f"{choose.choice(arrays)}[{choose.choice(rows)}, {choose.choice(columns)}]"

    def fill(form, first=None):
        return form.format(first or place(), place())

    lines = [f"x = {place()}"] if choose.random() < 0.5 else ["x = 0.25"]
    for _ in range(choose.randint(1, 2)):
        stored = place()
        store = f"{stored} = {choose.choice(('x', fill(choose.choice(VALUES))))}"
        if choose.random() < 0.7:
            lines.append(f"if {fill(choose.choice(TESTS), choose.choice((stored, None)))}:")
            store = "    " + store
        lines.append(store)
        if choose.random() < 0.2:
            lines.append("    " + f"{place()} = x" if store[0] == " " else "x = x * 0.5")
    body = "\n".join("                " + line for line in lines)
    return f"""def f(A, p, q):
    d = A.copy()
    e = A * 0.5
    n = d.shape[0]
    for k in range(2, 5):
        for i in {choose.choice(("range(1, n - 1)", "range(n)", "range(k + 1, n)", "range(k)"))}:
            for j in {choose.choice(LOOPS)}:
{body}
    return d, e
"""


def random_arguments(seed):
    numbers = np.random.default_rng(seed)
    n = (21, 37, 6)[seed % 3]
    square = numbers.random((n, n))
    square[numbers.random((n, n)) < 0.02] = np.nan
    square[numbers.random((n, n)) < 0.02] = -np.inf
    p, q = (int(v) for v in numbers.integers((-3, 0), (n - 2, 3)))
    return square, p, q
