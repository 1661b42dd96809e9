import numpy as np

HEAD = "from scipy import stats"
R = np.random.default_rng(49)
ARRAYS = {
    "x": R.normal(size=30) + 1.0,
    "y": R.gamma(2.5, size=40) * 0.7 + 0.05,
    "u": R.uniform(0.05, 0.95, size=25),
    "p": np.array([1.4, 0.6]),
}
RTOL = 1e-8
CALLS = """
stats.norm.fit(x)
(stats.norm.fit(x, floc=0.5), stats.norm.fit(x, fscale=2))
(stats.expon.fit(y), stats.expon.fit(y, floc=0), stats.uniform.fit(u))
(stats.laplace.fit(x), stats.laplace.fit(x, floc=1))
(stats.rayleigh.fit(y, floc=0), stats.lognorm.fit(y, floc=0), stats.pareto.fit(y, floc=0, fb=1.5))
stats.gamma.fit(y, floc=0)
stats.beta.fit(u, floc=0, fscale=1)
(stats.norm.support(), stats.gamma.support(2.0, 1.0))
(stats.beta(1.0, 2.0, scale=3).support(), 1.0 * np.array(stats.binom.support(7, 0.3)))
(stats.norm.moment(3, 0.2, 1.5), stats.gamma.moment(4, 1.4))
(stats.poisson.moment(3, 2.5), stats.beta(2.0, 3.0).moment(2))
(stats.norm.moment(1, p), stats.expon.moment(0))
stats.gamma.stats(1.4, moments="mvsk")
(stats.binom.stats(7, 0.3, moments="sk"), stats.skewnorm(1.3).stats(moments="sk"))
(stats.norm.expect(lambda z: np.cos(z)), stats.norm.expect(lambda z: z * z, loc=0.3, scale=1.2, lb=-1.0, ub=2.0))
stats.gamma.expect(lambda z: np.log(z), args=(1.4,), scale=0.6)
stats.truncnorm(-0.5, np.inf, loc=0.2).expect(lambda z: z**3)
stats.norm.expect(lambda z: z, lb=0.0, conditional=True)
(stats.poisson.expect(lambda k: k * k, args=(2.5,)), stats.binom.expect(args=(7, 0.3), lb=2, ub=4))
(stats.poisson.entropy(2.5), stats.binom.entropy(7, 0.3), stats.geom(0.3).entropy(), stats.bernoulli.entropy(0.3))
"""
SMOOTH = """
np.array(stats.norm.fit(x))
np.array(stats.gamma.fit(y, floc=0))
np.array(stats.beta.fit(u, floc=0, fscale=1))
np.array(stats.lognorm.fit(y, floc=0))
np.array(stats.gamma.stats(p[0], moments="mvsk"))
stats.gamma.expect(lambda z: np.log(z) + p[1] * z, args=(p[0],), scale=p[1])
stats.poisson.entropy(p[0])
stats.norm.moment(3, p[0], p[1])
"""
