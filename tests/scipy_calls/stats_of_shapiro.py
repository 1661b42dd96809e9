import numpy as np

HEAD = "from scipy import stats"
R = np.random.default_rng(29)
ARRAYS = {"s": R.normal(size=3), "x": R.normal(size=5), "y": R.normal(size=9), "z": R.uniform(size=24)}
RTOL = 1e-7  # SciPy's quantiles of the normal distribution have 9 digits in this test
CALLS = """
tuple(stats.shapiro(s))
tuple(stats.shapiro(x))
tuple(stats.shapiro(y))
tuple(stats.shapiro(z))
"""
SMOOTH = """
stats.shapiro(z).pvalue
"""
