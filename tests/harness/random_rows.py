"""Random programs over matrices whose loops could be merged, and some that must not be: by rows, by columns, reversed.

    text = random_program(7)      typed text for `read_program`, of x, y: f64[n, m], w: f64[m], k: i64[n]
"""

import random

import numpy as np

MATRICES = (
    "exp({p} * 0.1)", "{p} * {q} + 1.0", "{p} - {c}", "{p} / (1.0 + {c} * {c})", "tanh({p} + w)", "{p}[::-1, :] + {q}",
    "{p}[:, ::-1] * {q}", "where({p} > {q}, {p}, exp({q} * 0.1))", "{p} - {v}[:, None]", "copy({p})",
    "maximum({p}, {q}) * w",
)  # fmt: skip
COLUMNS = (
    "max({p}, axis=1, keepdims=True)", "sum({p} * {q}, axis=1, keepdims=True)", "min({p}, axis=1, keepdims=True)",
)  # fmt: skip
VECTORS = (
    "sum({p}, axis=1)", "max({p} - {c}, axis=1)", "{v} * 0.5 + sum({q}, axis=1)", "log(1.0 + {v} * {v})",
    "{v}[::-1]", "{p}[arange(0, {p}.shape[0], 1, shape=({p}.shape[0],)), k]",
)  # fmt: skip
SCALARS = ("sum({p})", "max({v})", "sum({v} * {v})", "sum(exp({p} * 0.01))")
ROWS = ("sum({p}, axis=0)", "max({p} * {q}, axis=0)")


def random_program(seed):
    choose = random.Random(seed)
    kinds = {"p": ["x", "y"], "c": ["c0"], "v": ["v0"], "s": [], "r": []}
    lines = ["c0 = sum(x, axis=1, keepdims=True)", "v0 = max(y, axis=1)"]
    for number in range(choose.randint(3, 9)):
        kind = choose.choice("pppppcvvsr")
        table = {"p": MATRICES, "c": COLUMNS, "v": VECTORS, "s": SCALARS, "r": ROWS}[kind]
        p, q = choose.choice(kinds["p"]), choose.choice(kinds["p"])
        expression = choose.choice(table).format(p=p, q=q, c=choose.choice(kinds["c"]), v=choose.choice(kinds["v"]))
        if kind == "p" and kinds["s"] and choose.random() < 0.2:
            expression = f"({expression}) * (1.0 / (1.0 + {choose.choice(kinds['s'])} * {choose.choice(kinds['s'])}))"
        lines.append(f"{kind}{number + 1} = {expression}")
        kinds[kind].append(f"{kind}{number + 1}")
    made = [name for names in kinds.values() for name in names if name not in ("x", "y")]
    results = choose.sample(made, min(len(made), choose.randint(1, 4)))
    body = "\n".join(f"    {line}" for line in [*lines, f"return {', '.join(results)}"])
    return f'def f(x: "f64[n, m]", y: "f64[n, m]", w: "f64[m]", k: "i64[n]"):\n{body}\n'


def random_arguments(seed):
    rng = np.random.default_rng(seed)
    n, m = int(rng.integers(0, 5)), int(rng.integers(0 if seed % 7 == 0 else 1, 6))
    places = rng.integers(-m - (seed % 3 == 0), m + (seed % 5 == 0), n) if m else np.zeros(n, int)
    return [rng.standard_normal((n, m)), rng.standard_normal((n, m)), rng.standard_normal(m), places]
