"""erf and erfc: exp(-x²) times a polynomial in (a - 3.5) / (a + 3.5), a = |x|; below 1 a polynomial gives erf itself.

    erf(x)     ->    x + x q(x²)                  for |x| < 1,      1 - erfc(x) beyond
    erfc(x)    ->    exp(-x²) p(w) / (1 + 2 x)    for x >= 0.6,     2 - erfc(-x) or 1 - erf(x) below

The polynomials have the least largest error relative to the function, their coefficients rounded one after the other.
"""

from __future__ import annotations

from .exponentials import EXP, LN2, LOG2_E, scaled
from .lanes import ROUNDER, Number, at_most, choose, corrected_quotient, fast_two_sum, fma, polynomial, two_product

MIDDLE = 3.5
# (1 + 2 a) exp(a²) erfc(a) in w, up to a = 27.3
ERFC = (
    1.2423492448711544, -0.14000918013761923, -0.010555596332218092, 0.09751909515323615, -0.11508959816025748,
    0.08798315382565045, -0.04882332582566722, 0.0190993309299022, -0.004215019941511784, -0.0003022677685009681,
    0.0005643847013507005, -0.0001215129896934433, -4.27836892649534e-05, 2.4262788778136915e-05,
    2.333065456224415e-06, -3.818218059019518e-06, -5.4119897422070226e-08, 6.0502190583555e-07,
    4.737802646564898e-09, -9.648415990279418e-08, -8.561629557941795e-09, 1.145890853726907e-08,
    2.8350312801827054e-09,
)  # fmt: skip
# erf(x) / x - 1 in x², up to 1
ERF = (
    0.1283791670955126, -0.37612638903183876, 0.11283791670958743, -0.02686617064561954, 0.005223977629095658,
    -0.0008548327189606624, 0.00012055337777810952, -1.4925738504204218e-05, 1.646308709483387e-06,
    -1.637063829093387e-07, 1.4786548418167036e-08, -1.1830590465705277e-09, 6.684830822627492e-11,
)  # fmt: skip
# Below this erfc is one minus that; at END it is zero.
SMALL = 0.6
END = 28.0


def _erfc_of_size(a: Number) -> Number:
    """For 0 <= a <= 28; the square is taken to twice the digits, as its error is one of the result."""
    square, square_low = two_product(a, a)
    rounder = ROUNDER["f64"]
    n = fma(square, -LOG2_E, rounder) - rounder
    ln2, rest = LN2["f64"]
    r = fma(n, -rest, fma(n, -ln2, -square)) - square_low
    w = (a - MIDDLE) / (a + MIDDLE)
    p, p_low = fast_two_sum(w.like(ERFC[0]), w * polynomial(w, ERFC[1:]))
    twice = a + a
    total = twice + 1.0
    lost = choose(a < 0.5, twice - (total - 1.0), 1.0 - (total - twice))
    q = corrected_quotient(p, total, p_low, lost)
    return scaled(fma(q, fma(r * r, polynomial(r, EXP["f64"]), r), q), n)


def _near(size: Number) -> Number:
    """erf for 0 <= size <= 1."""
    return fma(size, polynomial(size * size, ERF), size)


def erfc(x: Number) -> Number:
    size = abs(x)
    far = _erfc_of_size(at_most(size, END))
    near = 1.0 - _near(size).with_sign_of(x)
    return choose(size < SMALL, near, choose(x < 0.0, 2.0 - far, far))


def erf(x: Number) -> Number:
    size = abs(x)
    far = 1.0 - _erfc_of_size(at_most(size, END))
    return choose(size < 1.0, _near(size), far).with_sign_of(x)
