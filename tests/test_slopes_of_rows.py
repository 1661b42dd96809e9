"""Derivatives of orders 1, 2 and 3 of every function of one or two numbers, against mpmath, where such functions break.

The points are those at which a rule or a guard may single something out: 0, 1, -1, ties, the bounds of a domain.  Each
function is held there in reverse mode, in forward mode and in both mixed, mixed partials included.  What has a kink or
the end of its domain at a point is not held there: `tests/test_kinks.py` says what is right in such places.
"""

import itertools

import mpmath
import numpy as np
import pytest

from pellucid.compiler.ops.schema import OPERATORS
from pellucid.compiler.ops.scipy_names import SCIPY_FUNCTIONS
from tests.harness.special_twins import INVERSES, REFUSED
from tests.harness.special_twins import TWINS as OF_SCIPY
from tests.harness.stages import Stages, module_of

pytestmark = pytest.mark.drawn(5)

POINTS = (-2.0, -1.0, -0.5, 0.0, 0.5, 1.0, 2.0)
ABOVE = (0.25, 0.5, 1.0, 2.0)
INSIDE = (-0.5, 0.0, 0.5)
PAIRS = tuple(itertools.product((-1.0, 0.0, 0.5, 1.0), repeat=2))
POSITIVE_PAIRS = tuple(itertools.product((0.5, 1.0, 2.0), repeat=2))
OF_BASES = tuple(itertools.product((0.5, 1.0, 3.0), (-1.0, 0.0, 0.5, 1.0, 2.0, 3.0)))


def off_zero(pairs):
    return tuple(p for p in pairs if p != (0.0, 0.0))


def real_power(x, y):
    return mpmath.exp(y * mpmath.log(x))


def share(of):
    return lambda x, y: mpmath.log(of**x + of**y) / mpmath.log(of)


# the twin of a row, and the points; the expression is the row's own spelling
TWINS = {
    "add": (lambda x, y: x + y, PAIRS),
    "subtract": (lambda x, y: x - y, PAIRS),
    "multiply": (lambda x, y: x * y, PAIRS),
    "divide": (lambda x, y: x / y, tuple(p for p in PAIRS if p[1])),
    "remainder": (lambda x, y: x - y * mpmath.floor(x / y), ((1.5, 1.0), (-0.5, 1.0), (0.5, 2.0))),
    "fmod": (lambda x, y: x - y * mpmath.sign(x / y) * mpmath.floor(abs(x / y)),
             ((1.5, 1.0), (-0.5, 1.0), (5.0, -2.0))),
    "power": (real_power, OF_BASES),
    "float_power": (real_power, OF_BASES),
    "negative": (lambda x: -x, POINTS),
    "positive": (lambda x: x, POINTS),
    "absolute": (abs, tuple(p for p in POINTS if p)),
    "square": (lambda x: x * x, POINTS),
    "reciprocal": (lambda x: 1 / x, tuple(p for p in POINTS if p)),
    "copysign": (lambda x, y: abs(x) * mpmath.sign(y), tuple(p for p in PAIRS if p[0] and p[1])),
    "deg2rad": (mpmath.radians, POINTS),
    "rad2deg": (mpmath.degrees, POINTS),
    "maximum": (max, tuple(p for p in PAIRS if p[0] != p[1])),
    "minimum": (min, tuple(p for p in PAIRS if p[0] != p[1])),
    "fmax": (max, tuple(p for p in PAIRS if p[0] != p[1])),
    "fmin": (min, tuple(p for p in PAIRS if p[0] != p[1])),
    "sqrt": (mpmath.sqrt, ABOVE),
    "cbrt": (lambda x: mpmath.sign(x) * mpmath.cbrt(abs(x)), tuple(p for p in POINTS if p)),
    "exp": (mpmath.exp, POINTS),
    "exp2": (lambda x: mpmath.mpf(2) ** x, POINTS),
    "expm1": (mpmath.expm1, POINTS),
    "log": (mpmath.log, ABOVE),
    "log2": (lambda x: mpmath.log(x, 2), ABOVE),
    "log10": (mpmath.log10, ABOVE),
    "log1p": (mpmath.log1p, (-0.5, 0.0, 1.0)),
    "sin": (mpmath.sin, POINTS),
    "cos": (mpmath.cos, POINTS),
    "tan": (mpmath.tan, POINTS),
    "arcsin": (mpmath.asin, INSIDE),
    "arccos": (mpmath.acos, INSIDE),
    "arctan": (mpmath.atan, POINTS),
    "sinh": (mpmath.sinh, POINTS),
    "cosh": (mpmath.cosh, POINTS),
    "tanh": (mpmath.tanh, POINTS),
    "arcsinh": (mpmath.asinh, POINTS),
    "arccosh": (mpmath.acosh, (1.5, 2.0)),
    "arctanh": (mpmath.atanh, INSIDE),
    "arctan2": (mpmath.atan2, tuple(p for p in off_zero(PAIRS) if p[1] > 0.0 or p[0])),
    "hypot": (mpmath.hypot, off_zero(PAIRS)),
    "logaddexp": (share(mpmath.e), PAIRS),
    "logaddexp2": (share(mpmath.mpf(2)), PAIRS),
    "erf": (mpmath.erf, POINTS),
    "erfc": (mpmath.erfc, POINTS),
    "gamma": (mpmath.gamma, (0.5, 1.0, 2.0, 3.0)),
    "gammaln": (mpmath.loggamma, (0.5, 1.0, 2.0, 3.0)),
    "digamma": (mpmath.digamma, (0.5, 1.0, 2.0)),
}  # fmt: skip
OF_MATH = {
    "cbrt": "cbrt", "exp": "exp", "exp2": "exp2", "expm1": "expm1", "log": "log", "log2": "log2", "log10": "log10",
    "log1p": "log1p", "sin": "sin", "cos": "cos", "tan": "tan", "asin": "arcsin", "acos": "arccos", "atan": "arctan",
    "sinh": "sinh", "cosh": "cosh", "tanh": "tanh", "asinh": "arcsinh", "acosh": "arccosh", "atanh": "arctanh",
    "erf": "erf", "erfc": "erfc", "sqrt": "sqrt", "fabs": "absolute", "radians": "deg2rad", "degrees": "rad2deg",
    "gamma": "gamma", "lgamma": "gammaln", "atan2": "arctan2", "hypot": "hypot", "copysign": "copysign", "fmod": "fmod",
    "pow": "power",
}  # fmt: skip
TWINS |= {f"math_{name}": TWINS[twin] for name, twin in OF_MATH.items()}
TWINS["math_remainder"] = (lambda x, y: x - y * mpmath.nint(x / y), ((1.25, 1.0), (-0.25, 1.0), (4.5, -2.0)))

WITHOUT = {
    "where": "a choice: `tests/test_untaken.py`",
    "heaviside": "a step; the slope by its second operand is 1 at the step alone: `tests/test_kinks.py`",
    "nextafter": "jumps from float to float",
    "drawn": "refuses its only operand",
    "zeta": "refuses its first operand; by the second it is held as the derivative of digamma",
    **dict.fromkeys(({*OF_SCIPY, *INVERSES, *REFUSED}), "called of SciPy: `tests/test_special_slopes.py`"),
    "cast": "a conversion",
    "real": "of complex numbers: `tests/test_complex.py`",
    "imag": "of complex numbers: `tests/test_complex.py`",
    "conjugate": "of complex numbers: `tests/test_complex.py`",
    "complex_of": "of complex numbers: `tests/test_complex.py`",
    "tangent_of": "a mark in a rule that the user gives: `tests/test_custom_rules.py`",
    "with_tangent": "a mark in a rule that the user gives: `tests/test_custom_rules.py`",
}

# library functions, and expressions that rows give together: name -> (expression, twin, points)
LIBRARY = {
    "expit": ("scipy.special.expit(x)", lambda x: 1 / (1 + mpmath.exp(-x)), (*POINTS, -30.0, 30.0)),
    "log_expit": ("scipy.special.log_expit(x)", lambda x: -mpmath.log1p(mpmath.exp(-x)), (*POINTS, -30.0, 30.0)),
    "logit": ("scipy.special.logit(x)", lambda x: mpmath.log(x / (1 - x)), (0.1, 0.3, 0.5, 0.65, 0.9)),
    "xlogy": ("scipy.special.xlogy(x, y)", lambda x, y: x * mpmath.log(y),
              tuple(itertools.product((-1.0, 0.0, 1.0), ABOVE))),
    "xlog1py": ("scipy.special.xlog1py(x, y)", lambda x, y: x * mpmath.log1p(y),
                tuple(itertools.product((-1.0, 0.0, 1.0), (-0.5, 0.0, 1.0)))),
    "rel_entr": ("scipy.special.rel_entr(x, y)", lambda x, y: x * mpmath.log(x / y), POSITIVE_PAIRS),
    "kl_div": ("scipy.special.kl_div(x, y)", lambda x, y: x * mpmath.log(x / y) - x + y, POSITIVE_PAIRS),
    "ndtr": ("scipy.special.ndtr(x)", mpmath.ncdf, POINTS),
    "log_ndtr": ("scipy.special.log_ndtr(x)", lambda x: mpmath.log(mpmath.ncdf(x)), (*POINTS, -20.0, -25.0, 4.0)),
    "exprel": ("scipy.special.exprel(x)", lambda x: mpmath.hyp1f1(1, 2, x), (*POINTS, 1e-20, -1e-9, 1e-4, 0.499)),
    "polygamma": ("scipy.special.polygamma(1, x)", lambda x: mpmath.polygamma(1, x), ABOVE),
    "multigammaln": ("scipy.special.multigammaln(x, 2)", lambda x: mpmath.log(mpmath.pi) / 2 + mpmath.loggamma(x)
                     + mpmath.loggamma(x - 0.5), (1.0, 2.0)),
    "logsumexp": ("scipy.special.logsumexp(np.stack([x, y]), axis=0)", share(mpmath.e), PAIRS),
    "softmax": ("scipy.special.softmax(np.stack([x, y]), axis=0)[0]", lambda x, y: 1 / (1 + mpmath.exp(y - x)), PAIRS),
    "log_softmax": ("scipy.special.log_softmax(np.stack([x, y]), axis=0)[0]",
                    lambda x, y: -mpmath.log1p(mpmath.exp(y - x)), PAIRS),
    "sinc": ("np.sinc(x)", mpmath.sincpi, POINTS),
    "i0": ("np.i0(x)", lambda x: mpmath.besseli(0, x), POINTS),
    "abs squared": ("np.abs(x) ** 2", lambda x: x * x, POINTS),
    "fabs squared": ("np.fabs(x) ** 2", lambda x: x * x, POINTS),
    "abs times abs": ("np.abs(x) * np.abs(x)", lambda x: x * x, POINTS),
    "square of abs": ("np.square(np.abs(x))", lambda x: x * x, POINTS),
    "a whole power": ("x ** 3", lambda x: x**3, POINTS),
    "a power that is a root": ("x ** 0.5", mpmath.sqrt, ABOVE),
    "a number to a power": ("2.0 ** x", lambda x: mpmath.mpf(2) ** x, POINTS),
    "product": ("np.prod(np.stack([x, y]), axis=0)", lambda x, y: x * y, PAIRS),
    "running product": ("np.cumprod(np.stack([x, y]), axis=0)[1]", lambda x, y: x * y, PAIRS),
    "norm": ("np.linalg.norm(np.stack([x, y]), axis=0)", mpmath.hypot, off_zero(PAIRS)),
    "variance": ("np.var(np.stack([x, y]), axis=0)", lambda x, y: (x - y) ** 2 / 4, PAIRS),
    "length of three": ("math.hypot(x, y, 2.0)", lambda x, y: mpmath.sqrt(x * x + y * y + 4), PAIRS),
    "distance": ("math.dist((x, y, 2.0), (0.0, 0.0, 0.0))", lambda x, y: mpmath.sqrt(x * x + y * y + 4), PAIRS),
    "distance in a plane": ("math.dist((x, y), (0.0, 0.0))", mpmath.hypot, off_zero(PAIRS)),
}  # fmt: skip


def expression_of(name):
    row = OPERATORS[name]
    return row.spelling.format(**dict(zip(row.operands, "xy")))


CASES = {name: (expression_of(name), *twin) for name, twin in TWINS.items()} | LIBRARY

def slope(inner, names, k, way, of_numbers):
    """The derivative of an expression in these names by one of them."""
    one, zero = ("1.0", "0.0") if of_numbers else ("np.float64(1.0)", "np.float64(0.0)")
    whole = ", ".join(names)
    if way == "reverse":
        return f"grad(lambda {whole}: {inner}, {k})({whole})"
    along = ", ".join(one if place == k else zero for place in range(len(names)))
    return f"jvp(lambda {whole}: {inner}, ({whole},), ({along},))[1]"


def orders_of(names, most):
    """Which derivatives: by which operands one after the other, the second ones in either order."""
    for order in range(1, most + 1):
        for places in itertools.product(range(len(names)), repeat=order):
            if order < 3 or list(places) == sorted(places):
                yield places


def program_of(expression, names, ways, most):
    """A function that gives all derivatives: one compilation; of Python's floats where it is Python's function."""
    whole, of_numbers = ", ".join(names), "math." in expression
    lines = ["import math", "import numpy as np", "import scipy.special", "from pellucid import grad, jvp", "", "",
             f"def f({whole}):", f"    return {expression}", "", ""]  # fmt: skip
    made = {(): "f"}
    for places in orders_of(names, most):
        made[places] = "d" + "".join(names[k] for k in places)
        inner, way = f"{made[places[:-1]]}({whole})", ways[(len(places) - 1) % len(ways)]
        lines += [f"def {made[places]}({whole}):", f"    return {slope(inner, names, places[-1], way, of_numbers)}"]
        lines += ["", ""]
    lines += [f"def orders({whole}):", f"    return ({', '.join(f'{d}({whole})' for d in made.values())},)"]
    return module_of("\n".join(lines) + "\n")["orders"], list(made), float if of_numbers else np.float64


def wanted(twin, point, places):
    with mpmath.workdps(60):
        counts = tuple(places.count(k) for k in range(len(point)))
        values = tuple(map(mpmath.mpf, point))
        if len(point) == 1:
            return float(mpmath.re(mpmath.diff(twin, values[0], counts[0])))
        return float(mpmath.re(mpmath.diff(twin, values, counts)))


def hold(name, ways, most):
    expression, twin, points = CASES[name]
    points = [p if isinstance(p, tuple) else (p,) for p in points]
    function, found, kind = program_of(expression, ("x", "y")[: len(points[0])], ways, most)
    stages = Stages(function)
    for point in points:
        outcome = stages.run("typed", *map(kind, point))
        if outcome.error is not None:
            raise outcome.error
        for places, value in zip(found, outcome.value, strict=True):
            want = wanted(twin, point, places)
            assert np.isclose(value, want, rtol=1e-7, atol=1e-9), (name, places, point, value, want)


COSTLY = ("product", "running product", "distance", "distance in a plane", "logsumexp", "softmax", "log_softmax")


@pytest.mark.parametrize("name", [pytest.param(n, marks=[pytest.mark.long] * (n in COSTLY)) for n in CASES])
def test_slopes_and_second_slopes(name):
    hold(name, ("reverse", "forward"), 2)


@pytest.mark.long
@pytest.mark.parametrize("ways", [("reverse",), ("forward",), ("forward", "reverse")], ids="-".join)
@pytest.mark.parametrize("name", CASES)
def test_slopes_of_three_orders(name, ways):
    hold(name, ways, 3)


def test_every_row_has_a_twin_or_a_reason():
    smooth = {row.name for row in OPERATORS.values() if row.kind == "elementwise" and any(row.partials)}
    assert smooth == {*TWINS, *WITHOUT} and not {*TWINS} & {*WITHOUT}


def test_every_special_function_has_a_twin():
    assert {*SCIPY_FUNCTIONS["scipy.special"]["special"].split()} <= {*LIBRARY}
