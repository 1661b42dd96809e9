import numpy as np

HEAD = "from scipy import stats"
R = np.random.default_rng(19)
ARRAYS = {
    "x": R.normal(size=12),
    "y": R.normal(size=7) + 0.4,
    "u": R.normal(size=12) + 0.3,
    "v": R.normal(size=20),
    "w": R.normal(size=60) + 0.1,
    "A": R.normal(size=(9, 3)),
    "B": R.normal(size=(9, 3)) + 0.5,
    "N": np.array([3, 1, 2, 2, 5, 1, 1, 0, 4, 0, 2]),
    "M": np.array([2, 1, 4, 2, 3, 3, 1, 0, 5, 1, 3]),
    "T": np.array([[12.0, 7.0], [5.0, 9.0]]),
    "S": np.array([[10, 20, 30], [6, 9, 17], [3, 1, 2]]),
    "F": np.array([[8, 2], [1, 5]]),
    "p": 0.3,
    "n": np.array([0.5, np.nan, 2.0, 1.0]),
}
RTOL = 1e-10
CALLS = """
tuple(stats.mannwhitneyu(x, y))
tuple(stats.mannwhitneyu(x, y, alternative="less"))
tuple(stats.mannwhitneyu(v, u, alternative="greater"))
tuple(stats.mannwhitneyu(v, w, use_continuity=False))
tuple(stats.mannwhitneyu(v, w, method="exact"))
tuple(stats.mannwhitneyu(N, M))
tuple(stats.mannwhitneyu(A, B, axis=0))
tuple(stats.mannwhitneyu(A.astype(np.float32), B.astype(np.float32), axis=1))
tuple(stats.mannwhitneyu(x, n))
tuple(stats.wilcoxon(x, u))
tuple(stats.wilcoxon(x, alternative="greater"))
tuple(stats.wilcoxon(w, alternative="less"))
tuple(stats.wilcoxon(w, correction=True))
tuple(stats.wilcoxon(w, correction=True, method="asymptotic", alternative="greater"))
tuple(stats.wilcoxon(N - M))
tuple(stats.wilcoxon(N - M, zero_method="pratt"))
tuple(stats.wilcoxon(N - M, zero_method="zsplit", alternative="less"))
tuple(stats.wilcoxon(N - M, method="asymptotic", zero_method="pratt"))
tuple(stats.wilcoxon(N - M, method="asymptotic", zero_method="zsplit"))
tuple(stats.wilcoxon(N - M, method="exact"))
tuple(stats.wilcoxon(np.round(v, 1)))
tuple(stats.wilcoxon(A, B, axis=1))
tuple(stats.kruskal(x, y, u))
tuple(stats.kruskal(N, M))
tuple(stats.kruskal(A, B, axis=0))
tuple(stats.friedmanchisquare(N, M, N[::-1]))
tuple(stats.friedmanchisquare(x, u, v[:12], v[8:]))
tuple(stats.kendalltau(x, u))
tuple(stats.kendalltau(x, u, alternative="less"))
tuple(stats.kendalltau(x, -u, alternative="greater"))
tuple(stats.kendalltau(w, w[::-1] + w, alternative="less"))
tuple(stats.kendalltau(N, M))
tuple(stats.kendalltau(N, M, variant="c"))
tuple(stats.kendalltau(w, w**3 + w[0], method="exact"))
tuple(stats.skewtest(x))
tuple(stats.skewtest(A, axis=0, alternative="less"))
tuple(stats.kurtosistest(x, alternative="greater"))
tuple(stats.kurtosistest(A))
tuple(stats.normaltest(x))
tuple(stats.normaltest(A, axis=None))
tuple(stats.levene(x, y, u))
tuple(stats.levene(A, B, center="mean"))
tuple(stats.levene(x, v, center="trimmed", proportiontocut=0.1))
tuple(stats.bartlett(x, y, u))
tuple(stats.bartlett(A, B, axis=1))
tuple(stats.power_divergence(S[0], lambda_="log-likelihood"))
tuple(stats.power_divergence(S[0], S[0, ::-1], lambda_=0.3))
tuple(stats.chi2_contingency(T))
tuple(stats.chi2_contingency(S, lambda_="neyman"))
tuple(stats.chi2_contingency(S, correction=False))
tuple(stats.fisher_exact(F))
tuple(stats.fisher_exact(F[::-1], alternative="less"))
tuple(stats.fisher_exact(T, alternative="greater"))
tuple(stats.fisher_exact(np.array([[30, 45], [60, 12]])))
[stats.binomtest(k, 15, p).pvalue for k in (0, 3, 4, 5, 9, 15)]
(stats.binomtest(3, 10, p).pvalue, stats.binomtest(7, 50, 0.1, "greater").pvalue, stats.binomtest(7, 50).statistic)
(stats.binomtest(7, 50, p, "less").pvalue, stats.binomtest(5, 10).pvalue, stats.binomtest(40, 41, 0.9).pvalue)
(tuple(stats.binomtest(7, 50).proportion_ci()), tuple(stats.binomtest(0, 9).proportion_ci(0.9, method="wilson")))
tuple(stats.binomtest(7, 50, alternative="less").proportion_ci(method="wilsoncc"))
(tuple(stats.theilslopes(u, x)), tuple(stats.theilslopes(v)), tuple(stats.theilslopes(u, x, 0.9, method="joint")))
(tuple(stats.theilslopes(N, M)), tuple(stats.theilslopes(x[:3], u[:3], 0.1)))
(tuple(stats.siegelslopes(u, x)), tuple(stats.siegelslopes(v)), tuple(stats.siegelslopes(u, x, method="separate")))
tuple(stats.siegelslopes(N, M))
tuple(stats.ks_1samp(x, stats.norm.cdf))
tuple(stats.ks_1samp(w, stats.norm.cdf, args=(0.1, 1.2)))
tuple(stats.ks_1samp(x, stats.norm.cdf, alternative="less"))
tuple(stats.ks_1samp(x, stats.norm.cdf, alternative="greater"))
tuple(stats.ks_1samp(x + 1.5, stats.norm.cdf))
tuple(stats.ks_1samp(x, lambda z: 1.0 / (1.0 + np.exp(-z)), method="asymp"))
tuple(stats.ks_2samp(x, y))
tuple(stats.ks_2samp(x, u, alternative="less"))
tuple(stats.ks_2samp(v, w, alternative="greater"))
tuple(stats.ks_2samp(v, w, method="asymp"))
tuple(stats.ks_2samp(v, w, method="asymp", alternative="less"))
tuple(stats.kstest(x, "norm"))
tuple(stats.kstest(x, "expon", args=(-3.0,)))
tuple(stats.kstest(x, u))
"""
SMOOTH = """
stats.mannwhitneyu(x, y).pvalue + np.sum(x * x)
stats.skewtest(x).pvalue
stats.kurtosistest(x).pvalue
stats.normaltest(A).statistic
stats.levene(x, y, u).pvalue
stats.bartlett(x, y).pvalue
stats.chi2_contingency(T).pvalue
stats.binomtest(3, 15, p).pvalue
stats.theilslopes(u, x).slope + stats.theilslopes(u, x).high_slope
stats.siegelslopes(u, x).intercept
stats.ks_1samp(x, stats.norm.cdf).pvalue
stats.ks_1samp(w, stats.norm.cdf, args=(0.1, 1.2)).statistic
"""
