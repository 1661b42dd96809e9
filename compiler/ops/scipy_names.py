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
        "several_results": "sici shichi fresnel airy ellipj",
        "said_by_rows": "exp2 cbrt expm1 log1p zeta factorial comb perm huber pseudo_huber agm"
        " eval_sh_legendre eval_sh_chebyt eval_sh_chebyu sph_harm_y jvp yvp ivp kvp",
        "lambert": "lambertw",
        "numpy.windows": "sinc",
        "gauss": "roots_legendre roots_hermitenorm roots_hermite roots_laguerre roots_chebyt roots_chebyu",
    },
}
# Those that take complex numbers; all others refuse them.  `*` stands for all functions of a module.
OF_COMPLEX: dict[str, str] = {"lambert": "lambertw"}
