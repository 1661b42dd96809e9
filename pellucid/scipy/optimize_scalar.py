"""`scipy.optimize.minimize_scalar`: the minimum of a function of one number, by parabolas and golden sections.

    minimize_scalar(f)                              ->     three points around a minimum, and Brent's steps between them
    minimize_scalar(f, bounds=(a, b))               ->     the same between `a` and `b`

Derivatives of `res.x` follow from f'(x, p) = 0.

Source: R. P. Brent, Algorithms for Minimization Without Derivatives (1973), chapter 5.
"""

from scipy.optimize import OptimizeResult

from ..compiler.ops.containers import dict_of_class
from ..lax import stop_gradient
from ..transformations import grad
from .implicit import root_of

GOLD = 1.618034


def minimize_scalar(fun, bracket=None, bounds=None, args=(), method=None, tol=None, options=None):
    """A minimum of fun(x, *args): `res.x`, `res.fun`, `res.nit`, `res.nfev`.

    bracket   two numbers from which to go downhill
    bounds    two numbers between which it is; then the method is "bounded", else "brent"
    """
    further = args if isinstance(args, tuple) else (args,)
    f = lambda x: fun(x, *further) * 1.0  # noqa: E731
    chosen = {} if options is None else options
    if method is None:
        method = "brent" if bounds is None else "bounded"
    if method == "bounded":
        if bounds is None:
            raise ValueError("`bounds` are needed for method='bounded'")
        low, high = stop_gradient(bounds[0] * 1.0), stop_gradient(bounds[1] * 1.0)
        start = low + 0.3819660112501051 * (high - low)
        near = chosen.get("xatol", 1e-5 if tol is None else tol)
        most = chosen.get("maxiter", 500)
        value = stop_gradient(f(start))
        x, calls, steps, is_near = narrowed(f, low, high, start, value, 1.4901161193847656e-08, near / 3.0, most)
        calls += 1
        is_inside = abs(x - low) > 2.0 * near and abs(high - x) > 2.0 * near
        if not is_inside:
            raise RuntimeError("the minimum is at a bound, where it has no derivative: ask for `min` of the two ends")
    elif method == "brent":
        first, second = (0.0, 1.0) if bracket is None else (bracket[0] * 1.0, bracket[1] * 1.0)
        a, b, c, value, more = surrounded(f, stop_gradient(first), stop_gradient(second))
        near = chosen.get("xtol", 1.48e-8 if tol is None else tol)
        x, calls, steps, is_near = narrowed(f, min(a, c), max(a, c), b, value, near, 1e-11, chosen.get("maxiter", 500))
        calls += more
    else:
        raise ValueError(f"Unknown solver {method}: there are 'brent' and 'bounded'")
    x = root_of(grad(f), x)
    return dict_of_class(OptimizeResult, fun=f(x), nit=steps, nfev=calls, x=x, success=is_near)


def surrounded(f, a, b):
    """Three points of which the middle one is the lowest; and how often the function was called."""
    value_a, value_b = stop_gradient(f(a)), stop_gradient(f(b))
    if value_a < value_b:
        a, b, value_a, value_b = b, a, value_b, value_a
    c = b + GOLD * (b - a)
    value_c = stop_gradient(f(c))
    calls = 3
    is_over = False
    while not is_over and value_c < value_b and calls < 1000:
        left, right = (b - a) * (value_b - value_c), (b - c) * (value_b - value_a)
        size = right - left
        w = b - ((b - c) * right - (b - a) * left) / (2e-21 if abs(size) < 1e-21 else 2.0 * size)
        limit = b + 110.0 * (c - b)
        is_between, is_beyond = (w - c) * (b - w) > 0.0, (w - limit) * (c - w) > 0.0
        if (w - limit) * (limit - c) >= 0.0 and not is_between:
            w, is_beyond = limit, False
        elif not is_between and not is_beyond:
            w = c + GOLD * (c - b)
        value = stop_gradient(f(w))
        calls += 1
        if is_between and (value < value_c or value > value_b):
            is_over = True
            if value < value_c:
                a, value_a, b, value_b = b, value_b, w, value
            else:
                c, value_c = w, value
        else:
            if is_between or is_beyond and value < value_c:
                if not is_between:
                    b, value_b, c, value_c = c, value_c, w, value
                w = c + GOLD * (c - b)
                value = stop_gradient(f(w))
                calls += 1
            a, b, c = b, c, w
            value_a, value_b, value_c = value_b, value_c, value
    return a, b, c, value_b, calls


def narrowed(f, low, high, x, value, relative, absolute, most):
    """The lowest point `x` between two others; `w` and `v` are those before it."""
    w = v = x
    value_w = value_v = value
    step, last = 0.0 * x, 0.0 * x
    calls, steps = 0, 0
    middle = 0.5 * (low + high)
    near = relative * abs(x) + absolute
    while abs(x - middle) > 2.0 * near - 0.5 * (high - low) and steps < most:
        is_golden = True
        if abs(last) > near:
            r, q = (x - w) * (value - value_v), (x - v) * (value - value_w)
            p = (x - v) * q - (x - w) * r
            q = 2.0 * (q - r)
            p = -p if q > 0.0 else p
            q = abs(q)
            before, last = last, step
            if p > q * (low - x) and p < q * (high - x) and abs(p) < abs(0.5 * q * before):
                is_golden = False
                step = p / q
                if x + step - low < 2.0 * near or high - x - step < 2.0 * near:
                    step = near if middle >= x else -near
        if is_golden:
            last = low - x if x >= middle else high - x
            step = 0.381966 * last
        u = x + (step if abs(step) >= near else near if step >= 0.0 else -near)
        value_u = stop_gradient(f(u))
        calls += 1
        steps += 1
        if value_u > value:
            low, high = (u, high) if u < x else (low, u)
            if value_u <= value_w or w == x:
                v, value_v, w, value_w = w, value_w, u, value_u
            elif value_u <= value_v or v in (x, w):
                v, value_v = u, value_u
        else:
            low, high = (x, high) if u >= x else (low, x)
            v, value_v, w, value_w = w, value_w, x, value
            x, value = u, value_u
        middle = 0.5 * (low + high)
        near = relative * abs(x) + absolute
    return x, calls, steps, steps < most
