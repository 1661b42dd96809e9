"""The objects of `scipy.stats`, each of its family: `scipy.stats.norm` is the normal family."""

from .continuous import Beta, ChiSquare, FRatio, Gamma, HalfNormal, InverseGamma, LogNormal, Normal, Students
from .counts import BetaBinomial, HyperGeometric, Multinomial, Zipf
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
from .further_families import (
    Chi,
    GeneralExtreme,
    GeneralGamma,
    GeneralPareto,
    GumbelLeft,
    HalfCauchy,
    LogUniform,
    Maxwell,
    Powers,
)
from .normal_families import InverseGauss, SkewNormal, TruncatedNormal

norm, halfnorm, lognorm, t, f = Normal(), HalfNormal(), LogNormal(), Students(), FRatio()
truncnorm, skewnorm, invgauss = TruncatedNormal(), SkewNormal(), InverseGauss()
gamma, chi2, chi, invgamma, beta, gengamma = Gamma(), ChiSquare(), Chi(), InverseGamma(), Beta(), GeneralGamma()
uniform, expon, laplace, cauchy, logistic = Uniform(), Exponential(), Laplace(), Cauchy(), Logistic()
gumbel_r, gumbel_l, genextreme, genpareto = Gumbel(), GumbelLeft(), GeneralExtreme(), GeneralPareto()
weibull_min, pareto, rayleigh, maxwell = WeibullMin(), Pareto(), Rayleigh(), Maxwell()
triang, vonmises, powerlaw, loguniform, halfcauchy = Triangular(), VonMises(), Powers(), LogUniform(), HalfCauchy()
reciprocal = loguniform
poisson, binom, bernoulli, geom, nbinom = Poisson(), Binomial(), Bernoulli(), Geometric(), NegativeBinomial()
randint, hypergeom, betabinom, zipf, multinomial = RandomInts(), HyperGeometric(), BetaBinomial(), Zipf(), Multinomial()
NAMED = {
    family.name: family for family in (
        norm, halfnorm, lognorm, t, f, truncnorm, skewnorm, invgauss, gamma, chi2, chi, invgamma, beta, gengamma,
        uniform, expon, laplace, cauchy, logistic, gumbel_r, gumbel_l, genextreme, genpareto, weibull_min, pareto,
        rayleigh, maxwell, triang, powerlaw, loguniform, halfcauchy,
    )
}  # fmt: skip
