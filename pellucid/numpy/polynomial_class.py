"""`np.poly1d`: a polynomial as a value that is called, added and multiplied.

    p = np.poly1d(np.polyfit(x, y, 2)); p(0.5)    ->    np.polyval(p.coeffs, 0.5)
"""

from dataclasses import dataclass

import numpy as np

from ..compiler.ops import static
from .manipulation import atleast_1d
from .polynomials import poly, polyadd, polyder, polydiv, polyint, polymul, polysub, polyval, roots, without_zeros


@dataclass
class Polynomial:
    """The coefficients, the highest power first."""

    coeffs: np.ndarray

    @property
    def c(self):
        return self.coeffs

    @property
    def coef(self):
        return self.coeffs

    @property
    def coefficients(self):
        return self.coeffs

    @property
    def order(self):
        return self.coeffs.shape[0] - 1

    @property
    def o(self):
        return self.coeffs.shape[0] - 1

    @property
    def roots(self):
        return roots(self.coeffs)

    @property
    def r(self):
        return roots(self.coeffs)

    def __call__(self, val):
        return polyval(self.coeffs, val)

    def __getitem__(self, val):
        """The coefficient of a power; 0 of one that is not there."""
        if val < 0 or val >= self.coeffs.shape[0]:
            return self.coeffs[0] * 0
        return self.coeffs[self.coeffs.shape[0] - 1 - val]

    def __len__(self):
        return self.coeffs.shape[0] - 1

    def __neg__(self):
        return poly1d(-self.coeffs)

    def __pos__(self):
        return self

    def __add__(self, other):
        return poly1d(polyadd(self.coeffs, coefficients_of(other)))

    def __radd__(self, other):
        return poly1d(polyadd(coefficients_of(other), self.coeffs))

    def __sub__(self, other):
        return poly1d(polysub(self.coeffs, coefficients_of(other)))

    def __rsub__(self, other):
        return poly1d(polysub(coefficients_of(other), self.coeffs))

    def __mul__(self, other):
        return poly1d(polymul(self.coeffs, coefficients_of(other)))

    def __rmul__(self, other):
        return poly1d(polymul(coefficients_of(other), self.coeffs))

    def __pow__(self, val):
        found = poly1d(self.coeffs[:1] * 0 + 1)
        for _ in range(val):
            found = found * self
        return found

    def __truediv__(self, other):
        if not isinstance(other, Polynomial):
            return poly1d(self.coeffs / other)
        quotient, rest = polydiv(self.coeffs, other.coeffs)
        return poly1d(quotient), poly1d(rest)

    def deriv(self, m=1):
        return poly1d(polyder(self.coeffs, m))

    def integ(self, m=1, k=None):
        return poly1d(polyint(self.coeffs, m, k))


def coefficients_of(other):
    return other.coeffs if isinstance(other, Polynomial) else atleast_1d(other)


def poly1d(c_or_r, r=False, variable=None):
    """The polynomial with these coefficients, or with these roots; zeros in front are left out."""
    if isinstance(c_or_r, Polynomial):
        return Polynomial(c_or_r.coeffs)
    if r:
        return Polynomial(poly(c_or_r))
    coefficients = atleast_1d(c_or_r)
    if static.rank(coefficients) > 1:
        raise ValueError("Polynomial must be 1d only.")
    return Polynomial(without_zeros(coefficients))
