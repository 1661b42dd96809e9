"""The results of solvers: instances of SciPy's classes, whose items are attributes.

    OptimizeResult(x=x, fun=f)     ->     a dict of that class:  r.x, r["fun"]
"""

from scipy.optimize import OptimizeResult

from ..compiler.ops.containers import dict_of_class


def optimize_result(**items):
    return dict_of_class(OptimizeResult, **items)
