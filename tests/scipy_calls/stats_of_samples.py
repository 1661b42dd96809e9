import numpy as np

HEAD = "from scipy import stats"
R = np.random.default_rng(9)
ARRAYS = {
    "x": R.normal(size=12),
    "y": R.normal(size=12) + 0.4,
    "w": R.uniform(0.5, 2.0, size=12),
    "A": R.normal(size=(6, 3)),
    "N": np.array([3, 1, 2, 2, 5, 1, 1]),
    "c": np.array([10.0, 12.0, 9.0, 15.0]),
    "m": np.array([0.3, -0.2, 0.1]),
    "C": np.array([[2.0, 0.3, 0.1], [0.3, 1.0, 0.2], [0.1, 0.2, 1.5]]),
    "a": np.array([1.5, 2.0, 0.7]),
    "s": np.array([0.2, 0.5, 0.3]),
    "D": R.normal(size=(2, 15)),
    "p": np.array([0.1, 0.4, 0.5]),
    "q": np.array([0.3, 0.3, 0.4]),
}
RTOL = 1e-10
CALLS = """
stats.zscore(x)
stats.zscore(A, axis=1, ddof=1)
stats.zscore(A, axis=None)
stats.zmap(x, y)
stats.sem(x)
stats.sem(A, axis=1, ddof=0)
(stats.gmean(w), stats.hmean(w), stats.pmean(w, 2.0), stats.gstd(w), stats.variation(w))
stats.gmean(w, weights=w)
stats.moment(x, 3)
(stats.skew(x), stats.skew(x, bias=False), stats.skew(A), stats.kurtosis(x), stats.kurtosis(A, 1, False))
stats.kurtosis(x, bias=False)
(stats.describe(x).mean, stats.describe(x).minmax, stats.describe(A).kurtosis)
(stats.iqr(x), stats.iqr(A, axis=0), stats.iqr(x, scale="normal"), stats.iqr(x, rng=(10, 90)))
stats.median_abs_deviation(x)
stats.median_abs_deviation(A, scale="normal")
stats.trim_mean(x, 0.1)
(stats.rankdata(N), stats.rankdata(x), stats.rankdata(A, axis=1))
(stats.rankdata(N, method="dense"), stats.rankdata(x, method="ordinal"), stats.rankdata(A, "max", axis=1))
stats.rankdata(N, method="min")
(stats.mode(N).mode, stats.mode(N).count)
(stats.entropy(p), stats.entropy(p, q), stats.entropy(c, base=2), stats.entropy(np.abs(A)))
(stats.percentileofscore(x, 0.1), stats.percentileofscore(N, 2, kind="strict"), stats.percentileofscore(N, 2))
stats.boxcox_llf(0.4, w)
tuple(stats.ttest_1samp(x, 0.2))
tuple(stats.ttest_1samp(A, 0.2, alternative="less"))
tuple(stats.ttest_rel(x, y))
tuple(stats.ttest_ind(x, y))
tuple(stats.ttest_ind(x, y, equal_var=False, alternative="greater"))
tuple(stats.f_oneway(x, y, w))
tuple(stats.chisquare(c))
tuple(stats.chisquare(c, f_exp=c[::-1]))
tuple(stats.pearsonr(x, y))
tuple(stats.pearsonr(x, y, alternative="less"))
tuple(stats.spearmanr(x, y))
tuple(stats.linregress(x, y))
tuple(stats.jarque_bera(x))
stats.multivariate_normal.pdf(m, m + 0.2, C)
stats.multivariate_normal.logpdf(A, mean=m, cov=C)
stats.multivariate_normal(m, C).logpdf(A)
stats.multivariate_normal.entropy(m, C)
stats.multivariate_normal.logpdf(A, m, 2.0)
stats.multivariate_normal.pdf(A[:1], m, C)
(stats.dirichlet.logpdf(s, a), stats.dirichlet.pdf(s, a), stats.dirichlet.mean(a), stats.dirichlet(a).var())
stats.gaussian_kde(x)(y)
stats.gaussian_kde(D).evaluate(D[:, :4] + 0.1)
stats.gaussian_kde(x, bw_method="silverman").logpdf(y)
stats.gaussian_kde(x, bw_method=0.3, weights=w).pdf(y)
"""
SMOOTH = """
stats.zscore(x)
stats.skew(x)
stats.kurtosis(x)
stats.gmean(w)
stats.entropy(w)
stats.ttest_ind(x, y).pvalue
stats.pearsonr(x, y).statistic
stats.linregress(x, y).stderr
stats.multivariate_normal.logpdf(A, m, C)
stats.dirichlet.mean(a)
stats.gaussian_kde(x).logpdf(y)
stats.chisquare(c).pvalue
"""
