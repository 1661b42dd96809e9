"""The further families, by the calls of `stats`."""

from .stats import ARRAYS as OF_STATS
from .stats import given, methods, of_ints

HEAD = "from scipy import stats"
ARRAYS = {**OF_STATS}
RTOL = 2e-9
CONTINUOUS = {
    "gumbel_l": "", "maxwell": "", "chi": "2.5", "powerlaw": "1.7", "loguniform": "0.1, 2.0", "reciprocal": "0.1, 2.0",
    "gengamma": "1.4, 1.9", "halfcauchy": "", "genpareto": "0.3", "genextreme": "-0.2", "truncnorm": "-0.7, 1.9",
    "skewnorm": "1.3", "invgauss": "0.9",
}  # fmt: skip
DISCRETE = {"hypergeom": "20, 7, 9", "betabinom": "6, 1.3, 2.2", "zipf": "3.6"}
NO_ENTROPY = ("skewnorm", "invgauss")
CALLS = "\n".join([
    *(line.replace(f"stats.{name}.entropy({given(shape, '0.2, 1.5')}), ", "") if name in NO_ENTROPY else line
      for name, shape in CONTINUOUS.items() for line in methods(name, shape)),
    *(line for name, shape in DISCRETE.items() for line in of_ints(name, shape)
      if name != "hypergeom"),  # functions of numbers between ints are nan in SciPy, and those of the int below here
    *"""
(stats.genpareto.pdf(X, -0.4), stats.genpareto.cdf(X, -0.4), stats.genpareto.ppf(Q, -0.4), stats.genpareto.mean(-0.4))
(stats.genpareto.logpdf(X, 0.0), stats.genpareto.sf(X, 0.0), stats.genpareto.ppf(Q, 0.0), stats.genpareto.var(0.7))
(stats.genextreme.pdf(X, 0.4), stats.genextreme.cdf(X, 0.4), stats.genextreme.ppf(Q, 0.4), stats.genextreme.var(0.4))
(stats.genextreme.logpdf(X, 0.0), stats.genextreme.sf(X, 0.0), stats.genextreme.ppf(Q, 0.0), stats.genextreme.mean(0.0))
(stats.gengamma.pdf(X, 1.2, -1.5), stats.gengamma.cdf(X, 1.2, -1.5), stats.gengamma.ppf(Q, 1.2, -1.5))
(stats.truncnorm.logpdf(X, 5.0, 9.0), stats.truncnorm.cdf(X, 3.0, 9.0), stats.truncnorm.ppf(Q, 5.0, 9.0))
(stats.truncnorm.logpdf(X, -9.0, -0.5), stats.truncnorm.sf(X, -9.0, -0.5), stats.truncnorm.ppf(Q, -9.0, -0.5))
(stats.truncnorm(0.0, np.inf, loc=0.3).pdf(X), stats.truncnorm(0.0, np.inf).mean(), stats.truncnorm.var(-np.inf, 1.0))
(stats.skewnorm.cdf(X, -2.0), stats.skewnorm.ppf(Q, -2.0), stats.skewnorm.isf(Q, 4.0))
(stats.multinomial.pmf(I, 8, np.array([0.1, 0.2, 0.3, 0.4])), stats.multinomial.logpmf(I, 9, [0.1, 0.2, 0.3, 0.4]))
(stats.multinomial(8, [0.1, 0.2, 0.3, 0.4]).mean(), stats.multinomial(8, [0.1, 0.2, 0.3, 0.4]).cov())
(stats.hypergeom.cdf(k, 20, 7, 9), stats.hypergeom.logcdf(k, 20, 7, 9), stats.hypergeom.logsf(k, 20, 7, 9, loc=1))
(stats.hypergeom.ppf(Q, 20, 7, 9), stats.hypergeom.mean(20, 7, 9), stats.hypergeom.var(20, 7, 9))
(stats.hypergeom.pmf(k, 20, 7, 9), stats.hypergeom.sf(k, [20, 30, 9], 7, 9), stats.hypergeom.pmf(k, 20, 27, 9))
""".strip().splitlines(),
])  # fmt: skip
SMOOTH = "\n".join([
    *(f"stats.{name}.logpdf(0.5 * z + 0.2, {given(shape, '0.05, 1.1 + 0.1 * z')})" for name, shape in
      CONTINUOUS.items()),
    *(f"stats.{name}.cdf(0.5 * z + 0.2, {given(shape, '0.05, 1.1 + 0.1 * z')})" for name, shape in CONTINUOUS.items()),
    *(f"stats.{name}.ppf(q, {given(shape, '0.05, 1.1 + q')})" for name, shape in CONTINUOUS.items()),
    *"""
stats.truncnorm.cdf(z, a - 2.0, a + 1.0)
stats.truncnorm.logpdf(z + a, a, a + 2.0)
stats.skewnorm.ppf(q, a)
stats.skewnorm.sf(z, a)
stats.invgauss.ppf(q, a)
stats.invgauss.sf(z, a)
stats.gengamma.cdf(z, a, a + 0.5)
stats.genpareto.logpdf(z, a)
stats.genextreme.logpdf(z, 0.3 * a)
stats.chi.cdf(z, a)
stats.powerlaw.logpdf(z, a)
stats.betabinom.logpmf(I, 6, a[0], a[1])
stats.betabinom.cdf(I, 6, a[0], a[1])
stats.multinomial.logpmf(I, 8, 0.4 * z[0] * np.ones(4))
""".strip().splitlines(),
])  # fmt: skip
