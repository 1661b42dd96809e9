"""Random programs: small, well typed, always ending, as Python text in files of their own.

    draw  ->  def program(x, a, k):
                  n = x.shape[0]
                  v1 = np.tanh(x)
                  for i1 in range(n):
                      if v1[i1] > a:
                          break
                      v1[i1] = 0.5 * x[i1 - 1]
                  return v1, a

The programs use straight-line NumPy, stores, loops with `break`, `continue` and `else`, `while`, early return, swaps
and calls of helpers.  Names are bound on every path to where they are read, arrays that are stored into are shared with
nothing, and loops shrink what they carry, so that nearly all programs run; where CPython raises, so must the stages.
`arguments` are drawn by seed: a failing program is reproduced by its text and its seed.
"""

from dataclasses import dataclass

import numpy as np
from hypothesis import strategies as st

from .random_expressions import BOOL, FLOAT, INT, MATRIX, OTHER_VECTOR, VECTOR, Kind, Scope, Variable
from .random_statements import COUNTS, SINGLES, Writer
from .stages import module_of

PARAMETERS = {
    "x": VECTOR,
    "y": VECTOR,
    "z": OTHER_VECTOR,
    "A": MATRIX,
    "B": Kind("f64", ("m", "n")),
    "a": FLOAT,
    "b": FLOAT,
    "k": INT,
    "flag": BOOL,
    "x32": SINGLES,
    "j32": Kind("i32", ("n",)),
    "idx": COUNTS,
}
EARLY_RETURNS = ((), (FLOAT,), (), (VECTOR, FLOAT), (MATRIX, VECTOR, FLOAT, INT))


@dataclass(frozen=True, slots=True)
class Written:
    """A program as text, and what makes its arguments."""

    text: str
    parameters: tuple[str, ...]
    seed: int
    lengths: tuple[int, int]
    strided: bool = False
    hazards: bool = False

    def function(self):
        return module_of(self.text)["program"]

    def arguments(self, lengths=None):
        n, m = lengths or self.lengths
        rng = np.random.default_rng([self.seed, n, m])
        args = [make_argument(PARAMETERS[name], name, rng, {"n": n, "m": m}) for name in self.parameters]
        return tuple(spread(value, number) for number, value in enumerate(args)) if self.strided else tuple(args)

    def __repr__(self):
        how = f"seed={self.seed}, lengths={self.lengths}, strided={self.strided}, parameters={self.parameters}"
        return f"Written({how})\n{self.text}"


def spread(value, number):
    """The same array with other strides: backwards, transposed, or with gaps."""
    if not isinstance(value, np.ndarray):
        return value
    match number % 3:
        case 0:
            return np.ascontiguousarray(value[::-1])[::-1]
        case 1:
            return np.ascontiguousarray(value.T).T if value.ndim == 2 else np.repeat(value, 2)[::2]
    return np.repeat(value, 3, axis=-1)[..., 1::3]


def make_argument(kind, name, rng, lengths):
    shape = tuple(lengths[part] for part in kind.shape)
    if name == "idx":
        return rng.integers(-shape[0], shape[0], shape)
    match kind:
        case Kind("f64", ()):
            return float(rng.uniform(-1.5, 1.5))
        case Kind("i64", ()):
            return int(rng.integers(0, 5))
        case Kind("bool", ()):
            return bool(rng.integers(2))
    if kind.dtype in ("f64", "f32"):
        return rng.uniform(-1.5, 1.5, shape).astype(kind.dtype.replace("f", "float"))
    return rng.integers(-6, 7, shape).astype(kind.dtype.replace("i", "int"))


# --- functions -----------------------------------------------------------------------------------------------------

HELPERS = (
    (("p", FLOAT), ("q", FLOAT)),
    (("p", VECTOR), ("q", FLOAT)),
    (("p", FLOAT), ("q", INT)),
)


def helper(draw, number, choices, smooth):
    """The text of a small function and how to call it."""
    parameters = draw(st.sampled_from(choices))
    result = draw(st.sampled_from((FLOAT, VECTOR) if VECTOR in (kind for _, kind in parameters) else (FLOAT,)))
    scope = Scope([[Variable(name, kind) for name, kind in parameters]])
    writer = Writer(draw, scope, (result,), smooth, room=3)
    lengths = ["    n = p.shape[0]"] if VECTOR in (kind for _, kind in parameters) else []
    scope.lengths = ("n",) if lengths else ()
    writer.line(f"w = {writer.value(FLOAT, 2)}")
    scope.add(Variable("w", FLOAT, settable=True))
    if draw(st.booleans()):
        writer.leave_early()
    if draw(st.booleans()):
        writer.assign_again()
    ending = writer.fresh(result, 2) if result.shape else writer.value(result, 2)
    name = f"helper_{number}"
    head = f"def {name}({', '.join(n for n, _ in parameters)}):"
    text = "\n".join([head, *lengths, *writer.lines, f"    return {ending}"])
    return text, (name, tuple(kind for _, kind in parameters), result)


RECURSIVE = """def recursive(p, q):
    if q % 5 <= 1:
        return {base}
    return {step} * recursive(p, q % 5 - 1)"""


@st.composite
def programs(draw, smooth=False, parameters=None, room=10):
    """Programs over arrays and scalars; with `smooth`, floats with derivatives that return one float."""
    if parameters is None:
        optional = ("y", "z", "B", "b", "k", *(() if smooth else ("flag", "x32", "j32", "idx")))
        chosen = {name for name in optional if draw(st.booleans())}
        parameters = tuple(name for name in PARAMETERS if name in chosen or name in ("x", "A", "a"))
    choices = HELPERS[:1] if "A" not in parameters else HELPERS[:2] if smooth else HELPERS
    helpers = [helper(draw, number, choices, smooth) for number in range(draw(st.integers(0, 2)))]
    if not smooth and draw(st.booleans()):
        base = draw(st.sampled_from(("p", "p + 1.0", "math.cos(p)")))
        step = draw(st.sampled_from(("p", "0.5", "math.sin(p)")))
        helpers.append((RECURSIVE.format(base=base, step=step), ("recursive", (FLOAT, INT), FLOAT)))
    scope = Scope([[Variable(name, PARAMETERS[name]) for name in parameters]], [call for _, call in helpers])
    scope.lengths = ("n", "m") if "A" in parameters else ()
    returns = draw(st.sampled_from(EARLY_RETURNS if not smooth else ((FLOAT,), ())))
    hazards = not smooth and draw(st.integers(0, 3)) == 3
    writer = Writer(draw, scope, returns, smooth, room, hazards)
    writer.start(parameters)
    for _ in range(draw(st.integers(2, 6))):
        writer.statement()
    writer.line(f"return {ending(writer)}")
    head = f"def program({', '.join(parameters)}):"
    main = "\n".join([head, *writer.lines, ""])
    functions = [*(text for text, _ in helpers), "\n".join([head, *writer.lines, ""])]
    text = "\n\n\n".join(["import math\n\nimport numpy as np", *functions])
    lengths = draw(st.sampled_from(((3, 4), (2, 3), (4, 2), (1, 3), (3, 1), (5, 5))))
    return Written(text, parameters, draw(st.integers(0, 99)), lengths, draw(st.integers(0, 3)) == 3, hazards)


def ending(writer):
    """The last result: what was computed, as far as the kinds of an earlier return allow."""
    seen = [v for v in writer.scope.variables() if v.settable or v.name.startswith("v")]
    if writer.smooth:
        return " + ".join(v.name if not v.kind.shape else f"np.sum({v.name})" for v in seen if v.kind.dtype == "f64")
    if not writer.returns:
        return ", ".join(v.name for v in seen)
    values = []
    for kind in writer.returns:
        known = [v.name for v in seen if v.kind == kind and v.name not in values]
        values.append(known[-1] if known else writer.value(kind, 1))
    return ", ".join(values)
