import numpy as np

HEAD = "from scipy.optimize import linear_sum_assignment"
R = np.random.default_rng(14)
ARRAYS = {
    "A": R.normal(size=(7, 7)),
    "B": R.normal(size=(4, 9)),
    "C": R.normal(size=(9, 4)),
    "I": R.integers(0, 100, size=(6, 6)),
    "F": np.where(np.eye(5) > 0, np.inf, R.normal(size=(5, 5))),
}
CALLS = """
linear_sum_assignment(A)
linear_sum_assignment(B)
linear_sum_assignment(C)
linear_sum_assignment(A, maximize=True)
I[linear_sum_assignment(I)].sum()
linear_sum_assignment(F)
"""
SMOOTH = """
A[linear_sum_assignment(A)]
"""
