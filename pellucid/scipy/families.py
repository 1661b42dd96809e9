"""The objects of `scipy.stats`, each of its family: `scipy.stats.norm` is the normal family."""

from .continuous import Beta, ChiSquare, FRatio, Gamma, HalfNormal, InverseGamma, LogNormal, Normal, Students
from .discrete import Bernoulli, Binomial, Geometric, NegativeBinomial, Poisson, RandomInts
from .elementary_families import (
    Cauchy,
    Exponential,
    Gumbel,
    Laplace,
    Logistic,
    Pareto,
    Rayleigh,
    Triangular,
    Uniform,
    VonMises,
    WeibullMin,
)

norm, halfnorm, lognorm, t, f = Normal(), HalfNormal(), LogNormal(), Students(), FRatio()
gamma, chi2, invgamma, beta = Gamma(), ChiSquare(), InverseGamma(), Beta()
uniform, expon, laplace, cauchy, logistic = Uniform(), Exponential(), Laplace(), Cauchy(), Logistic()
gumbel_r, weibull_min, pareto, rayleigh = Gumbel(), WeibullMin(), Pareto(), Rayleigh()
triang, vonmises = Triangular(), VonMises()
poisson, binom, bernoulli, geom, nbinom = Poisson(), Binomial(), Bernoulli(), Geometric(), NegativeBinomial()
randint = RandomInts()
NAMED = {
    family.name: family for family in (
        norm, halfnorm, lognorm, t, f, gamma, chi2, invgamma, beta, uniform, expon, laplace, cauchy, logistic, gumbel_r,
        weibull_min, pareto, rayleigh, triang, vonmises,
    )
}  # fmt: skip
