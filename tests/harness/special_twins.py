"""The functions of `scipy.special` that are rows, as mpmath has them, and where their slopes are held against its.

    TWINS["gammainc"] == (twin, points)        points: the operands, ends and large parameters among them

A row that is the inverse of another is not here: its slope is one divided by that of the other.
"""

from mpmath import mp

ROOT_TWO, ROOT_PI = mp.sqrt(2), mp.sqrt(mp.pi)
REALS = (-2.3, -0.4, 0.0, 0.7, 3.1)
ABOVE = (0.03, 0.6, 1.0, 2.7, 14.0)
SHARES = (0.02, 0.3, 0.5, 0.9)
ORDERS = ((0.5, 0.7), (1.0, 2.0), (2.5, 11.0), (0.3, 0.1))
GAMMAS = ((0.01, 0.003), (0.3, 0.8), (1.0, 1.0), (2.5, 9.0), (9.0, 2.5), (80.0, 81.0), (900.0, 850.0), (900.0, 990.0))
BETAS = ((0.5, 0.5, 0.3), (0.02, 3.0, 0.001), (2.0, 0.1, 0.97), (7.0, 4.0, 0.6), (150.0, 90.0, 0.65), (1.0, 1.0, 0.2),
         (3.0, 200.0, 0.03), (40.0, 0.7, 0.999), (800.0, 900.0, 0.45))  # fmt: skip


def lower(a, x):
    return mp.gammainc(a, 0, x, regularized=True)


def upper(a, x):
    return mp.gammainc(a, x, mp.inf, regularized=True)


def share(a, b, x):
    return mp.betainc(a, b, 0, x, regularized=True)


def rest(a, b, x):
    return mp.betainc(b, a, 0, 1 - x, regularized=True)


def elliptic(phi, m):
    return mp.ellipf(phi, m)


def amplitude(u, m):
    return mp.atan2(mp.ellipfun("sn", u, m=m), mp.ellipfun("cn", u, m=m))


def students(df, t):
    half = share(df / 2, mp.mpf(1) / 2, df / (df + t * t)) / 2
    return half if t < 0 else 1 - half


def power(x, lmbda):
    return mp.log(x) if lmbda == 0 else mp.expm1(lmbda * mp.log(x)) / lmbda


def undone(x, lmbda):
    return mp.exp(x) if lmbda == 0 else (1 + lmbda * x) ** (1 / lmbda)


def voigt(x, sigma, gamma):
    z = mp.mpc(x, gamma) / (sigma * ROOT_TWO)
    return mp.re(mp.exp(-z * z) * mp.erfc(-1j * z)) / (sigma * mp.sqrt(2 * mp.pi))


TWINS = {
    "voigt_profile": (voigt, ((0.0, 1.0, 0.3), (-2.0, 0.7, 1.5), (40.0, 1.2, 0.4), (300.0, 1.0, 1.0))),
    "erfi": (mp.erfi, REALS),
    "erfcx": (lambda x: mp.exp(x * x) * mp.erfc(x), (-2.0, 0.0, 3.0, 9.9, 10.1, 1e3)),
    "dawsn": (lambda x: ROOT_PI / 2 * mp.exp(-x * x) * mp.erfi(x), (-12.0, 0.0, 1.0, 9.9, 10.1, 20.0)),
    "erfinv": (mp.erfinv, (-0.9, 0.0, 0.4)),
    "erfcinv": (lambda x: mp.erfinv(1 - x), (0.1, 1.0, 1.6)),
    "ndtri": (lambda p: ROOT_TWO * mp.erfinv(2 * p - 1), SHARES),
    "ndtri_exp": (lambda x: ROOT_TWO * mp.erfinv(2 * mp.exp(x) - 1), (-4.0, -0.7, -0.1)),
    "entr": (lambda x: -x * mp.log(x), ABOVE),
    "loggamma": (mp.loggamma, ABOVE),
    "rgamma": (mp.rgamma, (-3.0, -1.5, -1.0, 0.0, 0.5, 4.0)),
    "beta": (mp.beta, ORDERS),
    "betaln": (lambda a, b: mp.log(mp.beta(a, b)), ORDERS),
    "poch": (lambda z, m: mp.gamma(z + m) * mp.rgamma(z), (*ORDERS, (0.0, 2.5), (-2.0, 3.5))),
    "binom": (lambda n, k: mp.gamma(n + 1) * mp.rgamma(k + 1) * mp.rgamma(n - k + 1),
              ((5.5, 2.2), (3.0, 1.0), (3.0, 0.0), (2.0, 4.0), (4.0, -1.0))),
    "gammainc": (lower, GAMMAS),
    "gammaincc": (upper, GAMMAS),
    "betainc": (share, BETAS),
    "betaincc": (rest, BETAS),
    "exp1": (mp.e1, ABOVE),
    "expi": (mp.ei, ABOVE),
    "expn": (mp.expint, tuple((n, x) for n in (0, 1, 2, 5) for x in (0.2, 3.0))),
    "spence": (lambda x: mp.polylog(2, 1 - x), (0.1, 0.76, 1.0, 1.2, 1.9)),
    "sici_si": (mp.si, (*ABOVE, 0.0)),
    "sici_ci": (mp.ci, ABOVE),
    "shichi_shi": (mp.shi, (*ABOVE, 0.0)),
    "shichi_chi": (mp.chi, ABOVE),
    "fresnel_s": (mp.fresnels, REALS),
    "fresnel_c": (mp.fresnelc, REALS),
    "ellipk": (mp.ellipk, (-3.0, 0.0, 1e-9, 0.49, 0.51, 0.999)),
    "ellipkm1": (lambda p: mp.ellipk(1 - p), (1e-12, 0.3, 0.6, 1.0)),
    "ellipe": (mp.ellipe, (-3.0, 0.0, 1e-9, 0.49, 0.51, 0.999)),
    "ellipkinc": (elliptic, ((0.4, 0.0), (1.2, 0.9), (4.0, 0.3), (-2.0, -1.5), (0.0, 0.5))),
    "ellipeinc": (mp.ellipe, ((0.4, 0.0), (1.2, 0.9), (4.0, 0.3), (-2.0, -1.5), (0.0, 0.5))),
    "elliprf": (mp.elliprf, ((0.5, 1.0, 2.0), (0.3, 0.3, 4.0))),
    "elliprc": (mp.elliprc, ((0.5, 1.0), (2.0, 0.3))),
    "ellipj_sn": (lambda u, m: mp.ellipfun("sn", u, m=m), ((0.3, 0.2), (1.5, 0.8), (-2.0, 0.5))),
    "ellipj_cn": (lambda u, m: mp.ellipfun("cn", u, m=m), ((0.3, 0.2), (1.5, 0.8), (-2.0, 0.5))),
    "ellipj_dn": (lambda u, m: mp.ellipfun("dn", u, m=m), ((0.3, 0.2), (1.5, 0.8), (-2.0, 0.5))),
    "ellipj_ph": (amplitude, ((0.3, 0.2), (1.5, 0.8))),
    "owens_t": (lambda h, a: mp.quad(lambda t: mp.exp(-h * h * (1 + t * t) / 2) / (1 + t * t), [0, a]) / (2 * mp.pi),
                ((0.0, 0.5), (1.2, -0.7))),
    "j0": (lambda x: mp.besselj(0, x), REALS),
    "j1": (lambda x: mp.besselj(1, x), REALS),
    "jv": (mp.besselj, ORDERS),
    "jve": (mp.besselj, ORDERS),
    "y0": (lambda x: mp.bessely(0, x), ABOVE),
    "y1": (lambda x: mp.bessely(1, x), ABOVE),
    "yn": (mp.bessely, ((0, 0.7), (1, 2.0), (4, 3.0))),
    "yv": (mp.bessely, ORDERS),
    "yve": (mp.bessely, ORDERS),
    "i0": (lambda x: mp.besseli(0, x), REALS),
    "i0e": (lambda x: mp.besseli(0, x) * mp.exp(-abs(x)), (-2.0, 0.5, 30.0)),
    "i1": (lambda x: mp.besseli(1, x), REALS),
    "i1e": (lambda x: mp.besseli(1, x) * mp.exp(-abs(x)), (-2.0, 0.5, 30.0)),
    "iv": (mp.besseli, ORDERS),
    "ive": (lambda v, x: mp.besseli(v, x) * mp.exp(-abs(x)), ORDERS),
    "k0": (lambda x: mp.besselk(0, x), ABOVE),
    "k0e": (lambda x: mp.besselk(0, x) * mp.exp(x), ABOVE),
    "k1": (lambda x: mp.besselk(1, x), ABOVE),
    "k1e": (lambda x: mp.besselk(1, x) * mp.exp(x), ABOVE),
    "kn": (mp.besselk, ((0, 0.7), (1, 2.0), (4, 3.0))),
    "kv": (mp.besselk, (*ORDERS, (0.0, 1.0), (-1.5, 0.4), (40.0, 3.0), (2.0, 1e-3), (120.0, 150.0), (1.0, 300.0))),
    "kve": (lambda v, x: mp.besselk(v, x) * mp.exp(x), (*ORDERS, (0.0, 1.0), (2.5, 900.0))),
    "airy_ai": (mp.airyai, REALS),
    "airy_aip": (lambda x: mp.airyai(x, derivative=1), REALS),
    "airy_bi": (mp.airybi, REALS),
    "airy_bip": (lambda x: mp.airybi(x, derivative=1), REALS),
    "struve": (mp.struveh, ORDERS),
    "modstruve": (mp.struvel, ORDERS),
    "hyp0f1": (mp.hyp0f1, ((0.5, -1.0), (2.0, 3.0))),
    "hyp1f1": (mp.hyp1f1, ((0.5, 1.5, -2.0), (1.0, 2.0, 3.0))),
    "hyp2f1": (mp.hyp2f1, ((0.5, 1.5, 2.0, -0.7), (1.0, 2.0, 2.5, 0.6))),
    "hyperu": (mp.hyperu, ((0.5, 1.5, 2.0), (1.0, 0.3, 3.0))),
    "lpmv": (lambda m, v, x: mp.re(mp.legenp(v, m, x)), ((0.0, 2.0, 0.3), (1.0, 3.0, -0.6), (2.0, 5.0, 0.1))),
    "eval_legendre": (mp.legendre, ((0, 0.4), (1, 1.0), (5, -0.3), (5, -1.0))),
    "eval_chebyt": (mp.chebyt, ((0, 0.4), (1, 1.0), (5, -0.3))),
    "eval_chebyu": (mp.chebyu, ((0, 0.4), (1, 1.0), (5, -0.3))),
    "eval_hermite": (mp.hermite, ((0, 0.4), (1, 1.0), (5, -0.3))),
    "eval_hermitenorm": (lambda n, x: mp.hermite(n, x / ROOT_TWO) * mp.mpf(2) ** (-n / mp.mpf(2)),
                         ((0, 0.4), (1, 1.0), (5, -0.3))),
    "eval_laguerre": (lambda n, x: mp.laguerre(n, 0, x), ((0, 0.4), (1, 1.0), (5, 3.0))),
    "eval_genlaguerre": (mp.laguerre, ((0, 0.5, 0.4), (3, 1.5, 2.0))),
    "eval_gegenbauer": (mp.gegenbauer, ((0, 0.5, 0.4), (3, 1.5, 0.2))),
    "eval_jacobi": (mp.jacobi, ((0, 0.5, 1.5, 0.4), (3, 1.5, 0.2, -0.3))),
    "stdtr": (students, ((2.0, -1.0), (7.5, 2.0), (90.0, 0.3), (1.0, 30.0))),
    "chdtr": (lambda v, x: lower(v / 2, x / 2), ORDERS),
    "chdtrc": (lambda v, x: upper(v / 2, x / 2), ORDERS),
    "gdtr": (lambda a, b, x: lower(b, a * x), ((0.5, 1.5, 2.0), (3.0, 0.7, 0.2))),
    "gdtrc": (lambda a, b, x: upper(b, a * x), ((0.5, 1.5, 2.0), (3.0, 0.7, 0.2))),
    "fdtr": (lambda a, b, x: share(a / 2, b / 2, a * x / (a * x + b)), ((3.0, 7.0, 1.2), (1.0, 2.0, 0.1))),
    "fdtrc": (lambda a, b, x: rest(a / 2, b / 2, a * x / (a * x + b)), ((3.0, 7.0, 1.2), (1.0, 2.0, 0.1))),
    "pdtr": (lambda k, m: upper(k + 1, m), ((0.0, 0.5), (3.0, 2.0))),
    "pdtrc": (lambda k, m: lower(k + 1, m), ((0.0, 0.5), (3.0, 2.0))),
    "bdtr": (lambda k, n, p: rest(k + 1, n - k, p), ((0.0, 3, 0.2), (2.0, 9, 0.4))),
    "bdtrc": (lambda k, n, p: share(k + 1, n - k, p), ((0.0, 3, 0.2), (2.0, 9, 0.4))),
    "nbdtr": (lambda k, n, p: share(n, k + 1, p), ((0, 3, 0.2), (2, 9, 0.4))),
    "nbdtrc": (lambda k, n, p: rest(n, k + 1, p), ((0, 3, 0.2), (2, 9, 0.4))),
    "exp10": (lambda x: mp.mpf(10) ** x, REALS),
    "cosm1": (mp.cos, REALS),
    "powm1": (mp.power, ((0.5, 2.0), (3.0, -1.2), (1.0, 0.0))),
    "boxcox": (power, ((0.5, 0.0), (3.0, 1.5), (2.0, -0.2), (0.01, 1e-6))),
    "boxcox1p": (lambda x, lmbda: power(1 + x, lmbda), ((0.5, 0.0), (3.0, 1.5), (2.0, -0.2), (1e-9, 0.3))),
    "inv_boxcox": (undone, ((0.5, 1e-9), (3.0, 1.5), (0.2, -0.2))),
    "inv_boxcox1p": (lambda x, lmbda: undone(x, lmbda) - 1, ((0.5, 1e-9), (3.0, 1.5), (0.2, -0.2))),
    "sindg": (lambda x: mp.sin(mp.radians(x)), REALS),
    "cosdg": (lambda x: mp.cos(mp.radians(x)), REALS),
    "tandg": (lambda x: mp.tan(mp.radians(x)), REALS),
    "cotdg": (lambda x: mp.cot(mp.radians(x)), (-30.0, 45.0, 100.0)),
    "wrightomega": (lambda x: mp.re(mp.lambertw(mp.exp(x))), REALS),
}  # fmt: skip
INVERSES = "gammaincinv gammainccinv betaincinv betainccinv stdtrit chdtri fdtri pdtri bdtri tklmbda".split()
# By all operands, or by the first; or of complex numbers.
REFUSED = ["elliprd", "elliprg", "elliprj", "zeta", "zetac", "wofz"]
