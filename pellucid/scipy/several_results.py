"""Functions of `scipy.special` with several results: each is a row of its own.

    si, ci = scipy.special.sici(x)     ->     si = sici_si(x);  ci = sici_ci(x)

What is not used is not computed.
"""

from ..compiler.ops import primitives as op
from ..numpy.elementary import number, operand, strong


def given(x):
    """As the rows take it, which ask SciPy for the dtype."""
    return number(strong(operand(x)))


def sici(x, /):
    """The sine and cosine integrals (DLMF 6.2)."""
    x = given(x)
    return op.sici_si(x), op.sici_ci(x)


def shichi(x, /):
    """The hyperbolic sine and cosine integrals."""
    x = given(x)
    return op.shichi_shi(x), op.shichi_chi(x)


def fresnel(z, /):
    """Fresnel's integrals of sin(pi t^2 / 2) and cos(pi t^2 / 2) (DLMF 7.2)."""
    z = given(z)
    return op.fresnel_s(z), op.fresnel_c(z)


def airy(z, /):
    """Airy's functions Ai and Bi, each followed by its derivative (DLMF 9.2)."""
    z = given(z)
    return op.airy_ai(z), op.airy_aip(z), op.airy_bi(z), op.airy_bip(z)


def ellipj(u, m, /):
    """Jacobi's elliptic functions sn, cn, dn, and the amplitude (DLMF 22.2)."""
    u, m = given(u), given(m)
    return op.ellipj_sn(u, m), op.ellipj_cn(u, m), op.ellipj_dn(u, m), op.ellipj_ph(u, m)
