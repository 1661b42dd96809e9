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
"""
SMOOTH = """
ndimage.gaussian_filter(A, 1.0)
ndimage.correlate(A, W)
ndimage.sobel(A)
ndimage.maximum_filter(A, size=3)
ndimage.map_coordinates(A, p + 0.013, order=1)
ndimage.map_coordinates(A, p * 0.5 + 1.07)
ndimage.map_coordinates(A, p, mode="nearest")
ndimage.map_coordinates(A, p, mode="reflect")
"""
