"""Random elementwise and reducing expressions over every dtype, Python numbers among them, as typed programs.

    random_program(seed)     ->     def f(a: "i32[n]", ..., k: "int", s: "float"): return (a + k) / c, ...

What the type rules refuse is not written; values stay small, so that ints do not overflow where Python's would raise.
"""

import random

import numpy as np

from pellucid.compiler.diagnostics import StageError

from .typed_text import read_program

PARAMETERS = {
    "a": "i32[n]", "b": "i64[n]", "c": "bool[n]", "d": "f32[n]", "e": "f64[n]", "A": "f32[n, m]", "B": "i32[n, m]",
    "C": "bool[n, m]", "D": "f64[n, 1]", "row": "i64[m]", "k": "int", "s": "float", "flag": "bool", "u": "i32",
    "v": "f32", "w": "i64", "z": "f64", "g": "u8[n]", "h": "f16[n]", "o": "u64[n]", "p": "i16[n]",
    "q": "u32", "r": "i8",
}  # fmt: skip
HEAD = "def f(" + ", ".join(f'{name}: "{type_}"' for name, type_ in PARAMETERS.items()) + "):\n"
ATOMS = ["a", "b", "c", "d", "e", "A[:, 0]", "B[:, 0]", "C[:, 0]", "a", "d", "k", "s", "u", "v", "w", "z", "2", "0.5",
         "g", "h", "o", "p", "q", "r"]
WIDE = ["A", "B", "C", "D", "row", "a[:, None]", "d[:, None]", "A", "B", "k", "s", "u", "v", "3", "1.5", "g[:, None]",
        "h[:, None]", "o[:, None]", "q", "r"]
BINARY = "+ - * / // % ** < <= > >= == != & | ^".split()
FUNCTIONS = "sin exp absolute negative square sign floor isnan isfinite logical_not invert sqrt cbrt tanh".split()
PAIRED = "maximum minimum arctan2 hypot logical_and logical_or fmod logaddexp copysign fmax".split()
REDUCING = "sum prod max min any all argmax argmin".split()


class Writer:
    def __init__(self, seed):
        self.random = random.Random(seed)

    def expression(self, atoms, depth=0):
        pick = self.random.choice
        if depth > 2 or self.random.random() < 0.3:
            return pick(atoms)
        inner = [self.expression(atoms, depth + 1) for _ in range(2)]
        kind = self.random.random()
        if kind < 0.55:
            operator = pick(BINARY)
            if operator == "**":
                return f"(({inner[0]} + 0) ** 2)"
            return f"({inner[0]} {operator} {inner[1]})"
        if kind < 0.75:
            return f"{pick(FUNCTIONS)}({inner[0]})"
        if kind < 0.9:
            return f"{pick(PAIRED)}({inner[0]} + 0, {'2' if kind > 0.88 else inner[1]})"
        return f"where({inner[0]} > 0, {inner[1]}, {pick(atoms)})"

    def result(self):
        kind = self.random.random()
        if kind < 0.5:
            return self.expression(ATOMS)
        made = self.expression(WIDE)
        if kind < 0.65:
            return made
        axis = self.random.choice(["", ", axis=0", ", axis=1", ", axis=1, keepdims=True"])
        return f"{self.random.choice(REDUCING)}({made}{axis})"


def random_program(seed):
    """Some expressions that the type rules let pass, each a result."""
    writer, kept = Writer(seed), []
    for _ in range(40):
        text = writer.result()
        try:
            read_program(f"{HEAD}    return {text}\n")
        except StageError:
            continue
        kept.append(text)
        if len(kept) == 6:
            break
    return f"{HEAD}    return {', '.join(kept)}\n"


def random_arguments(seed):
    rng = np.random.default_rng(seed)
    n, m = (4, 1, 3, 0)[seed % 4], (3, 2, 5)[seed % 3]

    def ints(*shape):
        return rng.integers(-3, 4, shape)

    def reals(*shape):
        return rng.choice([-1.5, 0.0, -0.0, 0.25, 2.0, np.nan, np.inf, 1.0], shape)

    return (
        ints(n).astype(np.int32), ints(n), ints(n) > 0, reals(n).astype(np.float32), reals(n),
        reals(n, m).astype(np.float32), ints(n, m).astype(np.int32), ints(n, m) > 0, reals(n, 1), ints(m),
        int(ints()), float(rng.choice([-1.5, 0.5, 2.0])), bool(ints() > 0), np.int32(ints()),
        np.float32(rng.choice([-1.5, 0.5, np.nan])), np.int64(ints()), np.float64(rng.choice([-1.5, 0.0, 2.0])),
        np.abs(ints(n)).astype(np.uint8), reals(n).astype(np.float16), np.abs(ints(n)).astype(np.uint64),
        ints(n).astype(np.int16), np.uint32(np.abs(ints())), np.int8(ints()),
    )  # fmt: skip
