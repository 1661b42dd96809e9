"""Which functions of SciPy there are: for each of its modules the names that a file of `pellucid/scipy` defines.

    SCIPY_FUNCTIONS["scipy.special"] == {"special": "expit log_expit ..."}     ->    `pellucid.scipy.special:expit`

`name=other` where the function of the library is called differently; a module `numpy.fourier` is one of
`pellucid/numpy`, where SciPy's function is NumPy's.
"""

from __future__ import annotations

SCIPY_FUNCTIONS: dict[str, dict[str, str]] = {
    "scipy.special": {
        "special": "expit log_expit logit xlogy xlog1py rel_entr kl_div ndtr log_ndtr polygamma multigammaln exprel"
        " logsumexp softmax log_softmax",
    },
    "scipy.integrate": {
        "integrate": "solve_ivp",
        "integrate_quad": "quad dblquad quad_vec",
    },
    "scipy.optimize": {
        "results": "OptimizeResult=optimize_result",
        "optimize_roots": "brentq brenth bisect newton root_scalar",
        "optimize_minimize": "minimize",
        "optimize_scalar": "minimize_scalar",
        "optimize_systems": "root fsolve",
        "optimize_least_squares": "least_squares curve_fit",
    },
}
# Those that take complex numbers; all others refuse them.  `*` stands for all functions of a module.
OF_COMPLEX: dict[str, str] = {}
