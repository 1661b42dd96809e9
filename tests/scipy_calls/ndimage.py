import numpy as np

HEAD = "from scipy import ndimage"
R = np.random.default_rng(12)
ARRAYS = {
    "G": R.normal(size=(9, 11)).astype(np.float32),
    "x": R.normal(size=20),
    "A": R.normal(size=(9, 11)),
    "T": R.normal(size=(6, 5, 7)),
    "w": np.array([0.2, 0.5, 0.1]),
    "e": np.array([0.2, 0.5, 0.1, 0.4]),
    "W": R.normal(size=(3, 3)),
    "E": R.normal(size=(2, 4)),
    "s": 1.3,
    "p": np.array([[0.5, 3.2, 7.9], [1.5, 0.0, 9.7]]),
    "far": np.array([[-0.5, 3.2, 8.5], [1.5, -2.0, 12.0]]),
    "B": R.uniform(size=(8, 9)) > 0.5,
    "b": R.uniform(size=15) > 0.4,
    "L": R.integers(0, 4, size=(9, 11)),
    "F": np.array([[True, False, True], [True, True, False], [False, True, True]]),
    "M": np.array([[0.9, 0.2], [-0.1, 1.1]]),
    "d": np.array([0.4, -0.7]),
    "r": 23.0,
    "I": R.integers(0, 50, size=(7, 8)),
}
CALLS = """
ndimage.gaussian_filter(A, 1.0)
ndimage.gaussian_filter(A, s)
ndimage.gaussian_filter(A, (1.0, 0.5), mode="nearest")
ndimage.gaussian_filter(A, 1.0, order=1)
ndimage.gaussian_filter(A, 1.0, order=(0, 2), mode="wrap")
ndimage.gaussian_filter(T, 0.7, truncate=3.0)
ndimage.gaussian_filter1d(x, 1.5, order=3, mode="mirror")
ndimage.gaussian_filter1d(A, 1.0, axis=0, mode="constant", cval=0.5)
ndimage.uniform_filter(A, 3)
ndimage.uniform_filter1d(x, 4)
ndimage.correlate1d(x, w)
ndimage.correlate1d(x, e, mode="constant", cval=1.0)
ndimage.correlate1d(x, w, origin=-1)
ndimage.convolve1d(x, w)
ndimage.convolve1d(x, e)
ndimage.correlate(A, W)
ndimage.correlate(A, E, mode="wrap")
ndimage.convolve(A, W, mode="constant", cval=0.3)
ndimage.sobel(A)
ndimage.sobel(A, axis=0)
ndimage.prewitt(A)
ndimage.laplace(A)
ndimage.gaussian_laplace(A, 1.0)
ndimage.gaussian_gradient_magnitude(A, 1.0)
ndimage.maximum_filter(A, size=3)
ndimage.minimum_filter(I, size=(3, 2))
ndimage.median_filter(A, size=3)
ndimage.median_filter(x, 5, mode="nearest")
ndimage.map_coordinates(A, p, order=1)
ndimage.map_coordinates(A, p, order=0)
ndimage.map_coordinates(A, far, order=1, cval=-1.0)
ndimage.map_coordinates(A, far, order=1, mode="nearest")
ndimage.map_coordinates(A, [p[0], p[1]], order=1)
ndimage.center_of_mass(np.abs(A))
ndimage.label(B)
ndimage.label(b)
ndimage.binary_erosion(B)
ndimage.binary_dilation(B, iterations=2)
ndimage.binary_erosion(B, border_value=1)
ndimage.map_coordinates(A, p)
ndimage.map_coordinates(A, far)
ndimage.map_coordinates(A, far, mode="nearest")
ndimage.map_coordinates(A, far, mode="mirror")
ndimage.map_coordinates(A, far, mode="reflect", prefilter=False)
ndimage.map_coordinates(x, [[0.3, 2.7, 18.4]])
(ndimage.map_coordinates(I, p * 0.7), ndimage.map_coordinates(G, p, order=1), ndimage.map_coordinates(I[:1], p * 0.0))
[ndimage.map_coordinates(A, far, order=1, mode=m) for m in ("mirror", "reflect", "wrap", "grid-wrap", "grid-constant")]
(ndimage.gaussian_filter(I, 1.0), ndimage.gaussian_filter(G, 1.0), ndimage.gaussian_filter(I, 1.0, output=float))
(ndimage.uniform_filter(I, 3), ndimage.sobel(I), ndimage.laplace(G), ndimage.convolve(I, W))
(ndimage.maximum_filter(A, size=3, origin=1), ndimage.minimum_filter(A, size=(3, 2), origin=(-1, 0), mode="nearest"))
ndimage.minimum_filter(A, footprint=np.array([[1, 0, 1], [1, 1, 0], [0, 1, 1]]))
ndimage.median_filter(I, footprint=np.array([[0, 1, 0], [1, 1, 1], [0, 1, 0]]), mode="wrap")
(ndimage.maximum_filter1d(x, 4), ndimage.minimum_filter1d(A, 3, axis=0), ndimage.rank_filter(A, -2, size=3))
(ndimage.percentile_filter(A, 20, size=3), ndimage.percentile_filter(I, -30, size=(2, 3)))
(ndimage.grey_erosion(A, size=(3, 3)), ndimage.grey_dilation(A, size=(2, 3)), ndimage.grey_opening(A, size=3))
ndimage.grey_dilation(A, footprint=np.array([[1, 0, 1], [1, 1, 0], [0, 1, 1]]))
(ndimage.grey_closing(x, size=3), ndimage.morphological_gradient(A, size=(3, 3)))
(ndimage.generate_binary_structure(2, 1), ndimage.generate_binary_structure(3, 2))
ndimage.binary_erosion(B, structure=np.ones((3, 3)))
ndimage.binary_dilation(B, structure=np.array([[1, 0, 0], [1, 1, 0], [0, 1, 0]]), iterations=2, border_value=1)
ndimage.binary_dilation(b, structure=np.array([1, 1]), mask=b[::-1])
(ndimage.binary_opening(B), ndimage.binary_closing(B, structure=np.ones((2, 3))), ndimage.binary_fill_holes(B))
ndimage.label(B, structure=np.ones((3, 3)))
(ndimage.sum_labels(A, L, [1, 2, 3]), ndimage.sum_labels(A), ndimage.mean(A, L, 2), ndimage.mean(A, L))
(ndimage.variance(A, L, [0, 3]), ndimage.standard_deviation(A, L, [1, 2]))
(ndimage.maximum(A, L, [1, 2]), ndimage.minimum(A))
(ndimage.minimum(I, L[:7, :8], [1, 3]), ndimage.center_of_mass(np.abs(A), L, 2))
ndimage.distance_transform_edt(B)
(ndimage.distance_transform_edt(b), ndimage.distance_transform_edt(B, sampling=(0.5, 2.0)))
ndimage.distance_transform_edt(T > -0.5)
ndimage.shift(A, (0.4, -0.7))
(ndimage.shift(A, d, order=1, mode="nearest"), ndimage.shift(x, 1.5, mode="mirror"), ndimage.shift(I, 1, order=0))
(ndimage.zoom(A, 2), ndimage.zoom(A, (0.5, 1.7), order=1), ndimage.zoom(I, 1.5))
(ndimage.zoom(G, 1.3, order=2, mode="nearest"), ndimage.map_coordinates(A, far, order=2, mode="reflect"))
ndimage.rotate(A, 30.0)
(ndimage.rotate(A, r, reshape=False, order=1), ndimage.rotate(A, 90), ndimage.rotate(T, 15, axes=(0, 2), order=1))
ndimage.affine_transform(A, M, offset=d)
ndimage.affine_transform(A, d + 1.2, order=1)
ndimage.affine_transform(A, np.hstack((M, d[:, None])), output_shape=(5, 6))
(ndimage.spline_filter(A), ndimage.spline_filter(x, order=2))
"""
SMOOTH = """
ndimage.shift(A, d)
ndimage.rotate(A, r, reshape=False)
ndimage.affine_transform(A, M, offset=d + 0.013, order=2, mode="nearest")
ndimage.zoom(A, 1.7)
ndimage.variance(A, L, [0, 3])
ndimage.gaussian_filter(A, 1.0)
ndimage.correlate(A, W)
ndimage.sobel(A)
ndimage.maximum_filter(A, size=3)
ndimage.map_coordinates(A, p + 0.013, order=1)
ndimage.map_coordinates(A, p * 0.5 + 1.07)
ndimage.map_coordinates(A, p, mode="nearest")
ndimage.map_coordinates(A, p, mode="reflect")
"""
