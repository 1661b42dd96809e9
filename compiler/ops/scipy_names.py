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
        "spherical": "spherical_jn spherical_yn spherical_in spherical_kn bernoulli",
        "numpy.windows": "sinc",
        "numpy.gauss": "roots_legendre roots_hermitenorm roots_hermite roots_laguerre roots_chebyt roots_chebyu",
    },
    "scipy.linalg": {
        "linalg": "norm polar null_space orth eigvals issymmetric subspace_angles",
        "linalg_stacks": "solve solve_triangular inv det pinv pinvh cholesky svdvals eigh eigvalsh cho_factor cho_solve"
        " lu_factor lu_solve lu qr svd lstsq eig sqrtm logm",
        "banded": "cholesky_banded cho_solve_banded eig_banded eigvals_banded eigh_tridiagonal eigvalsh_tridiagonal",
        "discrete_riccati": "solve_discrete_are",
        "matrix_forms": "hessenberg ldl funm",
        "matrix_functions": "expm expm_frechet schur solve_sylvester solve_continuous_lyapunov solve_discrete_lyapunov"
        " solve_lyapunov=solve_continuous_lyapunov solve_continuous_are cosm sinm tanm"
        " fractional_matrix_power orthogonal_procrustes",
        "special_matrices": "toeplitz hankel circulant companion leslie block_diag hilbert dft khatri_rao"
        " hadamard convolution_matrix solve_circulant solve_toeplitz solve_banded solveh_banded",
    },
    "scipy.fft": {
        "fft": "fft ifft rfft irfft hfft ihfft fft2 ifft2 rfft2 irfft2 fftn ifftn rfftn irfftn fftfreq rfftfreq"
        " fftshift ifftshift next_fast_len dct idct dst idst dctn idctn dstn idstn",
    },
    "scipy.signal": {
        "signal_products": "convolve correlate fftconvolve oaconvolve convolve2d correlate2d",
        "signal_filters": "lfilter lfilter_zi filtfilt sosfilt sosfilt_zi sosfiltfilt savgol_coeffs savgol_filter"
        " detrend hilbert resample medfilt",
        "signal_iir": "butter cheby1 cheby2 zpk2sos tf2sos",
        "signal_rates": "resample_poly decimate wiener",
        "signal_design": "freqz get_window welch periodogram find_peaks peak_prominences",
        "signal_spectra": "csd coherence spectrogram stft istft lombscargle",
        "signal_waves": "correlation_lags chirp sawtooth square gausspulse firwin sosfreqz freqz_sos=sosfreqz tf2zpk"
        " zpk2tf sos2tf",
    },
    "scipy.ndimage": {
        "image_filters": "gaussian_filter gaussian_filter1d uniform_filter uniform_filter1d correlate correlate1d"
        " convolve convolve1d sobel prewitt laplace gaussian_laplace gaussian_gradient_magnitude",
        "image_orders": "maximum_filter minimum_filter maximum_filter1d minimum_filter1d median_filter rank_filter"
        " percentile_filter grey_erosion grey_dilation grey_opening grey_closing morphological_gradient"
        " generate_binary_structure binary_erosion binary_dilation binary_opening binary_closing binary_fill_holes",
        "image_parts": "center_of_mass label sum_labels mean variance standard_deviation maximum minimum"
        " distance_transform_edt",
        "image_coordinates": "map_coordinates",
        "image_transforms": "shift zoom rotate affine_transform spline_filter",
    },
    "scipy.spatial": {"trees": "KDTree cKDTree=KDTree", "distances": "procrustes"},
    "scipy.spatial.transform": {"rotations": "Slerp"},
    "scipy.spatial.distance": {
        "distances": "euclidean sqeuclidean cityblock chebyshev minkowski cosine correlation canberra braycurtis"
        " hamming jensenshannon mahalanobis cdist pdist squareform",
    },
    "scipy.cluster.vq": {"distances": "vq kmeans2 whiten"},
    "scipy.stats": {
        "statistics": "zscore zmap sem gmean hmean pmean gstd variation moment skew kurtosis describe iqr"
        " median_abs_deviation trim_mean rankdata mode entropy percentileofscore boxcox_llf",
        "hypotheses": "ttest_1samp ttest_rel ttest_ind f_oneway chisquare pearsonr spearmanr linregress jarque_bera",
        "hypotheses_of_ranks": "mannwhitneyu wilcoxon kruskal friedmanchisquare kendalltau",
        "hypotheses_of_shape": "skewtest kurtosistest normaltest shapiro levene bartlett",
        "hypotheses_of_tables": "power_divergence chi2_contingency fisher_exact binomtest",
        "robust_lines": "theilslopes siegelslopes",
        "kolmogorov": "ks_1samp ks_2samp kstest",
        "multivariate": "gaussian_kde",
    },
    "scipy.stats.contingency": {"hypotheses_of_tables": "chi2_contingency"},
    "scipy.signal.windows": {"signal_design": "get_window"},
    "scipy.sparse": {
        "sparse": "coo_array csr_array csc_array coo_matrix csr_matrix csc_matrix eye_array eye identity diags_array"
        " diags kron issparse",
        "sparse_stacks": "vstack hstack bmat block_array block_diag",
    },
    "scipy.sparse.linalg": {"sparse_solve": "spsolve splu factorized", "sparse_iterative": "cg gmres bicgstab"},
    "scipy.interpolate": {
        "piecewise": "CubicSpline PchipInterpolator Akima1DInterpolator",
        "interpolation": "interp1d",
        "splines": "BSpline make_interp_spline splrep splev splint splder InterpolatedUnivariateSpline"
        " UnivariateSpline",
        "smoothing": "make_smoothing_spline",
        "grids": "RegularGridInterpolator interpn",
        "scattered": "RBFInterpolator NearestNDInterpolator griddata",
    },
    "scipy.integrate": {
        "integrate": "solve_ivp",
        "integrate_odeint": "odeint",
        "samples": "trapezoid cumulative_trapezoid simpson",
        "integrate_quad": "quad dblquad quad_vec",
    },
    "scipy.optimize": {
        "results": "OptimizeResult=optimize_result",
        "optimize_roots": "brentq brenth bisect newton root_scalar",
        "optimize_minimize": "minimize",
        "optimize_scalar": "minimize_scalar",
        "optimize_systems": "root fsolve",
        "optimize_least_squares": "least_squares curve_fit",
        "optimize_brackets": "ridder toms748 fixed_point bracket approx_fprime check_grad",
        "optimize_boxes": "nnls lsq_linear",
        "optimize_linear": "linprog",
        "optimize_constraints": "Bounds LinearConstraint NonlinearConstraint",
        "assignment": "linear_sum_assignment",
    },
}
# Objects of SciPy's that have methods, and the objects of the library that stand for them.
SCIPY_OBJECTS: dict[str, dict[str, str]] = {
    "scipy.stats": {
        "families": "norm halfnorm lognorm t f gamma chi2 invgamma beta uniform expon laplace cauchy logistic gumbel_r"
        " weibull_min pareto rayleigh triang vonmises truncnorm skewnorm invgauss chi gengamma gumbel_l genextreme"
        " genpareto maxwell powerlaw loguniform reciprocal halfcauchy poisson binom bernoulli geom nbinom randint"
        " hypergeom betabinom zipf multinomial",
        "multivariate": "multivariate_normal dirichlet",
    },
    "scipy.spatial.transform": {"rotations": "Rotation"},
}
# Those that take complex numbers; all others refuse them.  `*` stands for all functions of a module.
OF_COMPLEX: dict[str, str] = {
    "linalg": "*", "linalg_stacks": "*", "banded": "*", "discrete_riccati": "*",
    "matrix_functions": "*", "matrix_forms": "*", "special_matrices": "*",
    "fft": "*", "signal_products": "*", "samples": "*",
    "signal_filters": "lfilter",
    "signal_spectra": "istft",
    "signal_waves": "zpk2tf", "signal_iir": "zpk2sos",
    "lambert": "lambertw",
}  # fmt: skip
