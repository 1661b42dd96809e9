import numpy as np

HEAD = "from scipy import integrate"
R = np.random.default_rng(7)
ARRAYS = {
    "y": R.normal(size=9),
    "Y": R.normal(size=(4, 6)),
    "x": np.cumsum(np.abs(R.normal(size=9)) + 0.1),
    "u": np.cumsum(np.abs(R.normal(size=4)) + 0.1),
}
CALLS = """
integrate.trapezoid(y)
integrate.trapezoid(y, x)
integrate.trapezoid(Y, u, axis=0)
integrate.cumulative_trapezoid(y)
integrate.cumulative_trapezoid(y, x, initial=0)
integrate.cumulative_trapezoid(Y, dx=0.5, axis=0)
integrate.simpson(y)
integrate.simpson(y, x=x)
integrate.simpson(y[:8], x=x[:8])
integrate.simpson(y[:2], dx=0.5)
integrate.simpson(Y, dx=0.1)
integrate.simpson(Y, x=u, axis=0)
"""
SMOOTH = """
integrate.simpson(y, x=x)
integrate.simpson(y[:8], x=x[:8])
integrate.cumulative_trapezoid(y, x)
"""
