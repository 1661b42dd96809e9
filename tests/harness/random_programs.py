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

from .random_expressions import (
    BOOL,
    COLUMN,
    FLOAT,
    INT,
    MATRIX,
    OTHER_VECTOR,
    VECTOR,
    Expressions,
    Kind,
    Scope,
    Variable,
)
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
    "x32": Kind("f32", ("n",)),
    "j32": Kind("i32", ("n",)),
    "idx": Kind("i64", ("n",)),
}
ROUGH_KINDS = (FLOAT, VECTOR, MATRIX, INT, OTHER_VECTOR, BOOL, COLUMN, Kind("f32", ("n",)), Kind("i64", ("n",)),
               Kind("bool", ("n",)), Kind("f64", ("n - 1",)))  # fmt: skip
SMOOTH_KINDS = (FLOAT, VECTOR, MATRIX, OTHER_VECTOR)
EARLY_RETURNS = ((), (FLOAT,), (), (VECTOR, FLOAT), (MATRIX, VECTOR, FLOAT, INT))


@dataclass(frozen=True, slots=True)
class Written:
    """A program as text, and what makes its arguments."""

    text: str
    parameters: tuple[str, ...]
    seed: int
    lengths: tuple[int, int]

    def function(self):
        return module_of(self.text)["program"]

    def arguments(self, lengths=None):
        n, m = lengths or self.lengths
        rng = np.random.default_rng([self.seed, n, m])
        return tuple(make_argument(PARAMETERS[name], name, rng, {"n": n, "m": m}) for name in self.parameters)

    def __repr__(self):
        return f"Written(seed={self.seed}, lengths={self.lengths}, parameters={self.parameters})\n{self.text}"


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


class Writer:
    """Writes the statements of one function; `room` bounds how many there are."""

    def __init__(self, draw, scope, returns, smooth, room):
        self.draw, self.scope, self.returns, self.smooth, self.room = draw, scope, returns, smooth, room
        self.expressions = Expressions(draw, scope, smooth)
        self.pick, self.chance = self.expressions.pick, self.expressions.chance
        self.value = self.expressions.value
        self.lines = []
        self.level = 1
        self.loops = 0
        self.number = 0

    def line(self, text):
        self.lines.append("    " * self.level + text)

    def name(self, prefix):
        self.number += 1
        return f"{prefix}{self.number}"

    def block(self, most, inside=()):
        """An indented block; what it binds is not seen after it."""
        self.level += 1
        self.scope.blocks.append(list(inside))
        for _ in range(self.draw(st.integers(1, most))):
            self.statement()
        self.scope.blocks.pop()
        self.level -= 1

    def statement(self):
        self.room -= 1
        options = [self.assign_again, self.store, self.array_again]
        if self.level == 1 or self.chance(4):
            options.append(self.new_variable)  # what a block binds is not seen after it
        if self.room > 0:
            options += [self.branch, self.counted_loop, self.swap, self.element_loop, self.while_loop]
            options += [self.leave_loop] if self.loops else []
            options += [self.leave_early] if self.returns else []
        self.pick(options)()

    def start(self, parameters):
        """The lengths, and something to overwrite."""
        if "A" in parameters:
            self.line("n, m = A.shape")
            self.scope.add(Variable("n", INT))
            self.scope.add(Variable("m", INT))
        self.line("s = 0.5")
        self.scope.add(Variable("s", FLOAT, settable=True))
        for name, kind in (("u", VECTOR), ("W", MATRIX)):
            if "A" in parameters and not self.chance(3):
                self.line(f"{name} = {self.fresh(kind, 2)}")
                self.scope.add(Variable(name, kind, owned=True, settable=True))

    # --- assignments ---

    def new_variable(self):
        kinds = (FLOAT,) if not self.scope.lengths else SMOOTH_KINDS if self.smooth else ROUGH_KINDS
        kind = self.pick(kinds)
        name = self.name("v")
        if kind.shape and not self.smooth and self.chance(6):
            views = [
                view
                for variable in self.scope.blocks[0]
                if variable.name in PARAMETERS and variable.kind.dtype == kind.dtype
                for view in self.expressions.views(variable, kind.shape)
            ]
            if views:
                self.line(f"{name} = {self.pick(views)}")
                self.scope.add(Variable(name, kind))
                return
        text = self.fresh(kind, 3) if kind.shape else self.value(kind, 3)
        self.line(f"{name} = {text}")
        self.scope.add(Variable(name, kind, owned=bool(kind.shape), settable=True))

    def fresh(self, kind, depth):
        """An array that shares its elements with nothing."""
        if kind.dtype != "f64" or self.chance(3):
            return self.pick(("({a}).copy()", "np.array({a})")).format(a=self.value(kind, depth - 1))
        makers = (self.expressions.constant_array, self.expressions.array_pair, self.expressions.array_function)
        maker = self.pick(makers)
        return maker(kind) if maker == self.expressions.constant_array else maker(kind, depth - 1)

    def settable(self, *kinds):
        return [v for v in self.scope.variables() if v.settable and (not kinds or v.kind in kinds)]

    def bounded(self, kind, text):
        """In a loop, a value that does not grow from one iteration to the next."""
        if kind.dtype == "i64" and not kind.shape:
            return f"({text}) % 7"
        if not self.loops or kind.dtype != "f64":
            return text
        if kind.shape:
            return f"np.tanh({text})"
        return self.pick((f"0.9 * math.tanh({text})", f"math.sin({text})", f"np.tanh({text})"))

    def assign_again(self):
        choices = self.settable(FLOAT, INT, BOOL)
        if not choices:
            return self.new_variable()
        chosen = self.pick(choices)
        if chosen.kind != BOOL and self.chance(2):
            small = self.pick(("1", "2", "k" if self.scope.of(INT).count("k") else "3"))
            operation = self.pick(("+=", "-=", "*=") if chosen.kind == FLOAT else ("+=", "-="))
            amount = small if chosen.kind == INT else self.bounded(FLOAT, self.value(FLOAT, 2))
            self.line(f"{chosen.name} {operation} {amount}")
            return None
        self.line(f"{chosen.name} = {self.bounded(chosen.kind, self.value(chosen.kind, 3))}")
        return None

    def array_again(self):
        choices = [v for v in self.settable() if v.owned]
        if not choices:
            return self.new_variable()
        chosen = self.pick(choices)
        if chosen.kind.dtype == "f64" and self.chance(2):
            _, other = self.pick(self.expressions.broadcasts(chosen.kind.shape))
            value = self.bounded(Kind("f64", other), self.value(Kind("f64", other), 2))
            self.line(f"{chosen.name} {self.pick(('+=', '-=', '*='))} {value}")
            return None
        text = self.bounded(chosen.kind, self.value(chosen.kind, 3))
        self.line(f"{chosen.name} = {text if text.startswith('np.tanh') else f'({text}).copy()'}")
        return None

    def swap(self):
        for kind in self.draw(st.permutations((FLOAT, VECTOR, INT, MATRIX))):
            names = [v.name for v in self.settable(kind)]
            if len(names) >= 2:
                first, second = self.draw(st.permutations(names))[:2]
                if kind.shape or self.chance(2):
                    self.line(f"{first}, {second} = {second}, {first}")
                else:
                    self.line(f"{first}, {second} = {second}, {self.bounded(kind, self.value(kind, 2))}")
                return None
        return self.new_variable()

    def store(self):
        """Overwrite elements of an array that the function made."""
        choices = [v for v in self.scope.variables() if v.owned and v.kind.dtype == "f64"]
        if not choices:
            return self.new_variable()
        chosen = self.pick(choices)
        index = self.expressions.index
        name, shape = chosen.name, chosen.kind.shape
        options = [(f"[{', '.join(map(index, shape))}]", ())]
        if shape == ("n",):
            options += [("[1:]", ("n - 1",)), ("[:-1]", ("n - 1",)), ("[:]", ("n",)), ("[::-1]", ("n",)),
                        ("[1:-1]", ())]
            options += [(f"[{v}]", ()) for v in self.scope.of(Kind("bool", ("n",)))]
            integers = self.scope.of(Kind("i64", ("n",)))
            options += [("[idx]", ()) for _ in integers if "idx" in integers]
        if len(shape) == 2:
            options += [(f"[{index(shape[0])}]", shape[1:]), (f"[:, {index(shape[1])}]", shape[:1]), ("[:]", shape)]
            options += [("[1:, ::2]", ()), (f"[{index(shape[0])}, :]", ())]
        place, wanted = self.pick(options)
        augmented = self.chance(3)
        value = self.bounded(Kind("f64", wanted), self.value(Kind("f64", wanted), 2))
        self.line(f"{name}{place} {self.pick(('+=', '-=', '*=')) if augmented else '='} {value}")
        return None

    # --- control flow ---

    def branch(self):
        self.line(f"if {self.value(BOOL, 2)}:")
        self.block(2)
        if self.chance(4):
            self.line(f"elif {self.value(BOOL, 1)}:")
            self.block(2)
        if self.chance(2):
            self.line("else:")
            self.block(2)

    def loop_block(self, *inside):
        self.loops += 1
        self.block(3, inside)
        self.loops -= 1
        if self.chance(6):
            self.line("else:")
            self.block(1)

    def counted_loop(self):
        name = self.name("i")
        options = [("range(3)", "")]
        if self.scope.lengths:
            length = self.pick(self.scope.lengths)
            options += [(f"range({length})", length), (f"range(1, {length})", length),
                        (f"range({length} - 1, -1, -1)", length), (f"range(0, {length}, 2)", length)]  # fmt: skip
        options += [(f"range({v.name})", v.below) for v in self.scope.variables() if v.below]
        options += [(f"range({self.value(INT, 0)})", "")]
        made, below = self.pick(options)
        self.line(f"for {name} in {made}:")
        self.loop_block(Variable(name, INT, below=below))

    def element_loop(self):
        vectors = self.scope.of(VECTOR)
        parameters = [name for name in vectors if name in PARAMETERS]
        if not parameters:
            return self.counted_loop()
        one, other, count = self.name("e"), self.name("e"), self.name("i")
        form = self.draw(st.integers(0, 2))
        if form == 0:
            self.line(f"for {one} in {self.pick(parameters)}:")
            self.loop_block(Variable(one, FLOAT))
        elif form == 1:
            self.line(f"for {count}, {one} in enumerate({self.pick(parameters)}):")
            self.loop_block(Variable(count, INT, below="n"), Variable(one, FLOAT))
        else:
            self.line(f"for {one}, {other} in zip({self.pick(parameters)}, {self.pick(parameters)}):")
            self.loop_block(Variable(one, FLOAT), Variable(other, FLOAT))
        return None

    def while_loop(self):
        count = self.name("c")
        self.line(f"{count} = 0")
        most = self.draw(st.integers(1, 4))
        if self.chance(4):
            self.line("while True:")
            self.level += 1
            self.line(f"if {count} >= {most}:")
            self.line("    break")
            self.level -= 1
        else:
            condition = f" and {self.value(BOOL, 1)}" if self.chance(2) else ""
            self.line(f"while {count} < {most}{condition}:")
        self.lines.append("    " * (self.level + 1) + f"{count} += 1")
        self.loop_block(Variable(count, INT))

    def leave_loop(self):
        self.line(f"if {self.value(BOOL, 1)}:")
        self.line(f"    {self.pick(('break', 'continue'))}")

    def leave_early(self):
        self.line(f"if {self.value(BOOL, 2)}:")
        self.line(f"    return {', '.join(self.value(kind, 1) for kind in self.returns)}")


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


@st.composite
def programs(draw, smooth=False, parameters=None, room=10):
    """Programs over arrays and scalars; with `smooth`, floats with derivatives that return one float."""
    if parameters is None:
        optional = ("y", "z", "B", "b", "k") if smooth else ("y", "z", "B", "b", "k", "flag", "x32", "j32", "idx")
        chosen = {name for name in optional if draw(st.booleans())}
        parameters = tuple(name for name in PARAMETERS if name in chosen or name in ("x", "A", "a"))
    choices = HELPERS[:1] if "A" not in parameters else HELPERS[:2] if smooth else HELPERS
    helpers = [helper(draw, number, choices, smooth) for number in range(draw(st.integers(0, 2)))]
    scope = Scope([[Variable(name, PARAMETERS[name]) for name in parameters]], [call for _, call in helpers])
    scope.lengths = ("n", "m") if "A" in parameters else ()
    returns = draw(st.sampled_from(EARLY_RETURNS if not smooth else ((FLOAT,), ())))
    writer = Writer(draw, scope, returns, smooth, room)
    writer.start(parameters)
    for _ in range(draw(st.integers(2, 6))):
        writer.statement()
    writer.line(f"return {ending(writer)}")
    head = f"def program({', '.join(parameters)}):"
    main = "\n".join([head, *writer.lines, ""])
    text = "\n\n\n".join(["import math\n\nimport numpy as np", *(t for t, _ in helpers), main])
    n, m = draw(st.sampled_from(((3, 4), (2, 3), (4, 2), (1, 3), (3, 1), (5, 5))))
    return Written(text, parameters, draw(st.integers(0, 99)), (n, m))


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
