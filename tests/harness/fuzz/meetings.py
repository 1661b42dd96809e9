"""Programs in which numbers of Python's meet NumPy's of every narrow dtype: as scalars, elements and arrays.

    def program(x1, y1, v1, w1, k1):
        a1 = max(v1, k1)
        return np.left_shift(x1, 3), a1 + 1, k1 in y1

`x1` and `y1` are arrays, `v1` and `w1` NumPy's numbers, `k1` is one of Python's.
"""

import random

from .case import PRELUDE, Call, Case, drawn

INTS = "int8 int16 int32 int64 uint8 uint16 uint32 uint64".split()
DTYPES = [*INTS, "float16", "float32", "float64", "bool"]
BITS = {name: int(name.lstrip("uint")) for name in INTS}
NUMBERS = {
    "int": ["0", "1", "-1", "3", "7", "100", "127", "128", "-128", "-129", "255", "256", "300", "40000", "70000",
            "2**31", "-2**40", "2**62"],
    "float": ["0.0", "-0.0", "0.5", "-1.5", "2.0", "0.1", "300.0", "70000.0", "1e-9", "1e300", "inf", "nan"],
    "bool": ["True", "False"],
}  # fmt: skip
WRITTEN = ["0", "1", "2", "-1", "3", "100", "255", "256", "300", "-200", "40000", "2**40", "0.5", "2.0", "0.1", "-1.5",
           "1e300", "True"]  # fmt: skip
BINARY = "+ - * / // % ** & | ^ << >> < <= == != > >=".split()
UNARY = ["-{}", "+{}", "~{}", "abs({})", "not {}"]
OF_ONE = """sign square negative absolute positive sqrt exp floor rint trunc isnan isfinite signbit spacing reciprocal
cbrt invert fabs deg2rad logical_not conjugate modf frexp bitwise_count""".split()
OF_TWO = """add subtract multiply divide true_divide floor_divide remainder mod fmod power float_power maximum minimum
fmax fmin left_shift right_shift bitwise_and bitwise_or bitwise_xor logical_and logical_or logical_xor gcd lcm divmod
ldexp copysign nextafter hypot arctan2 heaviside equal not_equal less less_equal greater greater_equal isclose
logaddexp""".split()
REDUCING = """sum prod max min mean var std ptp median argmax argmin any all cumsum cumprod sort diff unique flip nansum
nanmax count_nonzero ediff1d gradient trapezoid unwrap""".split()
OF_ARRAYS = [
    "np.where({c}, {x}, {b})", "np.where({c}, {b}, {x})", "np.where({x} > {b}, {x}, {b})", "np.clip({x}, {b}, None)",
    "np.clip({x}, None, {b})", "np.clip({x}, {b}, {d})", "{x}.clip({b}, {d})", "np.select([{x} > 1], [{x}], {b})",
    "np.full_like({x}, {b})", "np.full(2, {b}, dtype={x}.dtype)", "np.append({x}, {b})", "np.insert({x}, 0, {b})",
    "np.concatenate(({x}, [{b}]))", "np.isin({x}, {b})", "{b} in {x}", "np.searchsorted(np.sort({x}), {b})",
    "np.dot({x}, {b})", "np.outer({x}, {b})", "np.pad({x}, 1, constant_values={b})", "np.sum({x}, initial={b})",
    "np.max({x}, initial={b})", "np.diff({x}, prepend={b})", "np.array([{x}[0], {b}])", "np.stack(({x}, {x})) + {b}",
    "sum({x}, {b})", "max({x}, default={b})", "min({x}, default={b})", "max([{b}, {x}[0], {x}[1]])",
    "max({x}[0], {b})",
    "sum([{b}, {x}[0]])", "{x}[0] + {b}", "{b} - {x}[1]", "np.digitize({x}, [0, {b}])", "np.linspace({x}[0], {b}, 3)",
    "np.nan_to_num({x}, nan={b})", "np.isclose({x}, {b})", "np.trapezoid({x}, dx={b})",
    "np.interp({b}, [0, 1], [2, 3])", "np.quantile({x}, 0)", "np.quantile({x}, 0.5)", "np.percentile({x}, 50)",
    "np.polyval({x}, {b})", "np.round({x}, 1)",
    "divmod({x}, {b})", "pow({x}, 2)", "{x} ** 0.5", "{x} ** 2", "2 ** {x}", "{x} @ {x}", "np.mean({x} * {b})",
    "np.arange({x}[0], {b})", "np.average({x}, weights=[1, 2, {b}])", "np.cumsum({x} + {b})", "np.vander({x}, 2)",
    "np.convolve({x}, [1, {b}])", "np.maximum.reduce({x}, initial={b})", "np.add.outer({x}, {b})",
    "np.kron({x}, [{b}])",
]  # fmt: skip
SELECTS = ["max({a}, {b})", "min({a}, {b})", "({a} if {c} else {b})", "({a} and {b})", "({a} or {b})",
           "max({a}, {b}, {d})", "({a} if {a} < {b} else {b})", "min(max({a}, {b}), {d})"]  # fmt: skip
LOOPS = [
    "{r} = {b}\nfor e1 in {x}:\n    {r} = max({r}, e1)",
    "{r} = {b}\nfor e1 in {x}:\n    if e1 < {r}:\n        {r} = e1",
    "{r} = {b}\nfor e1 in {x}:\n    {r} = {r} + e1", "{r} = {b}\nfor e1 in {x}:\n    {r} += e1 * {d}",
    "{r} = {b}\nfor i1 in range({n}):\n    {r} = {r} * 3 + {a}", "if {c}:\n    {r} = {a}\nelse:\n    {r} = {b}",
    "{r} = {b}\nif {c}:\n    {r} = {r} + {a}", "{r} = [max(e1, {b}) for e1 in {x}]",
    "{r} = [{b}]\nfor e1 in {x}:\n    {r}.append(e1)", "{r} = {x}.copy()\n{r}[0] = {b}", "{r} = {x}.copy()\n{r} += {b}",
    "{r} = {x}.copy()\n{r}[0] *= {b}", "{r} = {a}\nwhile {r} < 50 and {c}:\n    {r} = {r} + {d} + 20",
]  # fmt: skip


class Writer:
    def __init__(self, rng: random.Random):
        self.rng = rng
        self.made: list[str] = []
        self.lists: list[str] = []
        self.arrays, self.numpys = ["x1", "y1"], ["v1", "w1"]

    def pick(self, options):
        return self.rng.choice(options)

    def pythons(self):
        return self.pick(["k1", "k1", *self.rng.sample(WRITTEN, 2)])

    def number(self):
        return self.pick([self.pick(self.numpys), self.pythons(), self.pick(self.arrays) + "[0]", *self.made[-1:]])

    def holes(self):
        return {
            "a": self.pick([*self.numpys, "x1[0]", *self.made[-1:]]), "b": self.number(), "d": self.pythons(),
            "x": self.pick(self.arrays), "n": self.pick("012"),
            "c": self.pick(["v1 > 2", "flag", "w1 == v1", "k1 > 1"]),
        }  # fmt: skip

    def expression(self):
        kind, rng = self.rng.random(), self.rng
        any_one = self.pick([*self.arrays, *self.numpys, *self.made[-2:]])
        other = self.pick([*self.arrays, self.number(), self.pythons()])
        if kind < 0.3:
            pair = [any_one, other] if rng.random() < 0.6 else [other, any_one]
            return f"({pair[0]} {self.pick(BINARY)} {pair[1]})"
        if kind < 0.35:
            return "(" + self.pick(UNARY).format(any_one) + ")"
        if kind < 0.42:
            return f"np.{self.pick(OF_ONE)}({any_one})"
        if kind < 0.6:
            pair = [any_one, other] if rng.random() < 0.7 else [other, any_one]
            return f"np.{self.pick(OF_TWO)}({pair[0]}, {pair[1]})"
        if kind < 0.65:
            return f"np.{self.pick(REDUCING)}({self.pick(self.arrays)})"
        return self.pick(OF_ARRAYS if kind < 0.88 else SELECTS).format(**self.holes())

    def meeting(self, name):
        """Lines after which the variable is a number of one of two kinds, a list of such, or an array changed."""
        if self.rng.random() < 0.45:
            line = f"{name} = {self.pick(SELECTS).format(**self.holes())}"
            self.made.append(name)
            return [line]
        lines = self.pick(LOOPS).format(r=name, **self.holes()).split("\n")
        is_list = lines[0].startswith(f"{name} = [")
        is_array = lines[0].endswith(".copy()")
        (self.lists if is_list else self.arrays if is_array else self.made).append(name)
        return lines

    def program(self):
        lines = [line for k in range(self.pick([0, 1, 1, 2])) for line in self.meeting(f"a{k + 1}")]
        results = [self.expression(), *self.made, *self.lists, *self.arrays[2:]]
        return [*lines, f"return {', '.join(results)},"]


def case(seed: int) -> Case:
    return drawn("meetings", seed, write)


def write(rng: random.Random) -> Case:
    one, other, kind = rng.choice(DTYPES), rng.choice(DTYPES), rng.choice(["int", "int", "int", "float", "bool"])
    body = Writer(rng).program()
    source = PRELUDE + "def program(x1, y1, v1, w1, k1, flag):\n" + "".join(f"    {line}\n" for line in body)
    calls = []
    for _ in range(4):
        arrays = ", ".join(f"np.array([{', '.join(value(rng, d) for _ in range(3))}], np.{d})" for d in (one, other))
        scalars = ", ".join(f"np.{'bool_' if d == 'bool' else d}({value(rng, d)})" for d in (one, other))
        calls.append(Call(f"({arrays}, {scalars}, {rng.choice(NUMBERS[kind])}, {rng.random() < 0.5})"))
    return Case(source, tuple(calls))


def value(rng: random.Random, dtype: str) -> str:
    """A number of this dtype, at its ends more often than not."""
    if dtype == "bool":
        return rng.choice(["True", "False"])
    if dtype.startswith("float"):
        return rng.choice(["0.0", "-0.0", "1.0", "2.5", "-3.0", "0.1", "60000.0", "nan", "inf", "7.0"])
    bits, low = BITS[dtype], 0 if dtype.startswith("u") else 1
    ends = [-(2 ** (bits - 1)) * low, 2 ** (bits - low) - 1]
    return str(rng.choice([0, 1, 2, 5, 100, rng.choice(ends), -low, -3 * low]))
