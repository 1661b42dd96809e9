"""Which functions of NumPy, `math`, `cmath` and `bisect`, and which methods of arrays, the library has: for each of its
files in `pellucid/numpy` the names that it defines.

    NUMPY_FUNCTIONS["statistics"] == "mean var std ..."     ->    np.mean is `pellucid.numpy.statistics:mean`

`name=other` where the function of the library is called differently.
"""

from __future__ import annotations

NUMPY_FUNCTIONS = {
    "elementary": "sign clip fabs fix round around=round nan_to_num isclose isposinf isneginf finfo iinfo=finfo"
    " logical_and logical_or logical_not logical_xor astype=cast",
    "reductions": "sum prod max min amax=max amin=min any all argmax argmin cumsum cumprod count_nonzero ptp"
    " allclose nansum cumulative_sum cumulative_prod",
    "calculus": "diff ediff1d trapezoid gradient unwrap",
    "statistics": "mean var std average cov corrcoef",
    "creation": "zeros ones empty ndarray full zeros_like ones_like empty_like full_like arange linspace logspace"
    " geomspace eye identity array asarray ascontiguousarray asanyarray=asarray"
    " asfortranarray copy tri",
    "manipulation": "reshape ravel transpose permute_dims=transpose swapaxes moveaxis expand_dims squeeze"
    " broadcast_to flip flipud fliplr roll tile repeat atleast_1d atleast_2d tril triu diag diagonal"
    " matrix_transpose take shape ndim size linalg.matrix_transpose=matrix_transpose",
    "products": "dot inner outer vdot vecdot trace einsum tensordot kron cross linalg.norm=norm"
    " linalg.trace=trace_of_last linalg.matmul=matmul linalg.vecdot=vecdot linalg.outer=outer_of_vectors"
    " linalg.cross=cross_of_vectors linalg.vector_norm=vector_norm"
    " matvec vecmat linalg.multi_dot=multi_dot linalg.diagonal=diagonal_of_last"
    " linalg.matrix_norm=norm_of_last linalg.tensordot=tensordot",
    "linear_algebra": "linalg.cholesky=cholesky linalg.inv=inv linalg.eig=eig linalg.eigvals=eigvals"
    " linalg.det=det linalg.slogdet=slogdet linalg.solve=solve linalg.eigh=eigh linalg.eigvalsh=eigvalsh"
    " linalg.tensorinv=tensorinv linalg.tensorsolve=tensorsolve",
    "decompositions": "linalg.qr=qr linalg.svd=svd linalg.svdvals=svdvals",
    "selection": "partition argpartition",
    "sorting": "sort argsort lexsort unique unique_all unique_counts"
    " unique_inverse unique_values sort_complex",
    "quantiles": "median percentile quantile",
    "places": "flatnonzero nonzero argwhere where compress extract take_along_axis tril_indices triu_indices"
    " tril_indices_from triu_indices_from diag_indices diag_indices_from ix_ indices meshgrid unravel_index"
    " ravel_multi_index",
    "counting": "bincount digitize histogram histogram_bin_edges histogram2d histogramdd",
    "editing": "append insert delete split array_split hsplit vsplit rot90 pad",
    "nan_statistics": "nanprod nancumsum nancumprod nanmax nanmin nanargmax nanargmin nanmean nanvar nanstd nanmedian"
    " nanpercentile nanquantile",
    "choosing": "select choose piecewise array_equal",
    "joining": "concatenate concat=concatenate stack vstack row_stack=vstack hstack column_stack block",
    "storage": "frombuffer",
    "changing": "fill_diagonal copyto put put_along_axis putmask place",
    "windows": "sinc hanning hamming blackman bartlett kaiser i0",
    "interpolation": "interp searchsorted convolve correlate",
    "sets": "isin union1d intersect1d setdiff1d setxor1d",
    "polynomial_series": "polynomial.polynomial.polyval=polyval"
    " polynomial.polynomial.polyadd=add polynomial.polynomial.polysub=subtract polynomial.polynomial.polymul=multiply"
    " polynomial.polynomial.polyder=derivative polynomial.polynomial.polyfromroots=from_roots"
    " polynomial.polynomial.polyroots=polyroots polynomial.legendre.legval=legval polynomial.legendre.leggauss=leggauss"
    " polynomial.chebyshev.chebval=chebval polynomial.chebyshev.chebgauss=chebgauss polynomial.hermite.hermval=hermval"
    " polynomial.hermite_e.hermeval=hermeval polynomial.laguerre.lagval=lagval",
    "polynomial_fits": "polynomial.polynomial.polyvander=polyvander polynomial.chebyshev.chebvander=chebvander"
    " polynomial.legendre.legvander=legvander polynomial.hermite.hermvander=hermvander"
    " polynomial.hermite_e.hermevander=hermevander polynomial.laguerre.lagvander=lagvander"
    " polynomial.polynomial.polyfit=polyfit polynomial.chebyshev.chebfit=chebfit polynomial.legendre.legfit=legfit"
    " polynomial.hermite.hermfit=hermfit polynomial.hermite_e.hermefit=hermefit polynomial.laguerre.lagfit=lagfit",
    "gauss": "polynomial.hermite.hermgauss=hermgauss polynomial.hermite_e.hermegauss=hermegauss"
    " polynomial.laguerre.laggauss=laggauss",
    "polynomial_class": "poly1d",
    "polynomials": "polyval vander polyfit polyder polyadd polysub polymul roots polyint poly polydiv",
    "least_squares": "linalg.lstsq=lstsq linalg.pinv=pinv linalg.matrix_rank=matrix_rank linalg.cond=cond"
    " linalg.matrix_power=matrix_power",
    "along": "apply_along_axis vectorize",
    "arranging": "atleast_3d dstack dsplit unstack rollaxis diagflat broadcast_arrays array_equiv trim_zeros isscalar"
    " apply_over_axes fromfunction mask_indices ndindex resize broadcast_shapes asarray_chkfinite",
    "exponents": "frexp ldexp spacing",
    "dtype_questions": "issubdtype isdtype promote_types result_type can_cast min_scalar_type common_type",
    "bits": "modf divmod bitwise_count gcd lcm packbits unpackbits",
    "complex_numbers": "real imag angle iscomplex isreal iscomplexobj isrealobj real_if_close",
    "iterating": "ndenumerate nditer fromiter lib.stride_tricks.sliding_window_view=sliding_window_view",
    "fourier": "fft.fft=fft fft.ifft=ifft fft.rfft=rfft fft.irfft=irfft fft.hfft=hfft fft.ihfft=ihfft fft.fftn=fftn"
    " fft.ifftn=ifftn fft.rfftn=rfftn fft.irfftn=irfftn fft.fft2=fft2 fft.ifft2=ifft2 fft.rfft2=rfft2"
    " fft.irfft2=irfft2 fft.fftfreq=fftfreq fft.rfftfreq=rfftfreq fft.fftshift=fftshift fft.ifftshift=ifftshift",
    "random_generators": "random.default_rng=default_rng",
}
MATH_FUNCTIONS = {
    "mathematics": "log hypot isclose prod factorial gcd lcm isqrt comb perm dist fsum",
}
BISECT_FUNCTIONS = {
    "python_bisect": "bisect_left bisect_right bisect=bisect_right insort_left insort_right insort=insort_right",
}
CMATH_FUNCTIONS = {
    "complex_mathematics": "sqrt exp log log10 sin cos tan asin acos atan sinh cosh tanh asinh acosh atanh phase polar"
    " rect isnan isinf isfinite isclose",
}
METHOD_FUNCTIONS = {
    "reductions": "sum prod max min any all argmax argmin cumsum cumprod",
    "statistics": "mean var=var_method std=std_method",
    "manipulation": "reshape=reshape_method ravel flatten transpose=transpose_method swapaxes squeeze"
    " diagonal repeat T=transposed mT=swap_last take",
    "elementary": "round clip astype item",
    "creation": "copy=copy_method fill",
    "sorting": "sort=sort_method argsort",
    "selection": "partition=partition_method argpartition",
    "places": "nonzero compress=compress_method",
    "interpolation": "searchsorted",
    "choosing": "choose",
    "changing": "put",
    "products": "dot trace",
    "storage": "view",
    "complex_numbers": "conj=conjugate conjugate",
}
# Library functions that take complex numbers; all others refuse them.  `*` stands for all functions of a module.
OF_COMPLEX = {
    "complex_numbers": "*",
    "fourier": "*",
    "complex_mathematics": "*",
    "creation": "*",
    "manipulation": "*",
    "joining": "*",
    "editing": "*",
    "places": "*",
    "changing": "*",
    "along": "*",
    "arranging": "*",
    "dtype_questions": "*",
    "iterating": "*",
    "storage": "*",
    "polynomial_class": "*",
    "polynomial_series": "*",
    "windows": "sinc",
    "elementary": "clip round nan_to_num sign cast astype item where isclose logical_and logical_or logical_not"
    " logical_xor",
    "reductions": "*",
    "calculus": "diff ediff1d trapezoid gradient",
    "statistics": "cov corrcoef mean average var std var_method std_method",
    "products": "dot inner outer outer_of_vectors vdot vecdot trace einsum tensordot kron cross cross_of_vectors norm"
    " vector_norm trace_of_last matmul matvec vecmat multi_dot norm_of_last diagonal_of_last",
    "choosing": "select choose piecewise array_equal",
    "interpolation": "convolve correlate searchsorted",
    "sorting": "*",
    "selection": "partition argpartition partition_method",
    "sets": "*",
    "quantiles": "median",
    "polynomials": "roots polyval vander polyder polyadd polysub polymul polyint poly polydiv",
    "least_squares": "*",
    "linear_algebra": "*",
    "decompositions": "*",
    "python_builtins": "total",
    "python_lists": "*",
    "python_dicts": "*",
    "python_deques": "*",
    "python_heaps": "*",
    "python_bisect": "*",
    "python_counters": "*",
    "python_sets": "*",
}
