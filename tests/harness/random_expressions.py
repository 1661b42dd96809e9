"""Random well-typed expressions, as text: scalars and arrays of a few shared shapes.

A `Kind` is a dtype and a shape; the lengths in a shape are words of the program (`n`, `m`, `n - 1`, `1`), so that a
shape can be written down as it is.  Every alternative for a kind is a method here; the first ones are the simplest, and
it is towards them that Hypothesis shrinks.  With `smooth` there are only alternatives that have a derivative
everywhere.
"""

from dataclasses import dataclass, field

from hypothesis import strategies as st

DTYPES = {"f64": "np.float64", "f32": "np.float32", "i64": "np.int64", "i32": "np.int32", "bool": "np.bool_"}


@dataclass(frozen=True, slots=True)
class Kind:
    dtype: str
    shape: tuple[str, ...] = ()


FLOAT, INT, BOOL = Kind("f64"), Kind("i64"), Kind("bool")
VECTOR, OTHER_VECTOR, MATRIX, COLUMN = (
    Kind("f64", shape) for shape in (("n",), ("m",), ("n", "m"), ("n", "1"))
)


@dataclass(frozen=True, slots=True)
class Variable:
    """A name in scope.

    owned     an array that the function made and nothing else shares: its elements may be overwritten
    settable  may be assigned again
    below     a loop variable that counts from 0 to below this length
    """

    name: str
    kind: Kind
    owned: bool = False
    settable: bool = False
    below: str = ""


@dataclass(slots=True)
class Scope:
    """The variables that are bound on every path to here, innermost block last."""

    blocks: list[list[Variable]] = field(default_factory=lambda: [[]])
    helpers: list[tuple[str, tuple[Kind, ...], Kind]] = field(default_factory=list)
    lengths: tuple[str, ...] = ("n", "m")

    def variables(self):
        return [variable for block in self.blocks for variable in block]

    def of(self, kind):
        return [v.name for v in self.variables() if v.kind == kind]

    def add(self, variable):
        self.blocks[-1].append(variable)


LITERALS = ("0.5", "1.0", "(-1.25)", "2.0", "0.0")
SMOOTH_SCALAR = ("math.sin({a})", "np.cos({a})", "math.tanh({a})", "np.arctan({a})", "math.sqrt({a} * {a} + 0.3)",
                 "math.exp(math.tanh({a}))", "np.log(1.2 + {a} * {a})", "np.exp(-{a} * {a})", "({a} ** 2)",
                 "(-{a})")  # fmt: skip
ROUGH_SCALAR = ("abs({a})", "np.abs({a})", "(math.floor({a}) * 0.5)", "np.sign({a})", "math.fabs({a})", "np.floor({a})",
                "np.sqrt({a})", "(round({a}) * 1.0)", "float(np.rint({a}))")  # fmt: skip
SMOOTH_PAIR = ("({a} + {b})", "({a} - {b})", "({a} * {b})", "({a} / (1.5 + {b} * {b}))",
               "((1.1 + {a} * {a}) ** math.tanh({b}))",
               "math.hypot({a}, 1.0 + {b} * {b})", "math.atan2({a}, 2.0 + math.sin({b}))")  # fmt: skip
ROUGH_PAIR = ("max({a}, {b})", "min({a}, {b})", "({a} / {b})", "np.maximum({a}, {b})", "({a} // (1.5 + abs({b})))",
              "({a} % (0.7 + abs({b})))", "math.fmod({a}, 0.3 + abs({b}))", "math.copysign({a}, {b})")  # fmt: skip
SMOOTH_ARRAY = ("np.sin({a})", "np.tanh({a})", "np.exp(-{a} * {a})", "({a} ** 2)", "(-{a})", "np.sqrt({a} * {a} + 0.3)",
                "np.arctan({a})", "np.log1p({a} * {a})", "np.cos({a})", "np.square({a})")  # fmt: skip
ROUGH_ARRAY = ("np.abs({a})", "np.floor({a})", "np.sign({a})", "np.clip({a}, -0.5, 1.0)", "np.sqrt({a})",
               "np.rint({a})",
               "({a} ** 3)", "np.where({a} > 0.0, {a}, 0.1)")  # fmt: skip
SMOOTH_ARRAYS = ("({a} + {b})", "({a} - {b})", "({a} * {b})", "({a} / (1.5 + {b} * {b}))",
                 "np.hypot({a}, {b} * {b} + 0.5)",
                 "np.logaddexp({a}, {b})")  # fmt: skip
ROUGH_ARRAYS = ("np.maximum({a}, {b})", "np.minimum({a}, {b})", "np.arctan2({a}, {b})", "({a} / {b})",
                "np.copysign({a}, {b})",
                "({a} // ({b} * {b} + 0.5))", "np.fmod({a}, {b} * {b} + 0.5)",
                "({a} % (np.abs({b}) + 0.3))")  # fmt: skip
COMPARISONS = ("<", ">", "<=", ">=", "!=", "==")


class Expressions:
    """Draws expressions over the variables of a scope."""

    def __init__(self, draw, scope, smooth=False):
        self.draw, self.scope, self.smooth = draw, scope, smooth

    def pick(self, options):
        return self.draw(st.sampled_from(list(options)))

    def chance(self, one_in):
        """True once in so many times; shrinks to False."""
        return self.draw(st.integers(0, one_in - 1)) == one_in - 1

    def value(self, kind, depth):
        if kind.shape:
            return self.array(kind, depth)
        return {"f64": self.number, "f32": self.single, "i64": self.integer, "bool": self.truth}[kind.dtype](depth)

    # --- scalars ---

    def number(self, depth):
        if depth <= 0 or self.chance(5):
            known = self.scope.of(FLOAT)
            return self.pick(LITERALS if not known or self.chance(4) else known)
        options = [self.number_pair, self.number_function, self.number_from_array, self.number_choice, self.number_call]
        if self.chance(6):
            options.append(self.number_from_integer)
        return self.pick(options)(depth - 1)

    def number_pair(self, depth):
        return self._pair(SMOOTH_PAIR, ROUGH_PAIR, self.number(depth), self.number(depth))

    def number_function(self, depth):
        return self._single(SMOOTH_SCALAR, ROUGH_SCALAR, self.number(depth))

    def number_choice(self, depth):
        return f"({self.number(depth)} if {self.truth(depth)} else {self.number(depth)})"

    def number_call(self, depth):
        return self._call(FLOAT, depth) or self.number_pair(depth)

    def number_from_integer(self, depth):
        return self.pick(("float({})", "(0.5 * {})", "({} / 4)")).format(self.integer(min(depth, 1)))

    def number_from_array(self, depth):
        arrays = [v for v in self.scope.variables() if v.kind.dtype == "f64" and v.kind.shape]
        if not arrays:
            return self.number_pair(depth)
        if self.chance(2):
            chosen = self.pick(arrays)
            return f"{chosen.name}[{', '.join(self.index(length) for length in chosen.kind.shape)}]"
        kind = self.pick(arrays).kind
        inner = self.array(kind, depth)
        options = ["np.sum({a})", "np.mean({a})", "{a}.sum()"]
        if kind.shape in (("n",), ("m",)):
            options.append("({a} @ {b})")
        if not self.smooth:
            options += ["np.max({a})", "np.min({a})", "np.prod({a})"]
        shape = self.pick(options)
        return shape.format(a=inner, b=self.array(kind, 0) if "{b}" in shape else "")

    def single(self, depth):
        """A float32 scalar, out of a float32 array."""
        arrays = [v for v in self.scope.variables() if v.kind.dtype == "f32" and v.kind.shape]
        known = self.scope.of(Kind("f32"))
        if known and (not arrays or self.chance(2)):
            return self.pick(known)
        chosen = self.pick(arrays)
        return self.pick((f"{chosen.name}[{self.index(chosen.kind.shape[0])}]", f"np.sum({chosen.name})"))

    def integer(self, depth):
        if depth <= 0 or self.chance(3):
            known = self.scope.of(INT)
            return self.pick(("1", "0", "2", "3") if not known or self.chance(3) else known)
        options = ("({a} + {b})", "({a} - {b})", "({a} % 3)", "({a} // 2)", "({a} * 2)", "min({a}, {b})",
                   "max({a}, {b})",
                   "abs({a})", "({a} if {c} else {b})", "(-{a})", "int({f})", "({a} % ({b} + 4))")  # fmt: skip
        shape = self.pick(options)
        number = f"math.tanh({self.number(depth - 1)}) * 3.0" if "{f}" in shape else ""
        truth = self.truth(depth - 1) if "{c}" in shape else ""
        return shape.format(a=self.integer(depth - 1), b=self.integer(depth - 1), c=truth, f=number)

    def truth(self, depth):
        if self.chance(6) and self.scope.of(BOOL):
            return self.pick(self.scope.of(BOOL))
        options = ["({x} {op} {y})", "({i} {op} {j})", "({i} % 2 == 0)"]
        if depth > 0:
            options += ["({p} and {q})", "({p} or {q})", "(not {p})", "(-0.5 < {x} < {y})", "bool({i})"]
            masks = [v.kind.shape for v in self.scope.variables() if v.kind.shape and v.kind.dtype == "f64"]
            if masks:
                options += ["np.any({mask})", "np.all({mask})"]
        shape = self.pick(options)
        parts = {
            "x": self.number, "y": self.number, "i": self.integer, "j": self.integer, "p": self.truth, "q": self.truth,
        }  # fmt: skip
        drawn = {key: make(min(depth - 1, 1)) for key, make in parts.items() if f"{{{key}}}" in shape}
        if "{mask}" in shape:
            drawn["mask"] = self.mask(self.pick(masks), depth - 1)
        operations = COMPARISONS if "{i}" in shape else COMPARISONS[:2]  # equal floats come and go with rounding
        return shape.format(op=self.pick(operations), **drawn)

    def index(self, length):
        """An index that is within this length, which is never 0."""
        if length == "1":
            return self.pick(("0", "-1"))
        loop = [v.name for v in self.scope.variables() if v.below == length]
        options = ["0", "-1", *loop, *(f"{name} - 1" for name in loop), *(f"-1 - {name}" for name in loop)]
        if length in ("n", "m"):
            options += [f"({self.integer(0)}) % {length}", f"{length} - 1"]
        return self.pick(options)

    # --- arrays ---

    def array(self, kind, depth):
        known = self.scope.of(kind)
        if depth <= 0 or self.chance(6):
            return self.constant_array(kind) if not known or self.chance(8) else self.pick(known)
        if kind.dtype != "f64":
            return {"f32": self.single_array, "i64": self.integer_array, "i32": self.integer_array,
                    "bool": self.truth_array}[
                kind.dtype
            ](kind, depth - 1)
        options = [self.array_pair, self.array_function, self.array_view, self.array_choice, self.array_call]
        if len(kind.shape) == 1 and "m" in self.scope.lengths:
            options += [self.array_reduced, self.array_product]
        options.append(self.array_mixed)
        return self.pick(options)(kind, depth - 1)

    def constant_array(self, kind):
        shape = self.shape(kind.shape)
        if kind.dtype == "bool":
            return self.pick((f"np.zeros({shape}, dtype=np.bool_)", f"np.ones({shape}, dtype=np.bool_)"))
        if kind.dtype == "f64":
            return self.pick((f"np.ones({shape})", f"np.zeros({shape})", f"np.full({shape}, {self.number(0)})"))
        if kind.dtype == "i64" and len(kind.shape) == 1:
            return f"np.arange({shape})"
        return f"np.ones({shape}, dtype={DTYPES[kind.dtype]})"

    def shape(self, lengths):
        return lengths[0] if len(lengths) == 1 else f"({', '.join(lengths)})"

    def array_pair(self, kind, depth):
        one, other = self.pick(self.broadcasts(kind.shape))
        a, b = (self.value(Kind("f64", shape), depth) for shape in (one, other))
        return self._pair(SMOOTH_ARRAYS, ROUGH_ARRAYS, a, b)

    def broadcasts(self, shape):
        """Pairs of shapes that broadcast to this one."""
        pairs = [(shape, shape), (shape, ()), ((), shape)]
        if len(shape) == 2 and shape[1] != "1":
            pairs += [(shape, shape[1:]), ((shape[0], "1"), shape[1:]), (shape, (shape[0], "1"))]
        return pairs

    def array_function(self, kind, depth):
        return self._single(SMOOTH_ARRAY, ROUGH_ARRAY, self.array(kind, depth))

    def array_choice(self, kind, depth):
        mask, a, b = self.mask(kind.shape, depth), self.array(kind, depth), self.value(kind, depth)
        return f"np.where({mask}, {a}, {b})"

    def array_call(self, kind, depth):
        return self._call(kind, depth) or self.array_pair(kind, depth)

    def array_view(self, kind, depth):
        options = []
        for variable in self.scope.variables():
            if variable.kind.dtype == kind.dtype:
                options += self.views(variable, kind.shape)
        return self.pick(options) if options else self.array_pair(kind, depth)

    def views(self, variable, wanted):
        """Ways to see a variable in this shape."""
        name, shape = variable.name, variable.kind.shape
        found = [f"{name}[::-1]"] if shape == wanted else []
        match shape, wanted:
            case (a, b), (c, d) if (b, a) == (c, d):
                found += [f"{name}.T", f"np.transpose({name})"]
            case (a,), (c, "1") if a == c:
                found += [f"{name}[:, None]", f"np.reshape({name}, ({a}, 1))"]
            case (a, b), (c,) if b == c and a != "1":
                found.append(f"{name}[{self.index(a)}]")
            case ((a,), (c,)) if c == f"{a} - 1":
                found += [f"{name}[1:]", f"{name}[:-1]"]
        if len(shape) == 2 and len(wanted) == 1 and shape[0] == wanted[0]:
            found.append(f"{name}[:, {self.index(shape[1])}]")
        if shape == wanted == ("n",):
            found += [f"{name}[{choice}]" for choice in self.scope.of(Kind("i64", ("n",))) if choice.startswith("idx")]
            found.append(f"np.concatenate(({name}[1:], {name}[:1]))")
        return found

    def array_reduced(self, kind, depth):
        if kind.shape == ("n",):
            inner, axis = self.array(MATRIX, depth), "1"
        elif kind.shape == ("m",):
            inner, axis = self.array(MATRIX, depth), self.pick(("0", "-2"))
        else:
            return self.array_pair(kind, depth)
        functions = ("sum", "mean") if self.smooth else ("sum", "mean", "max", "min", "cumsum")
        function = self.pick(functions)
        if function == "cumsum":
            return f"np.cumsum({self.array(kind, depth)})"
        return f"np.{function}({inner}, axis={axis})"

    def array_product(self, kind, depth):
        if kind.shape == ("n",):
            return f"({self.array(MATRIX, depth)} @ {self.array(OTHER_VECTOR, 0)})"
        if kind.shape == ("m",):
            return f"({self.array(VECTOR, 0)} @ {self.array(MATRIX, depth)})"
        return self.array_pair(kind, depth)

    def array_mixed(self, kind, depth):
        """A float64 array out of one of another dtype."""
        others = [d for d in ("f32", "i64", "i32", "bool") if self.scope.of(Kind(d, kind.shape))]
        if not others or self.smooth:
            return self.array_pair(kind, depth)
        other = self.pick(self.scope.of(Kind(self.pick(others), kind.shape)))
        return self.pick((f"({other} * {self.array(kind, depth)})", f"{other}.astype(np.float64)",
                          f"({other} + {self.array(kind, 0)})"))  # fmt: skip

    def single_array(self, kind, depth):
        a, b = self.array(kind, depth), self.array(kind, depth)
        return self.pick(("({a} + {b})", "({a} * {b})", "np.sin({a})", "({a} * 0.5)", "({a} - 1)",
                          "np.maximum({a}, {b})",
                          "({a} / ({b} * {b} + 1.0))", "{a}[::-1]",
                          "np.where({a} > {b}, {a}, {b})")).format(a=a, b=b)  # fmt: skip

    def integer_array(self, kind, depth):
        a, b = self.array(kind, depth), self.array(kind, depth)
        shapes = ["({a} + {b})", "({a} - {b})", "({a} % 5)", "({a} * 2)", "({a} // 3)", "np.maximum({a}, {b})",
                  "{a}[::-1]",
                  "np.where({a} > {b}, {a}, {b})", "np.abs({a})", "({a} & 6)", "({a} ^ {b})"]  # fmt: skip
        return self.pick(shapes).format(a=a, b=b)

    def truth_array(self, kind, depth):
        return self.mask(kind.shape, depth)

    def mask(self, shape, depth):
        a = self.array(Kind("f64", shape), min(depth, 1))
        b = self.pick((self.number(0), self.array(Kind("f64", shape), 0)))
        options = ["({a} < {b})", "({a} > {b})", "np.isfinite({a})", "(~({a} > {b}))",
                   "np.logical_and({a} > {b}, {a} < 1.0)",
                   "(({a} > {b}) | ({a} < -1.0))"]  # fmt: skip
        return self.pick(options).format(a=a, b=b)

    # --- both ---

    def _pair(self, smooth, rough, a, b):
        return self.pick(smooth if self.smooth else (*smooth, *rough)).format(a=a, b=b)

    def _single(self, smooth, rough, a):
        return self.pick(smooth if self.smooth else (*smooth, *rough)).format(a=a)

    def _call(self, kind, depth):
        """A call of a helper that gives this kind, if there is one."""
        fitting = [h for h in self.scope.helpers if h[2] == kind]
        if not fitting:
            return None
        name, kinds, _ = self.pick(fitting)
        return f"{name}({', '.join(self.value(k, min(depth, 1)) for k in kinds)})"
