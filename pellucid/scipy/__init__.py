"""SciPy's functions and classes as compiled code means them, written in the language, a module for each of SciPy's.

    scipy.special.expit(x)      `pellucid.scipy.special:expit`, bound by name in `compiler/ops/scipy_names.py`
"""
