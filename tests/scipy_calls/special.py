import numpy as np

HEAD = "import scipy.special\nfrom scipy import special"
ARRAYS = {
    "X": np.array([-3.0, -0.5, 0.0, 0.25, 0.9, 2.0, 11.5]),
    "P": np.array([0.1, 0.5, 1.0, 2.5, 7.0]),
    "F": np.array([0.1, 0.5, 2.5], dtype=np.float32),
}
CALLS = """
scipy.special.expit(X)
special.softmax(X)
special.logsumexp(F)
"""
SMOOTH = """
special.expit(X)
special.xlogy(P, P)
"""
