"""Random programs whose loops carry arrays along: swapped, shifted, kept for two iterations, updated or stored into.

    text = random_program(7)      typed text for `read_program`, of x, y: f64[n], k: int, flag: bool
"""

import random

import numpy as np

STARTS = ("x", "y", "copy(x)", "x * 2.0", "copy(y)", "x + y")
TERMS = (
    "{p} * 0.5 + {q}", "sin({p})", "{p}[::-1] + {q}", "{p} - sum({q}) * 0.1", "maximum({p}, {q})", "copy({p})",
    "{p} * {p}[::-1]", "exp(-{p} * {p})", "where({p} > {q}, {p}, {q} * 0.5)", "{q}",
)  # fmt: skip
STORES = (
    "{p}[0] = {q}[1]", "{p}[1:] = {q}[1:] * 0.5", "{p}[1:-1] = {p}[2:] + {p}[:-2]", "{p}[:] = {p} * 0.5 + {q}",
    "{p}[1:] = {p}[:-1] * 0.5 + {p}[1:]", "{p}[:-1] = {p}[1:] - {q}[1:]", "{p}[::-1] = {p} + {q}",
)  # fmt: skip


def random_program(seed):
    choose = random.Random(seed)
    names = ["a", "b", "c"][: choose.randint(1, 3)]
    lines = [f"    {name} = {choose.choice(STARTS)}" for name in names]
    lines += _loop(choose, names, 1, "i")
    used = ", ".join(names)
    return 'def f(x: "f64[n]", y: "f64[n]", k: "int", flag: "bool"):\n' + "\n".join(lines) + f"\n    return {used}\n"


def _loop(choose, names, depth, counter):
    margin = "    " * depth
    lines = [f"{margin}for {counter} in range(k):"]
    for number in range(choose.randint(1, 4)):
        lines += _statement(choose, names, depth + 1, f"{counter}{number}")
    return lines


def _statement(choose, names, depth, tag):
    margin, kind = "    " * depth, choose.random()
    p, q, to = choose.choice(names), choose.choice(names), choose.choice(names)
    if kind < 0.45:
        return [f"{margin}{to} = {choose.choice(TERMS).format(p=p, q=q)}"]
    if kind < 0.65:
        name = f"t{tag}"
        return [f"{margin}{name} = {choose.choice(TERMS[:-1]).format(p=p, q=q)}", f"{margin}{to} = {name} + {q}"]
    if kind < 0.8:
        old = f"o{tag}"
        return [f"{margin}{old} = copy({to})", f"{margin}{choose.choice(STORES).format(p=old, q=q)}",
                f"{margin}{to} = {old}"]  # fmt: skip
    if kind < 0.9 and depth < 3:
        return _loop(choose, names, depth, "j")
    return [f"{margin}if flag:", f"{margin}    {to} = {choose.choice(TERMS[:-1]).format(p=p, q=q)}"]


def random_arguments(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 6))
    return [rng.standard_normal(n), rng.standard_normal(n), int(rng.integers(0, 5)), bool(rng.integers(2))]
