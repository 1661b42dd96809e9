import numpy as np

HEAD = "from scipy import stats"
R = np.random.default_rng(8)
ARRAYS = {
    "X": np.array([-1.5, 0.0, 0.2, 0.5, 0.9, 1.0, 1.7, 4.0, 30.0, np.nan, -np.inf]),
    "K": np.array([-1.0, 0.0, 1.0, 1.5, 2.0, 3.0, 7.0, 40.0, np.nan]),
    "Q": np.array([-0.1, 0.0, 0.01, 0.3, 0.5, 0.9, 1.0, 1.1, np.nan]),
    "z": np.array([0.2, 0.4, 0.9]),
    "q": np.array([0.1, 0.45, 0.8]),
    "k": np.array([1.0, 2.0, 4.0]),
    "p": np.array([0.3, 0.7]),
    "E": np.array([np.inf, -np.inf]),
    "I": np.array([0, 1, 2, 5]),
    "a": np.array([1.3, 2.2, 0.7]),
}
RTOL = 1e-9
CONTINUOUS = {
    "norm": "", "halfnorm": "", "lognorm": "0.8", "t": "3.5", "f": "3.0, 5.5", "gamma": "2.2", "chi2": "3.0",
    "invgamma": "3.1", "beta": "1.5, 2.5", "uniform": "", "expon": "", "laplace": "", "cauchy": "", "logistic": "",
    "gumbel_r": "", "weibull_min": "1.7", "pareto": "2.5", "rayleigh": "", "triang": "0.3", "vonmises": "1.5",
}  # fmt: skip
DISCRETE = {
    "poisson": "2.5", "binom": "7, 0.3", "bernoulli": "0.3", "geom": "0.3", "nbinom": "3.5, 0.4", "randint": "1, 5",
}  # fmt: skip
CIRCLE = ("vonmises",)


def given(shape, *more):
    return ", ".join(part for part in (shape, *more) if part)


def methods(name, shape):
    """One call of each method."""
    args = given(shape, "0.2, 1.5")
    of_x = "pdf logpdf".split() if name in CIRCLE else "pdf logpdf cdf logcdf sf logsf".split()
    point = "z" if name in CIRCLE else "X"
    yield f"({', '.join(f'stats.{name}.{m}({point}, {args})' for m in of_x)})"
    if name not in CIRCLE:
        yield f"(stats.{name}.ppf(Q, {args}), stats.{name}.isf(Q, {args}))"
        last = "mean var std median entropy".split()
        yield f"({', '.join(f'stats.{name}.{m}({args})' for m in last)}, stats.{name}.interval(0.9, {args}))"


def of_ints(name, shape):
    args = given(shape, "loc=1")
    of_k = "pmf logpmf cdf logcdf sf logsf".split()
    yield f"({', '.join(f'stats.{name}.{m}(K, {args})' for m in of_k)})"
    yield f"(stats.{name}.ppf(Q, {args}), stats.{name}.isf(Q, {args}), stats.{name}.median({args}))"
    yield f"({', '.join(f'stats.{name}.{m}({args})' for m in ('mean', 'var', 'std'))})"


CALLS = "\n".join([
    *(line for name, shape in CONTINUOUS.items() for line in methods(name, shape)),
    *(line for name, shape in DISCRETE.items() for line in of_ints(name, shape)),
    *"""
stats.norm.pdf(I)
stats.norm.cdf(1)
(stats.norm.cdf(E), stats.gamma.cdf(E, 2.0), stats.t.sf(E, 2.5))
(stats.lognorm.logcdf(E, 1.0), stats.beta.logsf(E, 1, 2))
stats.norm.logpdf(X.astype(np.float32))
stats.gamma.pdf(X[:, None], a, scale=2.0)
stats.norm.pdf(z, scale=np.array([1.0, -1.0, 0.0]))
stats.gamma.logpdf(z, np.array([1.0, -1.0, 0.0]))
stats.norm(loc=1.0, scale=2.0).ppf(Q)
stats.gamma(2.0, scale=0.5).stats()
stats.beta(a=2.0, b=3.0).interval(0.5)
stats.poisson(3.0).pmf(I)
stats.binom.pmf(I, n=np.array([3, 4, 5, 6]), p=0.5)
stats.poisson.pmf(np.arange(4), 1)
stats.norm.stats(moments="v")
stats.t.var(np.array([0.5, 1.5, 3.0]))
""".strip().splitlines(),
])  # fmt: skip
SMOOTH = "\n".join([
    *(f"stats.{name}.logpdf(z + {1.2 if name == 'pareto' else 0.0}, {given(shape, '0.05, 1.1 + 0.1 * z')})"
      for name, shape in CONTINUOUS.items()),
    *(f"stats.{name}.cdf(z + 1.2, {given(shape, '0.05, 1.1 + 1.3 * z')})" for name, shape in CONTINUOUS.items() if
      name not in CIRCLE),
    *(f"stats.{name}.ppf(q, {given(shape, '0.05, 1.1 + q')})" for name, shape in CONTINUOUS.items() if
      name not in CIRCLE),
    *"""
stats.gamma.logpdf(z, a)
stats.gamma.cdf(z, a)
stats.beta.logpdf(z, a, a + 1.0)
stats.t.logpdf(z, a)
stats.f.logpdf(z, a, a + 1.0)
stats.poisson.logpmf(I, 2.0 * p[0])
stats.poisson.cdf(I, 2.0 * p[0])
stats.binom.logpmf(I, 7, p[1])
stats.nbinom.logpmf(I, 2.5 + p[0], p[1])
stats.geom.pmf(I + 1, p[0])
stats.norm(z[0], z[1]).sf(1.0)
""".strip().splitlines(),
])  # fmt: skip
