"""Programs over containers, aliases, closures, and values from outside that change between calls.

    case(seed)  ->  gain = 1.5
                    def program(a, s):
                        b = a.copy()
                        c = b
                        c.append(s * gain)
                        while b:
                            s += c.pop()
                        return b, s
                    calls: 1, 2, `gain = 3.0`, 3, 4, a helper redefined, 5, 6

Containers are written by the paths into them (`d["k"][1]`), as CPython has them while the program is written, so that
stores through either of two names, and arrays inside containers, come about by themselves.
"""

from .case import Call, Case, drawn
from .container_statements import ContainerStatements
from .draft import Draft
from .outside import Outside

ARGUMENTS = {
    "a": ("[0.5, -1.0, 2.0]", "[1.5, 0.25]", "[]", "[3.0]"),
    "t": ("(0.5, np.array([1.0, 2.0, 3.0]))", "(1.5, np.array([-1.0, 0.5]))", "(-0.5, np.array([2.0]))"),
    "d": ('{"u": 1.0, "v": np.array([1.0, -2.0])}', '{"u": -0.5, "v": np.array([0.5, 1.0, 4.0])}'),
    "p": ("Pair(1.5, np.array([0.5, 1.0]))", "Pair(-2.0, np.array([0.25, 3.0, 1.0]))"),
    "g": ("Box(0.5, (1.0, 2.0))", "Box(2.5, (-1.0, 0.5))"),
    "n": ("[(1.0, 2.0), (3.0, -1.0)]", "[(0.5, 0.5), (1.5, 2.0)]"),
    "m": ("[np.array([1.0, 2.0]), np.array([3.0, 4.0])]", "[np.array([0.5, 1.0]), np.array([-1.0, 2.0])]"),
    "i": ("[1, 2, 3]", "[4, 0]", "[2**40]"),
    "x": ("np.array([0.5, -1.0, 2.0])", "np.array([1.5, 0.0])", "np.array([0.25, 1.0, -3.0, 2.0])"),
    "s": ("0.75", "-1.5", "2.0"),
    "k": ("2", "0", "3", "1"),
}
RECORDS = {
    "p": "class Pair(NamedTuple):\n    first: float\n    second: np.ndarray",
    "g": "@dataclass(frozen=True)\nclass Box:\n    value: float\n    weight: tuple",
}
IMPORTS = {"p": "from typing import NamedTuple", "g": "from dataclasses import dataclass"}


def case(seed: int) -> Case:
    """The program of this seed, with four or more calls."""
    return drawn("containers", seed, write)


def write(rng):
    names = sorted(rng.sample([n for n in ARGUMENTS if n not in "sk"], rng.choice((0, 1, 1, 2, 3)))) + ["s", "k"]
    outside = Outside(rng)
    definitions = [*(IMPORTS[n] for n in names if n in IMPORTS), *(RECORDS[n] for n in names if n in RECORDS)]
    calls = [arguments(names, number, rng) for number in range(3)]
    draft = Draft(names, calls, rng, [*definitions, *outside.definitions], outside.maker)
    statements = ContainerStatements(draft, rng, outside, records=[n for n in names if n in RECORDS])
    for _ in range(rng.randint(3, 8)):
        statements.write()
    if len(draft.body) < 3 or not draft.finish(f"return {statements.returned()}"):
        return None
    changes = ["", "", *outside.changes(), ""]
    made = [Call(calls[number % len(calls)], change) for number, change in enumerate(changes)]
    return Case(draft.text(), (*made, Call(calls[0]), Call(calls[1])))


def arguments(names, number, rng):
    """A tuple of arguments as text; the first call has the first of each."""
    chosen = [ARGUMENTS[name][0] if number == 0 else rng.choice(ARGUMENTS[name]) for name in names]
    return f"({', '.join(chosen)},)"
