"""Expressions over the names at a draft's cursor, chosen by the values these names have.

    Expressions(draft, rng).array((4,))       "np.where(x > s, t[::-1], 0.5 * x)"
    Expressions(draft, rng).scalar(float)     "math.tanh(float(A[0, 1]))"

What is written fits the values at the cursor; whether it fits the other sets of arguments the draft finds out.
"""

import numpy as np

UNARY = ("np.sin", "np.cos", "np.tanh", "np.abs", "np.sqrt", "np.exp", "np.floor", "np.sign", "np.square", "np.arctan",
         "-", "np.negative", "np.log1p", "np.cbrt", "np.ceil", "np.isnan", "np.nan_to_num", "np.round",
         "np.copy")  # fmt: skip
SMOOTH_UNARY = ("np.sin", "np.cos", "np.tanh", "np.exp", "np.arctan", "-", "np.square", "np.cbrt")
BINARY = ("+", "-", "*", "+", "-", "*", "/")
PAIRS = ("np.maximum", "np.minimum", "np.hypot", "np.arctan2", "np.fmax", "np.copysign", "np.logaddexp")
REDUCTIONS = ("np.sum", "np.max", "np.min", "np.mean", "np.prod", "np.any", "np.all", "np.argmax", "np.std",
              "np.count_nonzero", "np.linalg.norm", "np.ptp")  # fmt: skip
METHODS = ("sum", "max", "min", "mean", "prod", "any", "all", "argmax", "argmin")
COMPARE = ("<", ">", "<=", ">=", "==", "!=")
FLOATS = ("0.5", "-1.0", "2.0", "0.25", "1.5", "-0.3", "0.0", "3.0")
INTS = ("1", "2", "0", "-1", "3")
MATHS = ("math.sin", "math.tanh", "math.cos", "math.exp", "math.atan", "math.floor", "abs")


class Expressions:
    """Texts of expressions; `smooth` keeps to what has derivatives."""

    def __init__(self, draft, rng, smooth=False):
        self.draft, self.rng, self.smooth = draft, rng, smooth

    def chance(self, one_in):
        return self.rng.randrange(one_in) == 0

    def pick(self, choices):
        return self.rng.choice(list(choices))

    # --- names ---

    def names(self, test):
        return [name for name, value in self.draft.values.items() if test(value)]

    def arrays(self, test=lambda value: True):
        return self.names(lambda v: isinstance(v, np.ndarray) and v.dtype.kind in "fib" and test(v))

    def value(self, name):
        return self.draft.values[name]

    def scalars(self, *types):
        return self.names(lambda v: isinstance(v, types) and not isinstance(v, bool | np.bool_))

    # --- scalars ---

    def integer(self, depth=1):
        options = [self.pick(INTS)] + self.scalars(int, np.integer) * 2
        if depth:
            options += [f"len({name})" for name in self.arrays()]
            options += [f"{name}.shape[{self.pick((0, -1))}]" for name in self.arrays(lambda v: v.ndim == 2)]
            options.append(f"{self.integer(0)} {self.pick('+-*')} {self.pick(INTS)}")
            options += [f"{name} % {self.pick((2, 3))}" for name in self.scalars(int)]
            options += [f"int({name})" for name in self.scalars(float)][:1]
        return self.pick(options)

    def number(self, depth=2):
        """A float, Python's or NumPy's."""
        options = [self.pick(FLOATS)] + self.scalars(float, np.floating) * 3
        vectors = self.arrays(lambda v: v.ndim == 1 and v.dtype.kind == "f")
        if depth and self.arrays():
            options += [self.element, self.reduction, self.element]
        if depth:
            options += [
                lambda: f"{self.number(depth - 1)} {self.pick(BINARY[:6])} {self.number(depth - 1)}",
                lambda: f"({self.number(depth - 1)} + {self.number(depth - 1)}) * {self.pick(FLOATS)}",
                lambda: f"{self.pick(MATHS[:3])}({self.number(depth - 1)})",
                lambda: f"{self.number(depth - 1)} / (1.0 + abs({self.number(depth - 1)}))",
                lambda: f"{self.pick(('min', 'max'))}({self.number(depth - 1)}, {self.number(depth - 1)})",
                lambda: f"({self.number(depth - 1)} if {self.condition(depth - 1)} else {self.number(depth - 1)})",
                lambda: f"float({self.element() if self.arrays() else self.number(0)})",
            ]
        if depth and len(vectors) > 1:
            options.append(lambda: f"{self.pick(vectors)} @ {self.pick(vectors)}")
        return self.chosen(options)

    def chosen(self, options):
        option = self.pick(options)
        return option if isinstance(option, str) else option()

    def element(self):
        name = self.pick(self.arrays(lambda v: v.ndim > 0) or self.arrays())
        value = self.value(name)
        if value.ndim == 0 or 0 in value.shape:
            return f"np.sum({name})"
        return f"{name}[{', '.join(self.place(n) for n in value.shape)}]"

    def place(self, length):
        """An index that exists in an axis of this length."""
        options = [n for n in self.scalars(int) if -length <= self.value(n) < length] * 3
        options += [f"{n} - 1" for n in self.scalars(int) if -length < self.value(n) <= length]
        options += [f"-1 - {n}" for n in self.scalars(int) if 0 <= self.value(n) < length]
        options += ["0", "-1"] if length else []
        options += [str(self.rng.randrange(length))] if length > 1 else []
        return self.pick(options or ["0"])

    def reduction(self):
        name = self.pick(self.arrays())
        if self.chance(2):
            return f"{name}.{self.pick(METHODS[:4] if self.smooth else METHODS)}()"
        return f"{self.pick(REDUCTIONS[:4] if self.smooth else REDUCTIONS)}({self.array(self.value(name).shape, 1)})"

    def condition(self, depth=1):
        options = [lambda: self.comparison(self.number(depth), self.number(0), FLOATS)] * 3
        options += [lambda: self.comparison(self.integer(), self.integer(0), INTS)] * 2
        options += self.names(lambda v: isinstance(v, bool | np.bool_))
        if self.arrays():
            name = self.pick(self.arrays())
            options += [f"{name}.sum() > {self.number(0)}", f"np.any({name} > {self.number(0)})",
                        f"np.all({name} < {self.number(0)})", f"np.linalg.norm({name}) > {self.number(0)}"]  # fmt: skip
        if depth:
            options.append(lambda: f"{self.condition(0)} {self.pick(('and', 'or'))} {self.condition(0)}")
            options.append(lambda: f"not ({self.condition(0)})")
        return self.chosen(options)

    def comparison(self, left, right, constants):
        return f"{left} {self.pick(COMPARE)} {self.pick(constants) if right == left else right}"

    # --- arrays ---

    def of_shape(self, shape, kinds="fib"):
        return self.arrays(lambda v: v.shape == shape and v.dtype.kind in kinds)

    def array(self, shape, depth=2, kinds="fi"):
        """An array of this shape, or now and then what broadcasts to it."""
        known = self.of_shape(shape, kinds)
        if not depth:
            return self.pick(known + self.parts(shape)[:3] or [f"np.full({self.shape_text(shape)}, {self.number(0)})"])
        options = known + self.parts(shape)
        below = depth - 1
        options += [
            lambda: f"{self.pick(SMOOTH_UNARY if self.smooth else UNARY)}({self.array(shape, below)})",
            lambda: f"{self.array(shape, below)} {self.pick(BINARY[:6])} {self.array(shape, below)}",
            lambda: f"({self.array(shape, below)} {self.pick('+-*')} {self.number(1)}) * {self.array(shape, below)}",
            lambda: f"{self.number(1)} {self.pick('+-*')} {self.array(shape, below)}",
            lambda: f"np.where({self.mask(shape)}, {self.array(shape, below)}, {self.array(shape, below)})",
            lambda: f"np.where({self.mask(shape)}, {self.array(shape, below)}, {self.number(0)})",
            lambda: f"np.clip({self.array(shape, below)}, {self.pick(('-1.0', '0.0', 's'))}, 1.0)",
            lambda: f"{self.pair()}({self.array(shape, below)}, {self.array(shape, below)})",
            lambda: f"{self.array(shape, below)} / (1.0 + np.abs({self.array(shape, below)}))",
            *self.special(shape, below),
        ]  # fmt: skip
        return self.chosen(options)

    def shape_text(self, shape):
        """The shape by names, where a name has it."""
        found = []
        for length in shape:
            names = [n for n in self.scalars(int) if self.value(n) == length]
            names += [f"len({n})" for n in self.arrays(lambda v: v.ndim > 0) if len(self.value(n)) == length]
            found.append(self.pick(names or [str(length)]))
        return found[0] if len(found) == 1 else f"({', '.join(found)})"

    def mask(self, shape):
        known = self.of_shape(shape, "b")
        if known and self.chance(3):
            return self.pick(known)
        right = self.number(1) if self.chance(2) else self.array(shape, 0)
        return f"{self.array(shape, 0)} {self.pick(COMPARE[:4])} {right}"

    def pair(self):
        return self.pick(PAIRS[:2] if self.smooth else PAIRS)

    def special(self, shape, depth):
        """What makes this shape from others."""
        if len(shape) == 1:
            squares = self.arrays(lambda v: v.ndim == 2 and v.dtype.kind == "f")
            found = [lambda: f"np.cumsum({self.array(shape, depth)})", lambda: f"({self.array(shape, depth)})[::-1]",
                     lambda: f"np.asarray({self.array(shape, depth)})",
                     lambda: f"np.arange({self.shape_text(shape)}) * {self.pick(FLOATS)}",
                     lambda: f"np.linspace(0.0, {self.number(0)}, {self.shape_text(shape)})",
                     lambda: f"np.zeros_like({self.array(shape, 0)})"]  # fmt: skip
            for name in squares:
                rows, columns = self.value(name).shape
                if rows == shape[0]:
                    found += [lambda n=name: f"{n} @ {self.array((self.value(n).shape[1],), 0)}",
                              lambda n=name: f"np.sum({n}, axis=1)",
                              lambda n=name: f"{n}.{self.pick(METHODS[:4])}(axis=1)"]  # fmt: skip
                if columns == shape[0]:
                    found += [lambda n=name: f"{self.array((self.value(n).shape[0],), 0)} @ {n}",
                              lambda n=name: f"{n}.{self.pick(METHODS[:4])}(axis=0)",
                              lambda n=name: f"np.{self.pick(('max', 'sum', 'mean'))}({n}, axis=0)"]  # fmt: skip
            return found
        if len(shape) == 2:
            column, row = (shape[0],), (shape[1],)
            return [
                lambda: f"np.outer({self.array(column, 0)}, {self.array(row, 0)})",
                lambda: f"({self.array(column, 0)})[:, None] * {self.array(row, 0)}",
                lambda: f"{self.array(shape, 0)} + {self.array(row, 0)}",
                lambda: f"{self.array(shape, 0)} * ({self.array(column, 0)})[:, None]",
                lambda: f"({self.array(shape[::-1], depth)}).T",
                lambda: f"np.cumsum({self.array(shape, depth)}, axis={self.pick((0, 1))})",
            ]
        return []

    def parts(self, shape):
        """Views of known arrays that have this shape."""
        found = []
        for name in self.arrays(lambda v: 0 < v.ndim <= 2 and v.dtype.kind in "fi"):
            found += [text for text, made in self.views(name) if made == shape]
        self.rng.shuffle(found)
        return found[:4]

    def views(self, name):
        """Views of an array with the shape they have here."""
        value = self.value(name)
        if value.ndim == 1:
            n = len(value)
            found = [(f"{name}[::-1]", (n,)), (f"{name}[::2]", ((n + 1) // 2,))]
            found.append((f"{name}[{max(n - 2, 0)}:]", (n - max(n - 2, 0),)))
            if n:
                found += [(f"{name}[1:]", (n - 1,)), (f"{name}[:-1]", (n - 1,)), (f"{name}[:2]", (min(n, 2),))]
                found += [(f"{name}[{i}:]", (n - self.value(i),)) for i in self.scalars(int) if 0 <= self.value(i) <= n]
                found += [(f"{name}[:{i}]", (self.value(i),)) for i in self.scalars(int) if 1 < self.value(i) <= n]
            return found
        rows, columns = value.shape[:2]
        found = [(f"{name}.T", (columns, rows)), (f"{name}.ravel()", (rows * columns,)),
                 (f"{name}[::-1]", (rows, columns)), (f"{name}[:, ::-1]", (rows, columns)),
                 (f"{name}.reshape(-1)", (rows * columns,))]  # fmt: skip
        if rows:
            found += [(f"{name}[{self.place(rows)}]", (columns,)), (f"{name}[1:]", (rows - 1, columns))]
        if columns:
            found += [(f"{name}[:, {self.place(columns)}]", (rows,)), (f"{name}[:, 1:]", (rows, columns - 1))]
        if rows == columns:
            found += [(f"np.diag({name})", (rows,)), (f"{name}.diagonal()", (rows,))]
        return found
