"""Random programs whose arrays change their length: in loops, in branches, after loops, by way of lists.

    a = x; b = np.zeros(9)
    for i in range(k):
        b = a
        a = np.concatenate((a, y))
    length = len(np.diff(a))          returns a, b, ..., all lengths

What one variable has must never pass for the length of another.  Whatever needs two equal lengths asks for them, or
adds in a way that NumPy stretches to either, so that few programs raise.
"""

import random

import numpy as np

from .stages import module_of

STARTS = ("x", "y", "np.zeros(9)", "x * 2.0", "y[1:]", "np.concatenate((x, y))", "np.ones(length)", "x[x > 0.0]")
TERMS = (
    "{p}[1:]", "{p}[:-1]", "np.diff({p})", "x + np.sum({p})", "y * len({p})", "np.concatenate(({p}, y))",
    "np.concatenate(({p}, {q}))[:8]", "{p}[::2]", "np.zeros(k)", "np.full(length, np.sum({p}))", "{p} + 1.0", "{q}",
    "np.cumsum({p})[{p} > 0.0]", "{p}[len({q}):]", "{p}[:len({q})] * 0.5", "{p}.copy()", "{p}[::-1]",
    "rows[i % 3] * 2.0", "np.concatenate(({p}, np.full(1, s)))", "np.arange(len({p})) * 1.0",
)  # fmt: skip
TOGETHER = ("{p} + {q}", "{p} * {q}[::-1]", "np.where({p} > {q}, {p}, {q})")


def random_program(seed):
    choose = random.Random(seed)
    names = ["a", "b", "c"][: choose.randint(2, 3)]
    held = choose.random() < 0.4
    lines = ["    s = 0.0", "    i = 0", "    length = len(x) + k"]
    lines += [f"    {name} = {choose.choice(STARTS)}" for name in names]
    lines += ["    xs = []"] if held else []
    for number in range(choose.randint(1, 2)):
        lines += _loop(choose, names, 1, f"ij{number}"[0], held)
        lines += _statement(choose, names, 1, False)
    lines += [f"    s = s + len(np.diff({n})) * len({n})" for n in names]
    results = [*names, *(f"len({n})" for n in names), "s", "length"]
    if held:
        lines += ["    for item in xs:", "        s = s + np.sum(item) * len(item)"]
        results += ["len(xs)"]
    head = "import numpy as np\n\n\ndef program(x, y, rows, k):"
    return "\n".join([head, *lines, f"    return {', '.join(results)}", ""])


def _loop(choose, names, depth, counter, held):
    margin, lines = "    " * depth, []
    kind = choose.random()
    if kind < 0.6:
        lines.append(f"{margin}for {counter} in range({choose.choice(('k', '3', 'len(y)', '1 + k'))}):")
    elif kind < 0.8:
        lines.append(f"{margin}for row in rows:")
        lines.append(f"{margin}    {choose.choice(names)} = row {choose.choice(('+ 1.0', '* s', '- row[0]'))}")
    else:
        name = choose.choice(names)
        lines.append(f"{margin}while len({name}) < 11:")
        lines.append(f"{margin}    {name} = np.concatenate(({name}, {choose.choice(('x', 'np.ones(2)'))}))")
        names = [n for n in names if n != name] or names
        depth += 1
        return lines + [line for _ in range(2) for line in _statement(choose, names, depth, held, while_=True)]
    for _ in range(choose.randint(1, 4)):
        lines += _statement(choose, names, depth + 1, held)
    return lines


def _statement(choose, names, depth, held, while_=False):
    margin, kind = "    " * depth, choose.random()
    p, q, to = choose.choice(names), choose.choice(names), choose.choice(names)
    if kind < 0.45:
        return [f"{margin}{to} = {choose.choice(TERMS).format(p=p, q=q)}"]
    if kind < 0.55:
        return [f"{margin}if len({p}) == len({q}):", f"{margin}    {to} = {choose.choice(TOGETHER).format(p=p, q=q)}"]
    if kind < 0.65:
        return [f"{margin}s = s + len(np.diff({p})) * 0.5 + np.sum({q}[:2])"]
    if kind < 0.75 and depth < 3 and not while_:
        return _loop(choose, names, depth, "j", held)
    if kind < 0.85:
        test = choose.choice((f"len({p}) > 3", "s > 2.0", "i % 2 == 0"))
        other = [f"{margin}else:", f"{margin}    {to} = {choose.choice(TERMS).format(p=q, q=p)}"]
        lines = [f"{margin}if {test}:", f"{margin}    {to} = {choose.choice(TERMS).format(p=p, q=q)}"]
        return lines + (other if choose.random() < 0.5 else [])
    if held and depth > 1:
        return [f"{margin}xs.append({p})", f"{margin}s = s + len(xs[len(xs) // 2])"]
    fresh = choose.choice(("t", "length_1", "u"))
    return [f"{margin}{fresh} = {choose.choice(TERMS).format(p=p, q=q)}", f"{margin}{to} = {fresh}[1:]",
            f"{margin}s = s + len({fresh}) - len({to})"]  # fmt: skip


def function_of(seed):
    return module_of(random_program(seed))["program"]


def random_arguments(seed):
    rng = np.random.default_rng(seed)
    n, m, w = (int(rng.integers(low, 6)) for low in (2, 0, 2))
    return [rng.standard_normal(n), rng.standard_normal(m), rng.standard_normal((3, w)), int(rng.integers(0, 4))]
