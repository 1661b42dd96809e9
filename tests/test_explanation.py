"""What `explain` says of the lines of the user's, and in whose names."""

import re

import numpy as np
import pytest

from pellucid import compile, grad


def heat(u, steps, rate):
    u = u.copy()
    for _ in range(steps):
        lap = u[2:] - 2.0 * u[1:-1] + u[:-2]
        u[1:-1] = u[1:-1] + rate * lap
    total = np.sum(u * u)
    w = u[:, None] * u
    return total + (w @ u)[3]


def indexed(x, i):
    if i >= len(x):
        raise ValueError("too large")
    return x[i]


def half(x):
    while x > 1.0:
        x = x / 2.0
    return x


def lines_of(text):
    """The lines of the user's that are told of, and what is said of each."""
    found, told = {}, None
    for line in text[text.index("line by line") :].splitlines()[1:]:
        if not line.strip():
            break
        head = re.match(r"    line \d+: (.*)", line)
        if head:
            told = found.setdefault(head[1], [])
        else:
            told.append(line.strip())
    return found


def test_each_line_says_what_it_became():
    told = lines_of(compile(heat).explain("f64[n]", "int", "float"))
    independent, together, in_order = ("iterations are independent", "values together", "one iteration after the other")
    for line, part in (
        ("u = u.copy()", independent),
        ("for _ in range(steps):", in_order),
        ("u[1:-1] = u[1:-1] + rate * lap", independent),
        ("total = np.sum(u * u)", together),
        ("w = u[:, None] * u", independent),
        ("return total + (w @ u)[3]", "by BLAS or LAPACK: `gemv`"),
    ):
        assert any(part in said for said in told[line]), (line, told)
    assert "lap = u[2:] - 2.0 * u[1:-1] + u[:-2]" not in told  # which is part of the line below
    checked = lines_of(compile(indexed).explain("f64[n]", "int"))
    assert checked["if i >= len(x):"] == ["is checked when it runs: ValueError, too large"]
    assert any(in_order in said for said in lines_of(compile(half).explain("float"))["while x > 1.0:"])


def gathered(x, places, n):
    out = np.zeros(n)
    for k in range(n):
        out[k] = x[places[k]] + x[k + 1]
    return out


def test_each_check_of_an_index_has_its_reason():
    told = lines_of(compile(gathered).explain("f64[m]", "i64[k]", "int"))["out[k] = x[places[k]] + x[k + 1]"]
    index = "IndexError, the index of axis 0 of"
    assert told == [
        f"is checked once, before the loop: {index} `places`, which nothing keeps within its length",
        f"is checked when it runs: {index} `x`, which is computed from values of `places`",
        f"is checked once, before the loop: {index} `x`, which nothing keeps within its length",
    ]
    proven = lines_of(compile(heat).explain("f64[n]", "int", "float"))["u[1:-1] = u[1:-1] + rate * lap"]
    assert not any("IndexError" in said for said in proven)


def test_how_long_the_steps_took():
    compiled = compile(gathered)
    assert "compiling" not in compiled.explain("f64[m]", "i64[k]", "int")
    compiled._readable(compiled._flatten(("f64[m]", "i64[k]", "int"), {}, texts=True))  # whatever is on disk
    section = compiled.explain("f64[m]", "i64[k]", "int").split("\n\n")[-1].splitlines()
    assert section[0] == "  compiling" and all(re.fullmatch(r"    [\w' ]+: \d+\.\d ms", line) for line in section[1:])
    assert any("machine code" in line for line in section)


@pytest.mark.parametrize("function", [compile(heat), grad(heat), grad(half)], ids=str)
def test_names_are_those_of_the_user(function):
    given = ("f64[n]", "int", "float") if "heat" in function.__name__ else ("float",)
    text = function.explain(*given)
    named = set(re.findall(r"`([A-Za-z_]\w*)`", text)) - {"gemv", "gemm"}
    assert named <= {"u", "steps", "rate", "lap", "total", "w", "x"}, named
