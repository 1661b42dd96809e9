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
"""
SMOOTH = """
stats.mannwhitneyu(x, y).pvalue + np.sum(x * x)
"""
