"""Parameters of distributions that make a sample likeliest: `fit` of the continuous families of `scipy.stats`.

    norm.fit(x)             (mean(x), std(x))
    gamma.fit(x, floc=0)    (a, 0, scale) with digamma(a) - log(a) = mean(log(x)) - log(mean(x))

Where there is a formula, that; elsewhere the maximum by BFGS in log(shape), loc and log(scale), with the derivatives
that the equations of the maximum give it.  Families that begin at `loc` need `floc=`: their likelihood may grow without
bound where `loc` comes near the least element.

Source: N. Johnson, S. Kotz and N. Balakrishnan, Continuous Univariate Distributions (1994, 1995).
"""

import numpy as np

from ..compiler.ops import primitives as op
from ..compiler.ops import static
from ..numpy.manipulation import as_array, ravel
from ..numpy.quantiles import median
from ..numpy.statistics import mean
from .optimize_minimize import minimize
from .special import in_doubles


def fit(family, data, kwds):
    """(shapes..., loc, scale)"""
    names, fixed = (*family.shapes, "loc", "scale"), {}
    for name, value in kwds.items():
        if name in ("method", "optimizer"):
            static.refuse("U012", f"{family.name}.fit has no `{name}=` here: it finds what is likeliest")
        place = place_of(name, names)
        if place is None:
            static.refuse("T004", f"{family.name}.fit has no parameter `{name}`: it has f{', f'.join(names)}")
        if name not in names:  # one without `f` is where SciPy starts
            fixed[names[place]] = value
    x = ravel(as_array(in_doubles(data)))
    if not op.all(op.isfinite(x)):
        raise ValueError("The data contains non-finite values.")
    if len(fixed) == len(names):
        raise RuntimeError("All parameters fixed. There is nothing to optimize.")
    if family.name in FORMULAS:
        found = FORMULAS[family.name](x, fixed)
        if found is not None:
            return found
    return likeliest(family, x, names, fixed)


def place_of(name, names):
    """The place of the parameter that a keyword is about: `scale`, `fscale`, or `f0` for the first shape."""
    for place, own in enumerate(names):
        if name in (own, f"f{own}", f"fix_{own}") or (place < len(names) - 2 and name == f"f{place}"):
            return place
    return None


def require_inside(x, low, name):
    if op.any(x < low):
        raise ValueError(f"The data are not all within the support of {name} with the given `floc`")


# --- formulas --------------------------------------------------------------------------------------------------------


def of_normal(x, fixed):
    loc = fixed["loc"] if "loc" in fixed else mean(x)
    return loc, fixed["scale"] if "scale" in fixed else op.sqrt(mean((x - loc) ** 2))


def of_exponential(x, fixed):
    loc = in_doubles(fixed["loc"]) if "loc" in fixed else op.min(x)
    require_inside(x, loc, "expon")
    return loc, fixed["scale"] if "scale" in fixed else mean(x) - loc


def of_uniform(x, fixed):
    if "scale" in fixed:
        return None
    loc = fixed["loc"] if "loc" in fixed else op.min(x)
    require_inside(x, loc, "uniform")
    return loc, op.max(x) - loc


def of_laplace(x, fixed):
    loc = fixed["loc"] if "loc" in fixed else median(x)
    return loc, fixed["scale"] if "scale" in fixed else mean(op.absolute(x - loc))


def of_rayleigh(x, fixed):
    if "loc" not in fixed or "scale" in fixed:
        return None
    require_inside(x, fixed["loc"], "rayleigh")
    return fixed["loc"], op.sqrt(0.5 * mean((x - fixed["loc"]) ** 2))


def of_lognormal(x, fixed):
    if "loc" not in fixed:
        return None
    if op.any(x <= fixed["loc"]):
        raise ValueError("The data are not all within the support of lognorm with the given `floc`")
    y = op.log(x - fixed["loc"])
    middle = op.log(in_doubles(fixed["scale"])) if "scale" in fixed else mean(y)
    s = fixed["s"] if "s" in fixed else op.sqrt(mean((y - middle) ** 2))
    return s, fixed["loc"], fixed["scale"] if "scale" in fixed else op.exp(middle)


def of_pareto(x, fixed):
    if "loc" not in fixed or "scale" in fixed:
        return None
    y = x - fixed["loc"]
    scale = op.min(y)
    if not scale > 0.0:
        raise ValueError("The data are not all within the support of pareto with the given `floc`")
    b = fixed["b"] if "b" in fixed else 1.0 / mean(op.log(y / scale))
    return b, fixed["loc"], scale


FORMULAS = {
    "norm": of_normal, "expon": of_exponential, "uniform": of_uniform, "laplace": of_laplace, "rayleigh": of_rayleigh,
    "lognorm": of_lognormal, "pareto": of_pareto,
}  # fmt: skip


# --- numeric ---------------------------------------------------------------------------------------------------------

NEED = {  # what must be given, and whether loc or scale
    "beta": ("loc", "scale"), "uniform": ("loc", "scale"), "powerlaw": ("loc", "scale"), "loguniform": ("loc", "scale"),
    "reciprocal": ("loc", "scale"), "triang": ("loc", "scale"),
}  # fmt: skip
REFUSED = ("uniform", "loguniform", "pareto", "triang", "truncnorm", "genpareto", "genextreme", "vonmises", "skewnorm")
ON_THE_LINE = ("norm", "t", "cauchy", "laplace", "logistic", "gumbel_r", "gumbel_l")


def likeliest(family, x, names, fixed):
    if family.name in REFUSED:
        fault = f"{family.name}.fit with these parameters is not supported: a maximum is at an end, or none is sure"
        static.refuse("U012", fault, "maximise the sum of `logpdf` yourself with `scipy.optimize.minimize`")
    needed = () if family.name in ON_THE_LINE else NEED.get(family.name, ("loc",))
    for name in needed:
        if name not in fixed:
            fault = f"{family.name}.fit needs `f{name}=` here: without it the likelihood may have no greatest value"
            static.refuse("U012", fault, f"give it, as in `floc=0`, or take `{family.name}.fit` outside")
    if "loc" in fixed:
        require_inside(x, fixed["loc"], family.name)
    free = [name for name in names if name not in fixed]
    start = np.array([start_of(name, x, fixed) for name in free])

    def parameters(p):
        found, k = [], 0
        for name in names:
            if name in fixed:
                found.append(fixed[name])
            else:
                found.append(p[k] if name == "loc" else op.exp(p[k]))
                k += 1
        return found

    def mean_cost(p):
        *shape, loc, scale = parameters(p)
        z = (x - loc) / scale
        return op.log(scale) - mean(family.log_density(z, *shape))

    found = minimize(mean_cost, start, method="BFGS", options={"gtol": 1e-9})
    return tuple(parameters(found.x))


def start_of(name, x, fixed):
    """The middle of the sample, the logarithm of its spread, and 1 for shapes."""
    if name == "loc":
        return median(x)
    if name == "scale":
        center = fixed["loc"] if "loc" in fixed else median(x)
        return op.log(mean(op.absolute(x - center)) + 1e-300)
    return 0.0
