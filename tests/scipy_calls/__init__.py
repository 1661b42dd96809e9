"""Calls of SciPy's functions, a file for each of its modules, which `tests/test_scipy_calls.py` runs.

    HEAD      imports, as users write them
    ARRAYS    the operands, by the names that the calls give them
    CALLS     expressions: the values, dtypes and shapes that are SciPy's
    SMOOTH    expressions whose derivatives are held against differences, in both modes
    RTOL      how near values are
"""
