import numpy as np

HEAD = "import scipy.special\nfrom scipy import special\nfrom scipy.special import gammaln, jv"
ARRAYS = {
    "X": np.array([-3.0, -0.5, 0.0, 0.25, 0.9, 2.0, 11.5]),
    "P": np.array([0.1, 0.5, 1.0, 2.5, 7.0]),
    "Q": np.array([1.3, 0.7, 2.0, 2.2, 4.5]),
    "U": np.array([0.05, 0.3, 0.52, 0.81, 0.97]),
    "F": np.array([0.1, 0.5, 2.5], dtype=np.float32),
    "S": np.array([0.1, 0.5, 0.9], dtype=np.float32),
    "H": np.array([0.5, 1.5], dtype=np.float16),
    "N": np.array([0, 1, 2, 3, 6]),
    "M": np.array([4, 9, 3, 12, 6]),
    "E": np.array([np.nan, np.inf, -np.inf, 0.0, -0.0, -1.0, -2.5, 1.0, 1e300, -1e300, 1e-300]),
    "Z": np.array([0.3 + 0.2j, -2.0 - 1.0j, -0.36 + 0.0j, 5.0 + 0.0j, -0.2 + 0.0j, 40.0j]),
}
CALLS = """
scipy.special.expit(X)
special.softmax(X)
special.logsumexp(F)
special.logsumexp(X, b=np.cos(X), return_sign=True)
(special.erf(E), special.erfc(E), special.erfcx(E), special.erfi(E), special.dawsn(E), special.entr(E))
(special.erfinv(E), special.erfcinv(E), special.ndtri(E), special.ndtri_exp(E), special.gammasgn(E), special.rgamma(E))
(special.gamma(E), gammaln(E), special.loggamma(E), special.psi(P), special.digamma(P), special.zeta(Q + 1.0, P))
(special.exp1(E), special.expi(E), special.spence(E), special.ellipk(E), special.ellipkm1(E), special.ellipe(E))
(special.i0(E), special.i0e(E), special.i1(E), special.i1e(E), special.j0(X), special.j1(X), special.wrightomega(X))
(special.y0(E), special.y1(E), special.k0(E), special.k0e(E), special.k1(E), special.k1e(E), special.exp10(X))
(special.beta(P, Q), special.betaln(P, Q), special.poch(P, Q), special.binom(P, Q), special.hyp0f1(P, Q))
(special.gammainc(P, Q), special.gammaincc(P, Q), special.gammaincinv(P, U), special.gammainccinv(P, U))
(special.betainc(P, Q, U), special.betaincc(P, Q, U), special.betaincinv(P, Q, U), special.betainccinv(P, Q, U))
(special.gammainc(E[:, None], P), special.betainc(P, 0.5, E[:, None]), special.kv(E[:, None], P), jv(0.5, E))
(jv(P, Q), special.jve(P, Q), special.yv(P, Q), special.yve(P, Q), special.iv(P, Q), special.ive(P, Q))
(special.kv(P, Q), special.kve(P, Q), special.jn(N, P), special.yn(N, P), special.kn(N, P), special.expn(N, P))
(special.hyp1f1(P, Q, X[:5]), special.hyp2f1(P, Q, Q + 1.0, U), special.hyperu(P, Q, P), special.lpmv(N, M, U))
(special.struve(P, Q), special.modstruve(P, Q), special.owens_t(X, 0.7), special.ellipkinc(X, 0.6))
(special.ellipeinc(X, -1.5), special.elliprd(P, Q, P), special.ellipj(X, 0.7), special.airy(X))
(special.sici(P), special.shichi(P), special.fresnel(X), special.sici(F), special.airy(0.5))
(special.stdtr(P, X[:5]), special.stdtrit(P, U), special.chdtr(P, Q), special.chdtrc(P, Q), special.chdtri(P, U))
(special.gdtr(P, Q, P), special.gdtrc(P, Q, P), special.fdtr(P, Q, P), special.fdtrc(P, Q, P), special.fdtri(P, Q, U))
(special.pdtr(N, P), special.pdtrc(N, P), special.pdtri(N, U), special.bdtr(N, M + 4, U), special.bdtrc(N, M + 4, U))
(special.bdtri(N, M + 4, U), special.nbdtr(N, M, U), special.nbdtrc(N, M, U), special.tklmbda(X, 0.3))
(special.cosm1(X), special.powm1(P, X[:5]), special.boxcox(P, X[:5]), special.boxcox1p(P, 0.0))
(special.inv_boxcox(U, P), special.inv_boxcox1p(U, P), special.sindg(X), special.cosdg(X), special.tandg(X))
(special.cotdg(P), special.exp2(X), special.cbrt(X), special.expm1(X), special.log1p(P), special.sinc(X))
(special.huber(1.5, X), special.pseudo_huber(1.5, P), special.huber(-1.0, X), special.agm(P, Q), special.agm(0.0, P))
(special.spherical_jn(2, X), special.spherical_jn(N[:, None], P), special.spherical_jn(1, X, derivative=True))
(special.spherical_yn(3, P), special.spherical_yn(1, X, True), special.spherical_in(1, X, True))
(special.spherical_kn(2, P), special.spherical_kn(2, X - 0.1), special.spherical_kn(0, P, True), special.bernoulli(3))
(special.comb(7, 3, exact=True), special.comb(3, 7, exact=True), special.comb(7, 3, exact=True, repetition=True))
(special.factorial(6, exact=True), special.perm(6, 2, exact=True), special.bernoulli(0), special.bernoulli(1))
(special.factorial(N), special.comb(M, N), special.comb(M, N, repetition=True), special.perm(M, N), special.comb(5, 2))
(special.eval_legendre(N, X[:5]), special.eval_chebyt(N, U), special.eval_chebyu(N, U), special.eval_laguerre(N, P))
(special.eval_hermite(N, X[:5]), special.eval_hermitenorm(N, X[:5]), special.eval_genlaguerre(N, 0.5, P))
(special.eval_gegenbauer(N, 0.7, U), special.eval_jacobi(N, 0.5, 1.5, U), special.eval_legendre(2.5, U))
(special.eval_sh_legendre(N, U), special.eval_sh_chebyt(N, U), special.eval_sh_chebyu(N, U))
(special.sph_harm_y(M, N, Q, P), special.sph_harm_y(3, -2, P[:, None], Q), special.sph_harm_y(1, 2, P, Q))
(special.jvp(P, Q), special.yvp(1.0, P, 2), special.ivp(P, Q, 3), special.kvp(P, Q), special.jvp(2, P, 0))
(special.elliprf(P, Q, P), special.elliprc(P, Q), special.elliprg(P, Q, P), special.elliprj(P, Q, P, 0.5))
(special.log_expit(X), special.logit(U), special.xlog1py(P, Q), special.rel_entr(P, Q), special.kl_div(P, Q))
(special.ndtr(X), special.log_ndtr(X), special.polygamma(1, P), special.multigammaln(4.5, 2), special.exprel(X))
special.log_softmax(X)
(special.zeta(P + 1.5), special.zeta(-1.5), special.zeta(F, 2.0), special.zeta(2.0, P), special.zetac(P))
(special.huber(1.0, F), special.xlogy(2.0, F), special.rel_entr(F, S), special.sici(F[:, None]))
(special.expit(H), special.log_ndtr(H), special.huber(H, H), special.factorial(H), special.ellipj(H, 0.5))
(special.expit(N.astype(np.int8)), special.agm(F, 2.0), special.comb(F, F), special.exp2(H), special.kl_div(H, 0.5))
(special.wofz(Z), special.wofz(X), special.wofz(F + 0.5j), special.voigt_profile(X, 0.7, P[2]))
(special.lambertw(P), special.lambertw(Z), special.lambertw(Z, -1), special.lambertw(Z, 1), special.lambertw(Z, k=3))
special.lambertw(np.array([-0.3, -1e-5, -0.367, 0.0, np.inf, np.nan, 1e300, 1e-300]), -1)
(special.roots_legendre(6), special.roots_hermite(7), special.roots_hermitenorm(4), special.roots_laguerre(5))
(special.roots_chebyt(5), special.roots_chebyu(4), special.roots_legendre(1), special.roots_hermite(40))
(special.jv(1, F), special.gammainc(F, F), special.betainc(F, F, S), special.ndtri(S), special.gammainc(2, F))
(special.kn(2, F), special.eval_legendre(2, S), special.gammaln(N + 1), special.beta(2, 3), special.gamma(5))
(special.hyp2f1(F, F, F, S), special.stdtr(F, F), special.i0(F), special.erfinv(S), special.xlogy(F, F))
"""
SMOOTH = """
special.expit(X)
special.xlogy(P, P)
special.gammainc(P, Q)
special.gammaincc(Q, P) + special.gammaincinv(Q, U)
special.betainc(P, Q, U)
special.betaincinv(Q, Q + 1.0, U) + special.betaincc(Q, P, U)
special.kv(P, Q) + special.kve(Q, P)
special.jv(1.5, P) + special.iv(0.5, P) + special.yv(2.0, Q) + special.kn(N, P) + special.jn(N, P)
special.ellipk(U - 0.5) + special.ellipe(U) + special.ellipkinc(Q, U - 0.6) + special.ellipeinc(4.0 * Q, U)
special.stdtr(Q, X[:5]) + special.stdtrit(Q + 1.0, U) + special.chdtr(P, Q) + special.fdtr(P, Q, P)
special.spherical_jn(2, Q) + special.spherical_yn(1, Q) + special.spherical_in(0, Q) + special.spherical_kn(1, P)
special.airy(X)[0] + special.fresnel(X)[1] + special.ellipj(X, 0.7)[0]
special.ellipj(Q, U)[0] + special.ellipj(Q, U)[2] + special.sici(P)[0] + special.shichi(P)[1]
special.eval_legendre(N, U) + special.eval_hermite(N, U) + special.eval_jacobi(N, 0.5, 1.5, U)
special.comb(P + 7.0, Q) + special.factorial(P) + special.poch(P, Q) + special.beta(P, Q)
special.boxcox(P, X[:5]) + special.inv_boxcox(U, P) + special.tklmbda(U, P) + special.owens_t(P, Q)
special.huber(1.5, P + 0.2) + special.pseudo_huber(Q, P) + special.agm(P, Q)
np.real(special.lambertw(P)) + np.imag(special.lambertw(P, -1))
np.real(special.sph_harm_y(3, 2, P, Q)) + np.imag(special.sph_harm_y(4, -1, Q, P))
special.logsumexp(X, b=np.cos(X), return_sign=True)[0]
np.real(special.wofz(P + 1j * Q)) + np.imag(special.wofz(Q + 3j * P)) + special.voigt_profile(P, Q, U)
"""
