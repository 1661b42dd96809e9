"""The gradient of a generated program by complex steps in CPython, confirmed by differences.

    d f(x) . v  =  imag f(x + i h v) / h          (Squire and Trapp, SIAM Review 40, 1998)

The program runs as it stands, in a module whose `np`, `math` and `float` take complex numbers for real ones: arrays
that it makes are complex, comparisons look at real parts.  Where this does not work, where the real parts are not the
value, or where a central difference does not confirm the slope (a kink, a path that changes) there is no answer.
"""

import ast

import numpy as np

from ..corpus import map_leaves
from ..stages import plain

STEP = 1e-30


def gradient(case, loss, args, argnums):
    """One gradient for each of the arguments, or None."""
    with np.errstate(all="ignore"):
        try:
            value = float(loss(*args))
            complex_loss = complex_module(case)[case.loss]
            found = [_by_complex_step(complex_loss, args, number, value) for number in argnums]
            near = [_by_difference(loss, args, number) for number in argnums]
        except Exception:
            return None
    for one, other in zip(found, near):
        scale = 1.0 + np.max(np.abs(other), initial=0.0)
        if not np.all(np.isfinite(one)) or not np.max(np.abs(one - other), initial=0.0) <= 1e-3 * scale:
            return None  # `not <=`, so that nan is no confirmation
    return found


def wrong(got, want) -> str:
    """What is wrong with a compiled gradient, or nothing."""
    for number, (one, other) in enumerate(zip(map_leaves(plain, tuple(got)), want)):
        if np.shape(one) != np.shape(other):
            return f"gradient {number} has shape {np.shape(one)}, not {np.shape(other)}"
        scale = 1.0 + float(np.max(np.abs(other), initial=0.0))
        if not np.allclose(one, other, rtol=1e-6, atol=1e-7 * scale):
            return f"gradient {number} is {one!r}, not {other!r}"
    return ""


def meets_an_end(case, args) -> bool:
    """Whether the loss takes a root, a norm, a logarithm or an arc at the end of its domain: the slope is infinite."""
    met = []

    def watched(function, ends):
        def call(x, *rest, **options):
            result = function(x, *rest, **options)
            met.append(np.any(np.isin(np.abs(x), ends)) if len(ends) else np.any(np.equal(result, 0.0)))
            return result

        return call

    class Watching(Numpy):
        sqrt, log, log2, log10 = (staticmethod(watched(f, [0.0])) for f in (np.sqrt, np.log, np.log2, np.log10))
        arcsin, arccos, arctanh = (staticmethod(watched(f, [1.0])) for f in (np.arcsin, np.arccos, np.arctanh))
        std, hypot = (staticmethod(watched(f, [])) for f in (np.std, np.hypot))
        linalg = type("linalg", (), {"norm": staticmethod(watched(np.linalg.norm, []))})

    space = {"__name__": "watched"}
    exec(case.source, space)
    space["np"] = Watching()
    with np.errstate(all="ignore"):
        space[case.loss](*map_leaves(_copied, tuple(args)))
    return any(met)


def _copied(leaf):
    return leaf.copy() if isinstance(leaf, np.ndarray) else leaf


def _by_complex_step(loss, args, number, value):
    def slope(at):
        moved = list(map_leaves(_as_complex, tuple(args)))
        if at is None:
            moved[number] = complex(args[number], STEP)
        else:
            moved[number][at] += 1j * STEP
        result = complex(loss(*moved))
        if not abs(result.real - value) <= 1e-8 * (1.0 + abs(value)):
            raise ValueError("the real part is not the value")
        return result.imag / STEP

    return _over(args[number], slope)


def _by_difference(loss, args, number):
    def slope(at):
        ends = []
        for step in (1e-6, -1e-6):
            moved = list(args)
            if at is None:
                moved[number] = args[number] + step
            else:
                moved[number] = args[number].copy()
                moved[number][at] += step
            ends.append(float(loss(*moved)))
        return (ends[0] - ends[1]) / 2e-6

    return _over(args[number], slope)


def _over(argument, slope):
    if not isinstance(argument, np.ndarray):
        return np.array(slope(None))
    found = np.zeros(argument.shape)
    for at in np.ndindex(argument.shape):
        found[at] = slope(at)
    return found


def _as_complex(leaf):
    if isinstance(leaf, np.ndarray):
        return leaf.astype(complex) if leaf.dtype.kind == "f" else leaf.copy()
    return complex(leaf) if isinstance(leaf, float) else leaf


# --- a module that takes complex numbers for real ones -----------------------------------------------------------


class RealParts(ast.NodeTransformer):
    """`a < b` -> `_real(a) < _real(b)`, and so for what decides or counts."""

    def visit_Compare(self, node):
        self.generic_visit(node)
        if all(isinstance(op, ast.Is | ast.IsNot | ast.In | ast.NotIn) for op in node.ops):
            return node
        node.left = _call("_real", node.left)
        node.comparators = [_call("_real", part) for part in node.comparators]
        return node

    def visit_ImportFrom(self, node):
        return node if node.module in ("dataclasses", "typing", "numpy") else None


def _call(name, *args):
    return ast.Call(ast.Name(name, ast.Load()), list(args), [])


def complex_module(case):
    tree = ast.fix_missing_locations(RealParts().visit(ast.parse(case.source)))
    tree.body = [s for s in tree.body if not isinstance(s, ast.Import)]
    names = {"np": ComplexNumpy(), "math": ComplexMath(), "_real": real, "float": _same, "abs": absolute,
             "max": largest, "min": smallest, "__name__": "complex_step"}  # fmt: skip
    exec(compile(tree, "<complex step>", "exec"), names)
    return names


def real(value):
    if isinstance(value, complex | np.complexfloating):
        return value.real
    return value.real if isinstance(value, np.ndarray) and value.dtype.kind == "c" else value


def _same(value=0.0):
    return complex(value) if not isinstance(value, str) else complex(float(value))


def absolute(value):
    return np.where(real(value) < 0, -value, value)[()]


def maximum(x, y):
    return np.where(real(x) >= real(y), x, y)[()]


def minimum(x, y):
    return np.where(real(x) <= real(y), x, y)[()]


def largest(*values):
    values = values if len(values) > 1 else list(values[0])
    return max(values, key=real)


def smallest(*values):
    values = values if len(values) > 1 else list(values[0])
    return min(values, key=real)


def clip(x, low=None, high=None):
    x = x if low is None else maximum(x, low)
    return x if high is None else minimum(x, high)


def _reduced(choose):
    def reduce(x, axis=None):
        x = np.asarray(x)
        at = choose(real(x), axis=axis)
        if axis is None:
            return x.ravel()[at]
        return np.take_along_axis(x, np.expand_dims(at, axis), axis).squeeze(axis)

    return reduce


def _made(make):
    """A maker of arrays whose floats are complex."""

    def complex_make(*args, dtype=None, **options):
        if dtype is not None and np.dtype(dtype).kind != "f":
            return make(*args, dtype=dtype, **options)
        found = make(*args, **options)
        return found.astype(complex) if found.dtype.kind == "f" else found

    return complex_make


class Numpy:
    """NumPy, some functions of which a class puts others in the place of."""

    def __getattr__(self, name):
        return getattr(np, name)


class ComplexLinalg:
    """NumPy's linear algebra, with what is analytic for what takes a modulus."""

    norm = staticmethod(lambda x: np.sqrt(np.sum(x * x)))
    slogdet = staticmethod(lambda m: (1.0, np.log(np.linalg.det(m))))

    def __getattr__(self, name):
        return getattr(np.linalg, name)


class ComplexNumpy(Numpy):
    """NumPy for complex numbers in the place of floats."""

    abs = absolute_ = absolute = staticmethod(absolute)
    maximum, minimum, clip = staticmethod(maximum), staticmethod(minimum), staticmethod(clip)
    max, min = staticmethod(_reduced(np.argmax)), staticmethod(_reduced(np.argmin))
    argmax = staticmethod(lambda x, axis=None: np.argmax(real(x), axis=axis))
    argmin = staticmethod(lambda x, axis=None: np.argmin(real(x), axis=axis))
    sign = staticmethod(lambda x: np.sign(real(x)))
    zeros, ones, empty, full = (staticmethod(_made(f)) for f in (np.zeros, np.ones, np.empty, np.full))
    array, asarray = staticmethod(_made(np.array)), staticmethod(_made(np.asarray))
    eye, arange, linspace = (staticmethod(_made(f)) for f in (np.eye, np.arange, np.linspace))
    linalg = ComplexLinalg()
    hypot = staticmethod(lambda x, y: np.sqrt(x * x + y * y))
    float64 = staticmethod(lambda x: x)


class ComplexMath:
    """`math` by NumPy's functions of complex numbers."""

    pi, e, inf, nan = np.pi, np.e, np.inf, np.nan
    NAMES = {"asin": "arcsin", "acos": "arccos", "atan": "arctan", "asinh": "arcsinh", "atanh": "arctanh"}

    def __getattr__(self, name):
        if name in ("fabs",):
            return absolute
        if name == "hypot":
            return ComplexNumpy.hypot
        if name in ("floor", "ceil"):
            return lambda x: int(getattr(np, name)(real(x)))
        return getattr(np, self.NAMES.get(name, name))
